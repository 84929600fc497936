// Values of columns.
#include <boost/test/unit_test.hpp>

#include <string>

#include "projections/exports/row.hpp"

using namespace annals::exports;

BOOST_AUTO_TEST_SUITE(export_values)

BOOST_AUTO_TEST_CASE(moments_are_utc_with_their_zone) {
  BOOST_TEST(print_moment({0}) == "1970-01-01T00:00:00.000000Z");
  BOOST_TEST(print_moment({1'795'222'033'123'456'789}) == "2026-11-21T00:47:13.123456Z");
  BOOST_TEST(print_moment({-1}) == "1969-12-31T23:59:59.999999Z");
  BOOST_TEST(print_day({1'795'222'033'123'456'789}) == "2026-11-21");
}

BOOST_AUTO_TEST_CASE(texts_are_utf8_without_nul) {
  using namespace std::string_literals;
  BOOST_TEST(clean_text("a \"b\" 'c'\n\t\\ \xC3\xA4") == "a \"b\" 'c'\n\t\\ \xC3\xA4");
  BOOST_TEST(clean_text("a\0b"s) ==
             "a\xEF\xBF\xBD"
             "b");
  BOOST_TEST(clean_text("\xC3(\xFF") == "\xEF\xBF\xBD(\xEF\xBF\xBD");
  BOOST_TEST(clean_text("") == "");
  BOOST_TEST(clean_text(std::string(1 << 20, 'x')).size() == 1u << 20);
}

BOOST_AUTO_TEST_CASE(a_long_text_in_a_key_is_cut_and_differs_from_others) {
  const auto key = [](const std::string& name) {
    auto r = row_builder(table_id::node_states, 0).text("vnode", name).done(false);
    return std::get<std::string>(r.values[0]);
  };
  const std::string a = std::string(900, 'x') + "a", b = std::string(900, 'x') + "b";
  BOOST_TEST(key(std::string(key_bytes_max, 'x')) == std::string(key_bytes_max, 'x'));
  BOOST_TEST(key(a).size() <= key_bytes_max);
  BOOST_TEST(key(a) != key(b));
  BOOST_TEST(key(a) == key(a));
}

BOOST_AUTO_TEST_SUITE_END()
