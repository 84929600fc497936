// Whole numbers of 127 bits.
#include <boost/test/unit_test.hpp>

#include "tools/report/exact.hpp"
#include "tools/report/held.hpp"

using namespace annals::reporting;

BOOST_AUTO_TEST_SUITE(report_exact)

BOOST_AUTO_TEST_CASE(numbers_print_as_they_are) {
  BOOST_TEST(print(0) == "0");
  BOOST_TEST(print(-42) == "-42");
  BOOST_TEST(print(times(power_of_ten(30), 7)) == "7" + std::string(30, '0'));
  const exact lowest = plus(-(exact{1} << 126), -(exact{1} << 126));
  BOOST_TEST(print(lowest) == "-170141183460469231731687303715884105728");
  BOOST_TEST(print_decimal(1234, 2) == "12.34");
  BOOST_TEST(print_decimal(4, 2) == "0.04");
  BOOST_TEST(print_decimal(-4, 2) == "-0.04");
  BOOST_TEST(print_decimal(1200, 2, true) == "12");
  BOOST_TEST(print_decimal(1250, 2, true) == "12.5");
  BOOST_TEST(print_decimal(7, 0) == "7");
}

BOOST_AUTO_TEST_CASE(what_has_no_place_is_said) {
  BOOST_CHECK_THROW(times(power_of_ten(30), power_of_ten(30)), too_large);
  const exact most = plus((exact{1} << 126) - 1, exact{1} << 126);
  BOOST_CHECK_THROW(plus(most, 1), too_large);
}

BOOST_AUTO_TEST_CASE(half_of_one_is_rounded_away_from_0) {
  BOOST_TEST(print(rounded(5, 10)) == "1");
  BOOST_TEST(print(rounded(4, 10)) == "0");
  BOOST_TEST(print(rounded(-5, 10)) == "-1");
  BOOST_TEST(print(rounded(-4, 10)) == "0");
  BOOST_TEST(print(rounded(7, 3)) == "2");
  BOOST_TEST(print(rounded(8, 3)) == "3");
  const exact most = plus((exact{1} << 126) - 1, exact{1} << 126);
  BOOST_TEST(print(rounded(most, most)) == "1");
}

BOOST_AUTO_TEST_CASE(amounts_are_read_by_their_type) {
  BOOST_TEST(print(amount_of("long", "4")->value) == "40000");
  BOOST_TEST(print(amount_of("float", "0.1")->value) == "1000");
  BOOST_TEST(print(amount_of("float", "0.33335")->value) == "3334");
  BOOST_TEST(print(amount_of("size", "3mb")->value) == std::to_string(3 * 1024 * 1024));
  BOOST_TEST(print(amount_of("size", "1w")->value) == "8");
  BOOST_TEST((amount_of("size", "1b")->kind == amount_kind::size));
  using words = std::pair<const char*, const char*>;
  const words not_amounts[] = {{"long", "x"}, {"float", "1e300"}, {"size", "-1"}, {"duration", "00:01:00"}};
  const words others[] = {{"string", "4"}, {"boolean", "True"}};
  for (const auto& [type, text] : others) BOOST_TEST(!amount_of(type, text).has_value(), type << " " << text);
  for (const auto& [type, text] : not_amounts)
    BOOST_TEST(!amount_of(type, text).has_value(), type << " " << text);
  for (const char* name : {"gpus", "n-1", "a_b"}) BOOST_TEST(is_resource_name(name));
  for (const char* name : {"", "1gpu", "gpu's", "a b", "a;b", "\xc3\xa9"}) BOOST_TEST(!is_resource_name(name));
}

BOOST_AUTO_TEST_SUITE_END()
