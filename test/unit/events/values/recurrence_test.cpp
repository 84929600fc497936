// When standing reservations begin: rules, ends, zones and what is refused, as a PBS does.
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <string>

#include "events/model/limits.hpp"
#include "events/values/recurrence.hpp"
#include "events/values/recurrence_rule.hpp"

using namespace annals::values;

namespace {

// Saturday 2026-11-21 00:43:48 UTC
constexpr std::int64_t first = 1795221828;

std::string utc(std::int64_t seconds) {
  const std::time_t t = seconds;
  std::tm out{};
  gmtime_r(&t, &out);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &out)};
}

std::string starts(const char* rule, const char* zone = "UTC", std::int64_t at = first, std::int64_t duration = 1) {
  const auto found = occurrence_starts(rule, zone, at, duration);
  if (!found) return found.error().text;
  std::string out;
  for (const auto s : *found) out += (out.empty() ? "" : ", ") + utc(s);
  return out;
}

std::size_t count(const char* rule, const char* zone = "UTC", std::int64_t at = first) {
  const auto found = occurrence_starts(rule, zone, at, 1);
  return found ? found->size() : 0;
}

std::uint32_t error(const char* rule, const char* zone = "UTC", std::int64_t duration = 60) {
  const auto found = occurrence_starts(rule, zone, first, duration);
  return found ? 0 : found.error().code;
}

std::string all(const std::string& part, int count) {
  std::string out = ";" + part + "=0";
  for (int i = 1; i < count; ++i) out += "," + std::to_string(i);
  return out;
}

std::int64_t own_ms() { return std::clock() * 1000 / CLOCKS_PER_SEC; }

}  // namespace

BOOST_AUTO_TEST_SUITE(recurrence)

BOOST_AUTO_TEST_CASE(each_frequency_counts) {
  BOOST_TEST(starts("FREQ=MINUTELY;COUNT=3") == "2026-11-21 00:43, 2026-11-21 00:44, 2026-11-21 00:45");
  BOOST_TEST(starts("FREQ=HOURLY;COUNT=3") == "2026-11-21 00:43, 2026-11-21 01:43, 2026-11-21 02:43");
  BOOST_TEST(starts("FREQ=DAILY;COUNT=2") == "2026-11-21 00:43, 2026-11-22 00:43");
  BOOST_TEST(starts("FREQ=WEEKLY;COUNT=2") == "2026-11-21 00:43, 2026-11-28 00:43");
  BOOST_TEST(starts("FREQ=MONTHLY;COUNT=2") == "2026-11-21 00:43, 2026-12-21 00:43");
  BOOST_TEST(starts("FREQ=YEARLY;COUNT=2") == "2026-11-21 00:43, 2027-11-21 00:43");
  BOOST_TEST(starts("FREQ=DAILY;INTERVAL=10;COUNT=2") == "2026-11-21 00:43, 2026-12-01 00:43");
  BOOST_TEST(starts("FREQ=DAILY;COUNT=1") == "2026-11-21 00:43");
}

BOOST_AUTO_TEST_CASE(the_first_is_one_that_the_rule_allows) {
  BOOST_TEST(starts("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3") == "2026-11-23 00:43, 2026-11-25 00:43, 2026-11-30 00:43");
  BOOST_TEST(starts("FREQ=DAILY;BYHOUR=9,10;COUNT=3") == "2026-11-21 09:43, 2026-11-21 10:43, 2026-11-22 09:43");
  BOOST_TEST(starts("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2") == "2026-11-27 00:43, 2026-12-25 00:43");
}

BOOST_AUTO_TEST_CASE(until_is_counted) {
  BOOST_TEST(count("FREQ=DAILY;UNTIL=20270101T000000Z") == 41u);
  BOOST_TEST(count("FREQ=DAILY;UNTIL=20261121T004348Z") == 1u);
  // In Berlin it is an hour later, and 23:43 of the 22nd is before UNTIL; without Z it is Berlin's time.
  BOOST_TEST(starts("FREQ=DAILY;UNTIL=20261122T004348Z", "Europe/Berlin") == "2026-11-21 00:43, 2026-11-22 00:43");
  BOOST_TEST(starts("FREQ=DAILY;UNTIL=20261122T004348", "Europe/Berlin") == "2026-11-21 00:43");
  BOOST_TEST(starts("FREQ=DAILY;UNTIL=20261122T014348", "Europe/Berlin") == "2026-11-21 00:43, 2026-11-22 00:43");
}

BOOST_AUTO_TEST_CASE(nine_o_clock_stays_nine_o_clock) {
  // A year from 2026-07-01 09:00 in Berlin: 07:00 UTC in summer, 08:00 in winter.
  constexpr std::int64_t july = 1782889200;
  const auto found = occurrence_starts("FREQ=DAILY;COUNT=365", "Europe/Berlin", july, 60);
  BOOST_REQUIRE(static_cast<bool>(found));
  BOOST_REQUIRE(found->size() == 365u);
  for (const auto s : *found) {
    const std::string day = utc(s);
    const bool summer = day < "2026-10-25" || day >= "2027-03-28";
    BOOST_TEST(day.substr(11) == (summer ? "07:00" : "08:00"), day);
  }
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=1,7;COUNT=3", "Europe/Berlin", july) == "2026-07-01 07:00, 2027-01-01 08:00, 2027-07-01 07:00");
}

