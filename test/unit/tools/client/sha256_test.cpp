// The vectors of FIPS 180-4 and one per length around the block boundaries (computed with another implementation).
#include <boost/test/unit_test.hpp>

#include "tools/client/sha256.hpp"

using annals::client::sha256;

namespace {
std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : sha256(bytes)) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(sha256_of)

BOOST_AUTO_TEST_CASE(the_standards_vectors) {
  BOOST_TEST(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  BOOST_TEST(hex(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

BOOST_AUTO_TEST_CASE(lengths_around_a_block) {
  BOOST_TEST(hex(std::string(55, 'x')) == "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  BOOST_TEST(hex(std::string(56, 'x')) == "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  BOOST_TEST(hex(std::string(63, 'x')) == "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  BOOST_TEST(hex(std::string(64, 'x')) == "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  BOOST_TEST(hex(std::string(65, 'x')) == "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
}

BOOST_AUTO_TEST_SUITE_END()
