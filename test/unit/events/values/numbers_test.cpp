// Booleans, integers, decimals, sizes and durations.
#include <boost/test/unit_test.hpp>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

using namespace annals::values;

namespace {

std::string sum(const char* a, const char* b) { return print_size(add(parse_size(a).value(), parse_size(b).value())); }
std::string again(const char* text) {
  const auto size = parse_size(text);
  return size ? print_size(*size) : "refused";
}
std::string duration(const char* text) {
  const auto seconds = parse_duration(text);
  return seconds ? print_duration(*seconds) : "refused";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(numbers)

BOOST_AUTO_TEST_CASE(every_spelling_of_a_boolean_is_read) {
  for (const char* yes : {"TRUE", "True", "true", "T", "t", "Y", "y", "1"})
    BOOST_TEST(parse_boolean(yes).value() == true);
  for (const char* no : {"FALSE", "False", "false", "F", "f", "N", "n", "0"})
    BOOST_TEST(parse_boolean(no).value() == false);
  for (const char* bad : {"", "2", "tru", "maybe", " true"}) BOOST_TEST(!parse_boolean(bad));
}

BOOST_AUTO_TEST_CASE(integers_have_64_bits_and_leading_zeros_say_nothing) {
  BOOST_TEST(parse_integer("42").value() == 42);
  BOOST_TEST(parse_integer("-9223372036854775808").value() == INT64_MIN);
  BOOST_TEST(parse_integer("9223372036854775807").value() == INT64_MAX);
  BOOST_TEST(parse_integer("0x1f").value() == 31);
  BOOST_TEST(parse_integer("017").value() == 17);
  BOOST_TEST(parse_integer("08").value() == 8);
  BOOST_TEST(parse_integer("-007").value() == -7);
  BOOST_TEST(parse_integer("0").value() == 0);
  for (const char* bad :
       {"", "-", "+", "abc", "1.5", "1 ", "9223372036854775808", "-9223372036854775809", "0x", "--1"})
    BOOST_TEST(!parse_integer(bad), bad);
}

BOOST_AUTO_TEST_CASE(decimals_are_printed_with_at_most_four_places) {
  BOOST_TEST(print_real(5.0) == "5");
  BOOST_TEST(print_real(5.25) == "5.25");
  BOOST_TEST(print_real(1.0 / 3) == "0.3333");
  BOOST_TEST(print_real(-0.00001) == "0");
  BOOST_TEST(print_real(100) == "100");
  BOOST_TEST(parse_real("0.75").value() == 0.75);
  for (const char* bad : {"", "x", "1.5x", "nan", "inf", "+-1", "1e999"}) BOOST_TEST(!parse_real(bad), bad);
}

BOOST_AUTO_TEST_CASE(a_size_keeps_its_unit) {
  BOOST_TEST(again("2gb") == "2gb");
  BOOST_TEST(again("2048mb") == "2048mb");
  BOOST_TEST(again("1") == "1b");
  BOOST_TEST(again("1g") == "1gb");
  BOOST_TEST(again("1GB") == "1gb");
  BOOST_TEST(again("3kw") == "3kw");
  BOOST_TEST(again("7W") == "7w");
  BOOST_TEST(again("2tb") == "2tb");
  BOOST_TEST(again("1pw") == "1pw");
  for (const char* bad : {"", "abc", "-1gb", "1.5gb", "1xb", "1gbb", "gb", "1 gb", "16384pb", "18446744073709551616"})
    BOOST_TEST(again(bad) == "refused", bad);
}

BOOST_AUTO_TEST_CASE(sizes_add_in_the_smaller_unit) {
  BOOST_TEST(sum("1gb", "1gb") == "2gb");
  BOOST_TEST(sum("2gb", "512mb") == "2560mb");
  BOOST_TEST(sum("100mb", "1048577kb") == "1150977kb");
  BOOST_TEST(sum("1mb", "1gb") == "1025mb");
  BOOST_TEST(sum("1kw", "1kb") == "9kb");
  BOOST_TEST(sum("1w", "1kw") == "2kw");
  BOOST_TEST(sum("2kb", "1b") == "3kb");
  BOOST_TEST(sum("1b", "2kb") == "3kb");
  BOOST_TEST(sum("1w", "1b") == "9b");
}

BOOST_AUTO_TEST_CASE(a_sum_of_sizes_never_wraps) {
  const auto most = parse_size("16383pb").value();
  const auto two = add(most, most);
  BOOST_TEST(print_size(two) == "16383pb");
  BOOST_TEST(print_size(multiply(most, UINT64_MAX)) == "16383pb");
  BOOST_TEST(parse_size(print_size(multiply(parse_size("3kb").value(), UINT64_MAX))).has_value());
}

BOOST_AUTO_TEST_CASE(kilobytes_are_rounded_up) {
  BOOST_TEST(parse_size("1000b")->to_kb() == 1u);
  BOOST_TEST(parse_size("1025")->to_kb() == 2u);
  BOOST_TEST(parse_size("0")->to_kb() == 0u);
  BOOST_TEST(parse_size("2gb")->to_kb() == 2097152u);
  BOOST_TEST(parse_size("1w")->to_kb() == 8u);
  BOOST_TEST(parse_size("1025w")->to_kb() == 16u);
  BOOST_TEST(parse_size("1kw")->to_kb() == 8u);
  BOOST_TEST(print_size(in_kb(parse_size("1w").value())) == "1kb");
}

BOOST_AUTO_TEST_CASE(sizes_compare_by_amount) {
  BOOST_TEST((compare(parse_size("1gb").value(), parse_size("1024mb").value()) == 0));
  BOOST_TEST((compare(parse_size("1kb").value(), parse_size("1025").value()) < 0));
  BOOST_TEST((compare(parse_size("1w").value(), parse_size("7b").value()) > 0));
  BOOST_TEST(!(parse_size("1gb").value() == parse_size("1024mb").value()));
}

BOOST_AUTO_TEST_CASE(a_difference_of_sizes_stops_at_zero) {
  BOOST_TEST(print_size(subtract(parse_size("2gb").value(), parse_size("512mb").value())) == "1536mb");
  BOOST_TEST(print_size(subtract(parse_size("1kb").value(), parse_size("2kb").value())) == "0kb");
}

BOOST_AUTO_TEST_CASE(durations_are_printed_as_hours_minutes_seconds) {
  BOOST_TEST(duration("90") == "00:01:30");
  BOOST_TEST(duration("1:1:1") == "01:01:01");
  BOOST_TEST(duration("59:00") == "00:59:00");
  BOOST_TEST(duration("00:00:10.5") == "00:00:11");
  BOOST_TEST(duration("10.000") == "00:00:10");
  BOOST_TEST(duration("10.499") == "00:00:10");
  BOOST_TEST(duration("10.05") == "00:00:10");
  BOOST_TEST(duration("59.500") == "00:01:00");
  BOOST_TEST(duration("0.9") == "00:00:01");
  BOOST_TEST(duration("336:00:00") == "336:00:00");
  BOOST_TEST(duration("0:90:90") == "01:31:30");
  for (const char* bad : {"", "xx", "-5", "1:2:3:4", "1:", ":1", "1:-2", "1.x", "10 ", "99999999999999999999"})
    BOOST_TEST(duration(bad) == "refused", bad);
  BOOST_TEST(print_duration(-61) == "-00:01:01");
}

BOOST_AUTO_TEST_SUITE_END()