BOOST_AUTO_TEST_CASE(so_it_does_far_ahead) {
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=1,7;UNTIL=20420801T000000Z;INTERVAL=15", "America/New_York", 1782914400) ==
             "2026-07-01 14:00, 2041-01-01 15:00, 2041-07-01 14:00");
}

BOOST_AUTO_TEST_CASE(hours_that_the_clocks_leave_out_or_repeat) {
  // 2027-03-14 02:30 is not in New York: it begins when the clocks would show it. 2026-11-01 01:30 is there twice: the first.
  constexpr std::int64_t march_12 = 1804836600, october_31 = 1793424600;
  BOOST_TEST(starts("FREQ=DAILY;COUNT=4", "America/New_York", march_12) ==
             "2027-03-12 07:30, 2027-03-13 07:30, 2027-03-14 07:30, 2027-03-15 06:30");
  BOOST_TEST(starts("FREQ=DAILY;COUNT=3", "America/New_York", october_31) == "2026-10-31 05:30, 2026-11-01 05:30, 2026-11-02 06:30");
  // As it is when the first one is in winter, and in Dublin, whose winter is the time that is saved. 2027-10-31 01:30 there.
  constexpr std::int64_t february_1 = 1801463400;
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=7;COUNT=1", "America/New_York", february_1) == "2027-11-07 05:30");
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=31;BYHOUR=1;COUNT=1", "Europe/Dublin", february_1) == "2027-10-31 00:30");
  // The second 01:30 of that night, when it was asked for.
  constexpr std::int64_t second_0130 = 1793514600;
  BOOST_TEST(starts("FREQ=DAILY;COUNT=2", "America/New_York", second_0130) == "2026-11-01 06:30, 2026-11-02 06:30");
}

BOOST_AUTO_TEST_CASE(what_is_no_rule_is_refused) {
  for (const char* bad : {"", "x", "COUNT=2", "FREQ=FOO;COUNT=2", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=-1", "FREQ=DAILY;UNTIL=x",
                          "FREQ=DAILY;COUNT=2;UNTIL=20300101T000000", "FREQ=DAILY;BYHOUR=25;COUNT=1", "FREQ=DAILY; COUNT=2",
                          "FREQ=DAILY;UNTIL=20200101T000000Z", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2",
                          "FREQ=YEARLY;BYMONTH=5L;COUNT=2", "RSCALE=CHINESE;FREQ=YEARLY;COUNT=2", "rscale=gregorian;FREQ=YEARLY;COUNT=2"})
    BOOST_TEST(error(bad) == pbs_error::rrule_syntax, bad);
  BOOST_TEST(starts("FREQ=DAILY") == "Undefined iCalendar syntax. A valid COUNT or UNTIL is required");
  BOOST_TEST(error("FREQ=DAILY") == pbs_error::rrule_needs_end);
  for (const char* bad : {"", "Nowhere/X", "../../../etc/passwd", "/etc/localtime"})
    BOOST_TEST(error("FREQ=DAILY;COUNT=2", bad) == pbs_error::bad_time_zone, bad);
}

BOOST_AUTO_TEST_CASE(an_occurrence_ends_before_the_next_begins) {
  BOOST_TEST(starts("FREQ=DAILY;COUNT=2", "UTC", first, 90000) == "DAILY recurrence duration cannot exceed 24 hours");
  BOOST_TEST(error("FREQ=DAILY;COUNT=2", "UTC", 86400) == 0u);
  BOOST_TEST(error("FREQ=MINUTELY;COUNT=2", "UTC", 61) == pbs_error::rrule_minutely);
  BOOST_TEST(error("FREQ=HOURLY;COUNT=2", "UTC", 3601) == pbs_error::rrule_hourly);
  BOOST_TEST(error("FREQ=WEEKLY;COUNT=2", "UTC", 7 * 86400 + 1) == pbs_error::rrule_weekly);
  BOOST_TEST(error("FREQ=DAILY;BYHOUR=9,10;COUNT=3", "UTC", 3600) == 0u);
  BOOST_TEST(error("FREQ=DAILY;BYHOUR=9,10;COUNT=3", "UTC", 3601) == pbs_error::rrule_daily);
  BOOST_TEST(error("FREQ=DAILY;BYHOUR=9,9;COUNT=2", "UTC", 3600) == 0u);
}

