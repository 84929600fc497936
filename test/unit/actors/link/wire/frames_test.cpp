// The frame parser: whole frames out of pieces, bounds on both sides of each limit, and garbage.
#include "actors/link/wire/frames.hpp"

#include <cstring>

#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;
using found = frame_buffer::found;

namespace {

using bytes = std::vector<std::byte>;

bytes framed(const schema::sealed_message& m) {
  const auto header = frame_header(m.bytes().size());
  bytes out(header.begin(), header.end());
  out.insert(out.end(), m.bytes().begin(), m.bytes().end());
  return out;
}

void put(frame_buffer& b, std::span<const std::byte> data) {
  while (!data.empty()) {
    const auto space = b.space();
    BOOST_REQUIRE(!space.empty());
    const std::size_t n = std::min(space.size(), data.size());
    std::memcpy(space.data(), data.data(), n);
    b.filled(n);
    data = data.subspan(n);
  }
}

struct outcome {
  found what;
  schema::sealed_message message;
  std::string why;
};
outcome next(frame_buffer& b) {
  outcome o;
  o.what = b.next(o.message, o.why);
  return o;
}
bool is(const outcome& o, found what) { return o.what == what; }

}  // namespace

BOOST_AUTO_TEST_SUITE(frames)

BOOST_AUTO_TEST_CASE(frames_come_out_whole_however_their_bytes_arrive) {
  bytes all;
  for (int i = 0; i < 5; ++i) {
    const auto one = framed(message(static_cast<std::uint64_t>(i), static_cast<std::size_t>(1000 * i)));
    all.insert(all.end(), one.begin(), one.end());
  }
  for (std::size_t step : {1u, 3u, 7u, 4096u, 100000u}) {
    frame_buffer b(1 << 20);
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0; at < all.size(); at += step) {
      put(b, std::span(all).subspan(at, std::min(step, all.size() - at)));
      for (auto o = next(b); is(o, found::message); o = next(b)) numbers.push_back(number_of(o.message));
    }
    BOOST_TEST(numbers == counting(5), boost::test_tools::per_element());
    BOOST_TEST(b.left() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_length_of_zero_is_a_heartbeat) {
  frame_buffer b(1 << 20);
  put(b, bytes(8));
  BOOST_TEST(is(next(b), found::heartbeat));
  BOOST_TEST(is(next(b), found::heartbeat));
  BOOST_TEST(is(next(b), found::nothing));
}

BOOST_AUTO_TEST_CASE(a_frame_of_the_limit_is_taken_and_one_beyond_is_refused_from_its_length_alone) {
  const auto m = message(1, 10000);
  frame_buffer fits(m.bytes().size());
  put(fits, framed(m));
  BOOST_TEST(is(next(fits), found::message));

  frame_buffer small(m.bytes().size() - 8);
  put(small, frame_header(m.bytes().size()));
  const auto o = next(small);
  BOOST_TEST(is(o, found::garbage));
  BOOST_TEST(contains(o.why, "larger than the limit of " + std::to_string(m.bytes().size() - 8)));
}

BOOST_AUTO_TEST_CASE(a_length_that_is_no_multiple_of_8_is_garbage) {
  frame_buffer b(1 << 20);
  put(b, frame_header(13));
  BOOST_TEST(contains(next(b).why, "not a multiple of 8"));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_message_are_garbage) {
  frame_buffer b(1 << 20);
  put(b, frame_header(64));
  put(b, bytes(64, std::byte{0xff}));
  const auto o = next(b);
  BOOST_TEST(is(o, found::garbage));
  BOOST_TEST(contains(o.why, "not a message"));
}

BOOST_AUTO_TEST_CASE(a_large_frame_costs_no_memory_before_its_bytes_come) {
  frame_buffer b(limits::daemon_frame_bytes_max);
  put(b, frame_header(limits::daemon_frame_bytes_max));
  BOOST_TEST(is(next(b), found::nothing));
  BOOST_TEST(b.space().size() <= 64u << 10);
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_large_frame_is_given_back) {
  frame_buffer b(1 << 20);
  put(b, framed(message(1, 500000)));
  BOOST_TEST(is(next(b), found::message));
  put(b, bytes(frame_header_bytes));
  BOOST_TEST(is(next(b), found::heartbeat));
  BOOST_TEST(b.space().size() <= 4u << 10);
}

BOOST_AUTO_TEST_CASE(a_buffer_that_rests_keeps_the_frame_that_has_begun) {
  frame_buffer b(1 << 20);
  const auto frame = framed(message(7, 100));
  put(b, std::span(frame).first(10));
  b.rest();
  BOOST_TEST(is(next(b), found::nothing));
  put(b, std::span(frame).subspan(10));
  BOOST_TEST(number_of(next(b).message) == 7u);
  b.rest();
  put(b, frame);
  BOOST_TEST(number_of(next(b).message) == 7u);
}

BOOST_AUTO_TEST_CASE(nesting_beyond_the_bound_is_garbage) {
  const auto nested = [](int depth) {  // a chain of pointers to structs of one pointer each
    capnp::MallocMessageBuilder builder;
    auto at = builder.initRoot<capnp::AnyPointer>().initAsAnyStruct(0, 1);
    for (int i = 1; i < depth; ++i) at = at.getPointerSection()[0].initAsAnyStruct(0, 1);
    return schema::sealed_message::from_builder(builder);
  };
  frame_buffer shallow(1 << 20), deep(1 << 20);
  put(shallow, framed(nested(limits::frame_nesting_max - 2)));
  BOOST_TEST(is(next(shallow), found::message));
  put(deep, framed(nested(limits::frame_nesting_max + 2)));
  BOOST_TEST(is(next(deep), found::garbage));
}

BOOST_AUTO_TEST_SUITE_END()
