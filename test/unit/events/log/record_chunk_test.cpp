#include "events/log/record_chunk.hpp"

#include <random>

#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

std::vector<ports::stored_record> records(std::initializer_list<std::size_t> sizes) {
  std::vector<ports::stored_record> out;
  std::mt19937_64 random(1);
  for (auto size : sizes) {
    out.push_back({10 + out.size(), 1, 1, std::vector<std::byte>(size)});
    for (auto& b : out.back().bytes) b = static_cast<std::byte>(random() % 5);
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(chunk)

BOOST_AUTO_TEST_CASE(what_is_packed_is_unpacked) {
  const auto written = records({300, 0, 1, 5000});
  unpacked_chunk c;
  BOOST_REQUIRE(c.open(pack_chunk(written), 10));
  BOOST_TEST(!c.has(9));
  BOOST_TEST(!c.has(14));
  BOOST_TEST(c.end() == 14u);
  for (const auto& r : written) {
    BOOST_REQUIRE(c.has(r.sequence));
    BOOST_TEST(text_of(c.record(r.sequence)) == text_of(r.bytes));
  }
}

BOOST_AUTO_TEST_CASE(records_that_are_alike_take_little) {
  std::vector<ports::stored_record> alike(30, records({1000}).front());
  BOOST_TEST(pack_chunk(alike).size() < 3000u);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_compressed_is_stored_as_it_is) {
  auto noise = records({4000});
  std::mt19937_64 random(2);
  for (auto& b : noise[0].bytes) b = static_cast<std::byte>(random());
  const auto packed = pack_chunk(noise);
  BOOST_TEST(packed.size() == 8u + 4u + 4000u);
  unpacked_chunk c;
  BOOST_REQUIRE(c.open(packed, 10));
  BOOST_TEST(text_of(c.record(10)) == text_of(noise[0].bytes));
}

BOOST_AUTO_TEST_CASE(a_chunk_has_a_limit_and_at_least_one_record) {
  BOOST_TEST(chunk_length(records({100, 100})) == 2u);
  BOOST_TEST(chunk_length(records({chunk_bytes_max - 4, 1})) == 1u);
  BOOST_TEST(chunk_length(records({chunk_bytes_max - 9, 1})) == 2u);
  BOOST_TEST(chunk_length(records({4 * chunk_bytes_max, 1})) == 1u);
  BOOST_TEST(chunk_length(records({1, 4 * chunk_bytes_max})) == 1u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_chunk_are_refused) {
  const auto packed = pack_chunk(records({300, 40}));
  unpacked_chunk c;
  for (std::size_t size = 0; size < packed.size(); ++size)
    BOOST_TEST(!c.open(std::string_view(packed).substr(0, size), 1));
  auto huge = packed;
  huge.replace(4, 4, "\xff\xff\xff\x7f");
  BOOST_TEST(!c.open(huge, 1));
  auto unknown = packed;
  unknown[0] = 9;
  BOOST_TEST(!c.open(unknown, 1));
}

BOOST_AUTO_TEST_SUITE_END()
