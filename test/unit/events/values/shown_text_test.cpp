#include <boost/test/unit_test.hpp>

#include "events/values/shown_text.hpp"

using namespace annals::values;

namespace {
std::string shown(std::string_view text) {
  std::string out;
  put_shown(out, text);
  BOOST_TEST(has_controls(text) == (out != text));
  return out;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(shown_text)

BOOST_AUTO_TEST_CASE(control_characters_are_written_as_cat_does) {
  BOOST_TEST(shown("plain\ttext") == "plain\ttext");
  BOOST_TEST(shown(std::string_view("\0\x01\x1b[2J\r\n\x7f", 9)) == "^@^A^[[2J^M^J^?");
  BOOST_TEST(shown("\xc2\x9b"
                   "31m") == "M-^[31m");                // U+009B is ESC [ for some terminals
  BOOST_TEST(shown("a\x9bz") == "aM-^[z");              // in a Latin-1 terminal
  BOOST_TEST(shown("\xe2\x82\x9b") == "\xe2\x82\x9b");  // the same byte within a character
}

BOOST_AUTO_TEST_CASE(other_bytes_stay) {
  for (const char* text : {"", "Z\xc3\xbcrich", "\xf0\x9f\x9a\x80",
                           "a\xff\xfe"
                           "b",
                           "\xc3", "\xc2\xa0"}) BOOST_TEST(shown(text) == text);
}

BOOST_AUTO_TEST_CASE(each_is_masked_by_one_character) {
  const auto masked = [](std::string_view text) {
    std::string out;
    put_masked(out, text, '?');
    return out;
  };
  BOOST_TEST(masked("plain") == "plain");
  BOOST_TEST(masked("a\tb\n\x1b\x7f") == "a?b???");
  BOOST_TEST(masked("\xc2\x9b z\xe2\x82\x9b\xff") == "? z\xe2\x82\x9b\xff");
}

BOOST_AUTO_TEST_SUITE_END()
