// What -a takes, and how commands print a date. The time zone is set, so the tests hold everywhere.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <ctime>

#include "events/values/date_time.hpp"

using namespace annals::values;

namespace {

struct in_zone {
  explicit in_zone(const char* zone = "UTC") {
    setenv("TZ", zone, 1);
    tzset();
  }
};

// Saturday 2026-11-21 00:30:20 UTC
constexpr std::int64_t now = 1795221020;

std::string date(const char* text, std::int64_t at = now) {
  const auto seconds = parse_date_time(text, at);
  return seconds ? print_date(*seconds) : "refused";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(date_time, in_zone)

BOOST_AUTO_TEST_CASE(dates_print_as_commands_show_them) {
  BOOST_TEST(print_date(now) == "Sat Nov 21 00:30:20 2026");
  BOOST_TEST(print_comment_date(now) == "Sat Nov 21 at 00:30");
  BOOST_TEST(print_log_date(now) == "11/21/2026 00:30:20");
  BOOST_TEST(print_day(now) == "20261121");
  BOOST_TEST(print_date(0) == "Thu Jan  1 00:00:00 1970");
}

BOOST_AUTO_TEST_CASE(a_time_of_day_is_today_or_tomorrow) {
  BOOST_TEST(date("2359") == "Sat Nov 21 23:59:00 2026");
  BOOST_TEST(date("0030") == "Sun Nov 22 00:30:00 2026");
  BOOST_TEST(date("0030.21") == "Sat Nov 21 00:30:21 2026");
}

BOOST_AUTO_TEST_CASE(a_day_is_this_month_or_the_next_that_has_it) {
  BOOST_TEST(date("212359") == "Sat Nov 21 23:59:00 2026");
  BOOST_TEST(date("200000") == "Sun Dec 20 00:00:00 2026");
  BOOST_TEST(date("310000") == "Thu Dec 31 00:00:00 2026");
}

BOOST_AUTO_TEST_CASE(a_month_and_day_are_this_year_or_the_next_that_has_them) {
  BOOST_TEST(date("12312359") == "Thu Dec 31 23:59:00 2026");
  BOOST_TEST(date("01010000") == "Fri Jan  1 00:00:00 2027");
  BOOST_TEST(date("02290000") == "Tue Feb 29 00:00:00 2028");
}

BOOST_AUTO_TEST_CASE(a_date_with_a_year_may_be_past) {
  BOOST_TEST(date("2712312359.30") == "Fri Dec 31 23:59:30 2027");
  BOOST_TEST(date("202712312359.30") == "Fri Dec 31 23:59:30 2027");
  BOOST_TEST(date("202001010000") == "Wed Jan  1 00:00:00 2020");
}

BOOST_AUTO_TEST_CASE(what_is_no_date_is_refused) {
  for (const char* bad : {"", "99", "123", "9999", "2460", "202613012359", "202602300000", "abcd", "2359.60", "2359.5",
                          "2359.", "0000000000000", "000000", "-100"})
    BOOST_TEST(date(bad) == "refused", bad);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(dates_are_local_time) {
  in_zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  BOOST_TEST(print_date(now) == "Sat Nov 21 01:30:20 2026");
  BOOST_TEST(date("202607010000") == "Wed Jul  1 00:00:00 2026");
  BOOST_TEST(parse_date_time("202607010000", now).value() == 1782856800);
}