BOOST_AUTO_TEST_CASE(more_than_can_be_kept_is_refused_in_no_time) {
  BOOST_TEST(count("FREQ=DAILY;COUNT=4000") == annals::limits::occurrences_max);
  BOOST_TEST(starts("FREQ=DAILY;COUNT=4001") == "Undefined iCalendar syntax: more than 4000 occurrences, or too far ahead");
  BOOST_TEST(starts("FREQ=YEARLY;COUNT=1000") == "Undefined iCalendar syntax: more than 4000 occurrences, or too far ahead");
  BOOST_TEST(error("FREQ=YEARLY;UNTIL=30000101T000000Z") == pbs_error::rrule_syntax);
  for (const char* never : {"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2", "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30;COUNT=2",
                            "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;UNTIL=29990101T000000Z", "FREQ=DAILY;BYDAY=2MO;COUNT=2"})
    BOOST_TEST(error(never, "UTC", 1) == pbs_error::rrule_syntax, never);
}

// Searched for one after the other these took libical from seconds to hours. Each is looked for as far as it may be.
BOOST_AUTO_TEST_CASE(what_never_comes_is_refused_after_few_steps) {
  const std::string all_times = all("BYHOUR", 24) + all("BYMINUTE", 60) + all("BYSECOND", 60);
  const std::int64_t before = own_ms();
  for (const std::string frequency : {"SECONDLY", "MINUTELY", "HOURLY", "DAILY", "MONTHLY", "YEARLY"}) {
    const auto found = occurrence_starts("FREQ=" + frequency + ";COUNT=1;BYMONTH=2;BYMONTHDAY=30" + all_times, "Europe/Berlin", first, 1);
    BOOST_REQUIRE(!found);
    BOOST_TEST(found.error().code == pbs_error::rrule_syntax);
    BOOST_TEST(found.error().text.starts_with("Undefined iCalendar syntax: no occurrence in the next "), found.error().text);
  }
  BOOST_TEST(own_ms() - before < 3000);  // six of them take some 10 ms
  recurrence_rule rule;
  rule.often = recurrence_rule::frequency::yearly;
  rule.months = {2};
  rule.month_days = {30};
  constexpr std::int64_t century = 36'600LL * 86'400;
  const auto looked = expand(rule, first, first + century, 1);
  BOOST_TEST(looked.complete);
  BOOST_TEST(looked.times.empty());
  BOOST_TEST(looked.steps < 40'000u);
  BOOST_TEST(!expand(rule, first, first + 100 * century, 1).complete);
}

BOOST_AUTO_TEST_CASE(positions_of_a_year_of_seconds_are_counted_not_walked) {
  const std::string all_times = all("BYHOUR", 24) + all("BYMINUTE", 60) + all("BYSECOND", 60);
  BOOST_TEST(starts(("FREQ=YEARLY;COUNT=2;BYMONTH=1,2,3;BYMONTHDAY=1,2,3;BYSETPOS=-1" + all_times).c_str()) ==
             "2027-03-03 23:59, 2028-03-03 23:59");
}

BOOST_AUTO_TEST_CASE(parts_mean_what_the_rfc_says) {
  BOOST_TEST(starts("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2") == "2026-11-30 00:43, 2026-12-31 00:43");
  BOOST_TEST(starts("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2") == "2026-12-31 00:43, 2027-01-31 00:43");
  BOOST_TEST(starts("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;COUNT=2") == "2027-01-04 00:43, 2028-01-03 00:43");
  BOOST_TEST(starts("FREQ=YEARLY;BYDAY=-1SU;COUNT=2") == "2026-12-27 00:43, 2027-12-26 00:43");
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=3;BYDAY=2TU;COUNT=2") == "2027-03-09 00:43, 2028-03-14 00:43");
  BOOST_TEST(starts("FREQ=YEARLY;BYYEARDAY=-1;COUNT=2") == "2026-12-31 00:43, 2027-12-31 00:43");
  BOOST_TEST(starts("FREQ=DAILY;BYMONTHDAY=-1;COUNT=2") == "2026-11-30 00:43, 2026-12-31 00:43");
  BOOST_TEST(starts("FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;COUNT=3") == "2026-11-29 00:43, 2026-11-30 00:43, 2026-12-13 00:43");
  BOOST_TEST(starts("FREQ=MINUTELY;INTERVAL=20;BYHOUR=5;COUNT=4") ==
             "2026-11-21 05:03, 2026-11-21 05:23, 2026-11-21 05:43, 2026-11-22 05:03");
  BOOST_TEST(starts("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=2") == "2028-02-29 00:43, 2032-02-29 00:43");
  for (const char* bad : {"FREQ=WEEKLY;BYMONTHDAY=1;COUNT=1", "FREQ=MONTHLY;BYWEEKNO=1;COUNT=1", "FREQ=DAILY;BYYEARDAY=1;COUNT=1",
                          "FREQ=WEEKLY;BYDAY=2MO;COUNT=1", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=2MO;COUNT=1"})
    BOOST_TEST(error(bad) == pbs_error::rrule_syntax, bad);
}

BOOST_AUTO_TEST_CASE(a_start_that_no_calendar_has_is_refused) {
  for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX})
    BOOST_TEST(count("FREQ=DAILY;COUNT=2", "Europe/Berlin", at) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
