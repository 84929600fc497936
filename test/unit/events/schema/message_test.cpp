#include "events/schema/message.hpp"

#include <boost/test/unit_test.hpp>

#include <capnp/any.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "events/schema/event.hpp"
#include "events/schema/readable.hpp"
#include "events/values/stored_state.hpp"

using namespace annals::schema;

namespace {

std::vector<std::byte> words(std::initializer_list<std::uint64_t> w) {
  std::vector<std::byte> out(w.size() * 8);
  std::memcpy(out.data(), std::data(w), out.size());
  return out;
}

// A message of one segment.
std::vector<std::byte> segment(std::initializer_list<std::uint64_t> w) {
  auto out = words({w.size() << 32});
  const auto content = words(w);
  out.insert(out.end(), content.begin(), content.end());
  return out;
}

std::string refused(byte_span bytes, read_bounds bounds = {}) {
  std::string why;
  return sealed_message::from_bytes(bytes, bounds, &why) ? "" : why;
}

constexpr std::uint64_t struct_of(std::uint64_t offset, std::uint64_t data, std::uint64_t pointers) {
  return (offset << 2 & 0xffffffff) | data << 32 | pointers << 48;
}
constexpr std::uint64_t list_of(std::uint64_t offset, std::uint64_t element_size, std::uint64_t count) {
  return (offset << 2 & 0xffffffff) | 1 | element_size << 32 | count << 35;
}

// An event of n attributes with values of `bytes` bytes: of one segment when small, of many when large.
sealed<Event> queued(unsigned n, std::size_t bytes) {
  return make<Event>([&](Event::Builder e) {
    auto attributes = e.initJob().initQueued().initAttributes(n);
    for (auto a : attributes) {
      a.setName("Variable_List");
      a.setValue(std::string(bytes, 'v'));
    }
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(message)

BOOST_AUTO_TEST_CASE(what_was_built_is_read_back) {
  for (auto [n, bytes] : {std::pair(0u, 0u), {3u, 10u}, {100u, 10u}, {20u, 5000u}, {3u, 300'000u}}) {
    const auto event = queued(n, bytes);
    std::string why;
    const auto again = sealed_message::from_bytes(event.bytes(), {}, &why);
    BOOST_REQUIRE_MESSAGE(again, why);
    const auto attributes = sealed<Event>(*again).get().getJob().getQueued().getAttributes();
    BOOST_REQUIRE(attributes.size() == n);
    for (auto a : attributes) BOOST_TEST(a.getValue().size() == bytes);
  }
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  for (auto event : {queued(3, 10), queued(20, 500)}) {
    const auto bytes = event.bytes();
    for (std::size_t size = 0; size < bytes.size(); size += 4) BOOST_TEST(!refused(bytes.first(size)).empty());
  }
}

BOOST_AUTO_TEST_CASE(lists_of_nothing_that_claim_millions_are_refused) {
  const std::uint64_t half_a_billion = (1u << 29) - 1;
  BOOST_TEST(refused(segment({list_of(0, 0, half_a_billion)})) == "it reads as more than its size allows");
  BOOST_TEST(refused(segment({list_of(0, 7, 0), struct_of(half_a_billion, 0, 0)})) ==
             "it reads as more than its size allows");
  BOOST_TEST(refused(segment({list_of(0, 0, 50)})) == "");
}

BOOST_AUTO_TEST_CASE(a_pointer_to_itself_is_refused) {
  // A struct of one pointer, which points back at the struct: read for ever but for the nesting, and twice the size
  // before.
  const std::uint64_t back = (static_cast<std::uint32_t>(-1) << 2) | std::uint64_t{1} << 48;
  BOOST_TEST(!refused(segment({struct_of(0, 0, 1), back})).empty());
}

BOOST_AUTO_TEST_CASE(many_pointers_to_one_object_are_refused) {
  // 60 pointers to the same 60 words.
  std::vector<std::byte> bytes = words({std::uint64_t{1 + 60 + 60} << 32, struct_of(0, 0, 60)});
  for (std::uint64_t i = 0; i < 60; ++i) {
    const auto p = words({list_of(59 - i, 5, 60)});
    bytes.insert(bytes.end(), p.begin(), p.end());
  }
  bytes.resize(bytes.size() + 60 * 8);
  BOOST_TEST(refused(bytes) == "it reads as more than its size allows");
}

BOOST_AUTO_TEST_CASE(pointers_out_of_the_message_are_refused) {
  BOOST_TEST(refused(segment({struct_of(1, 1, 0)})) == "a struct reaches outside of its segment");
  BOOST_TEST(refused(segment({struct_of(0, 2, 0), 0})) == "a struct reaches outside of its segment");
  BOOST_TEST(refused(segment({list_of(0, 2, 9), 0})) == "a list reaches outside of its segment");
  BOOST_TEST(refused(segment({list_of(0, 2, 8), 0})) == "");
  BOOST_TEST(refused(segment({list_of(0, 7, 2), struct_of(3, 1, 0), 0, 0})) == "a list of structs is malformed");
  BOOST_TEST(refused(segment({2 | std::uint64_t{5} << 32})) == "a pointer leads to a segment that is not there");
  BOOST_TEST(refused(segment({2 | 9u << 3})) == "a pointer leads outside of its segment");
  BOOST_TEST(refused(segment({3})) == "a pointer of a kind that has no place here");
}

BOOST_AUTO_TEST_CASE(nesting_and_traversal_have_the_bounds_they_are_given) {
  const auto chain = segment({struct_of(0, 0, 1), struct_of(0, 0, 1), struct_of(0, 1, 0), 7});  // three structs deep
  BOOST_TEST(refused(chain, {1000, 3}) == "");
  BOOST_TEST(refused(chain, {1000, 2}) == "it is nested too deeply");
  BOOST_TEST(refused(chain, {3, 3}) == "");
  BOOST_TEST(refused(chain, {2, 3}) == "it reads as more than its size allows");
}

BOOST_AUTO_TEST_CASE(a_wrong_segment_table_is_refused) {
  BOOST_TEST(!refused(words({0})).empty());
  BOOST_TEST(!refused(words({std::uint64_t{2} << 32, 0})).empty());     // claims a word more than there is
  BOOST_TEST(!refused(words({std::uint64_t{1} << 32, 0, 0})).empty());  // a word behind its end
  BOOST_TEST(!refused(words({0xffffffff, 0, 0})).empty());
  BOOST_TEST(!refused(words({600, 0, 0})).empty());
}

BOOST_AUTO_TEST_CASE(a_number_in_place_of_a_text_is_found_wherever_it_stands) {
  BOOST_TEST(is_readable(queued(3, 10)));
  BOOST_TEST(is_readable(make<Event>([](Event::Builder e) { e.initJob().initQueued(); })));
  const auto spoiled = [](auto fill) {
    const auto event = make<Event>([&](Event::Builder e) { fill(e); });
    BOOST_REQUIRE(sealed_message::from_bytes(event.bytes()));  // its encoding is sound
    return !is_readable(event);
  };
  const auto spoil = [](auto builder) { capnp::toAny(builder).getPointerSection()[0].template initAs<capnp::List<std::uint64_t>>(3); };
  BOOST_TEST(spoiled([&](Event::Builder e) { spoil(e.initHook().initCreated()); }));
  BOOST_TEST(spoiled([&](Event::Builder e) { spoil(e.initJob().initQueued().initAttributes(2)[1]); }));
  BOOST_TEST(spoiled([&](Event::Builder e) { spoil(e.initHost().initCameUp().initVnodes(1)[0].initAttributes(1)[0]); }));
}

BOOST_AUTO_TEST_CASE(a_message_is_stored_and_looked_at_when_it_is_restored) {
  namespace stored = annals::stored;
  const auto restored = [](const std::string& bytes) {
    sealed<Event> back = queued(1, 1);
    stored::restore_whole(bytes, back);
    return back;
  };
  const auto event = queued(3, 10);
  stored::writer to, none;
  to(event);
  none(sealed<Event>());
  BOOST_TEST(std::ranges::equal(restored(to.written()).bytes(), event.bytes()));
  BOOST_TEST(!restored(none.written()));
  stored::writer cut, unreadable;
  cut.bytes({reinterpret_cast<const char*>(event.bytes().data()), event.bytes().size() - 8});
  unreadable(make<Event>([](Event::Builder e) {
    capnp::toAny(e.initHook().initCreated()).getPointerSection()[0].initAs<capnp::List<std::uint64_t>>(3);
  }));
  for (const auto* wrong : {&cut, &unreadable}) BOOST_CHECK_THROW(restored(wrong->written()), stored::state_unreadable);
}

BOOST_AUTO_TEST_SUITE_END()
