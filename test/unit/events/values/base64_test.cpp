// Base64 as qmgr prints and reads hooks (golden: hooks.txt).
#include <boost/test/unit_test.hpp>

#include "events/values/base64.hpp"

using namespace annals::values;

namespace {
std::string encoded(std::string_view text) { return base64_lines(std::as_bytes(std::span(text))); }
}  // namespace

BOOST_AUTO_TEST_SUITE(base64)

BOOST_AUTO_TEST_CASE(text_of_any_length_comes_back) {
  BOOST_TEST(encoded("") == "");
  BOOST_TEST(encoded("{\"a\": 1}\n") == "eyJhIjogMX0K\n");
  BOOST_TEST(encoded("a") == "YQ==\n");
  std::string all;
  for (int i = 0; i < 3000; ++i) {
    BOOST_TEST(from_base64(encoded(all)).value_or("?") == all);
    all.push_back(static_cast<char>(i * 7));
  }
}

BOOST_AUTO_TEST_CASE(a_line_holds_512_bytes) {
  BOOST_TEST(encoded(std::string(512, 'x')).size() == 685u);
  const auto two = encoded(std::string(513, 'x'));
  BOOST_TEST(two.find('\n') == 684u);
  BOOST_TEST(two.substr(685) == "eA==\n");
}

BOOST_AUTO_TEST_CASE(what_is_no_base64_is_refused) {
  for (const char* text : {"a", "ab", "abc", "a===", "====", "ab=c", "ab==cdef", "a*cd"}) BOOST_TEST(!from_base64(text).has_value());
  BOOST_TEST(from_base64("  eyJh\tIjogMX0K \r\n\n").value_or("") == "{\"a\": 1}\n");
}

BOOST_AUTO_TEST_SUITE_END()
