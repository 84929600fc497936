#include "events/log/checksum.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

using namespace annals::log;

namespace {
byte_view view(const std::string& s) { return std::as_bytes(std::span(s)); }
std::string hex(const sha256_digest& digest) {
  std::string out;
  for (auto b : digest)
    for (int shift : {4, 0}) out += "0123456789abcdef"[(static_cast<unsigned>(b) >> shift) & 15];
  return out;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(checksum)

BOOST_AUTO_TEST_CASE(crc32c_gives_the_published_values) {
  BOOST_TEST(crc32c(view("123456789")) == 0xe3069283u);            // the check value of CRC-32C
  BOOST_TEST(crc32c(view(std::string(32, '\0'))) == 0x8a9136aau);  // RFC 3720, B.4
  BOOST_TEST(crc32c({}) == 0u);
}

BOOST_AUTO_TEST_CASE(the_processors_crc_and_the_tables_are_the_same) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 100; ++size) {
    std::vector<std::byte> bytes(size);
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    BOOST_TEST(crc32c(bytes) == crc32c_portable(bytes));
  }
}

BOOST_AUTO_TEST_CASE(sha256_gives_the_published_value_whole_and_in_pieces) {
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-2
  BOOST_TEST(hex(sha256(view("abc"))) == abc);
  sha256_stream s;
  s.add(view("a"));
  s.add(view("bc"));
  BOOST_TEST(hex(s.finish()) == abc);
}

BOOST_AUTO_TEST_SUITE_END()
