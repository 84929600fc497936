// Prime time, dedicated time and the site's clock.
#include "actors/scheduler/cycle/prime.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <random>

#include "actors/scheduler/cycle/dedicated_time.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/time_rules.hpp"
#include "small_cluster.hpp"

using namespace annals::cycle;
using annals::cycle::test::some_day;

namespace {

// Central Europe: put forward on 2026-03-29 and 2027-03-28, back on 2026-10-25 and 2027-10-31, always at 01:00 UTC.
const time_zone europe({{1'735'689'600, 3600},
                        {1'774'746'000, 7200},
                        {1'792'890'000, 3600},
                        {1'806'195'600, 7200},
                        {1'824'944'400, 3600}});
const time_zone utc;
constexpr const char* working_hours = "YEAR 2026\nweekday 0600 1730\nsaturday none all\nsunday none all\n";

moment at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / month / day).time_since_epoch().count() * day_seconds + hour * 3600 + minute * 60;
}

std::string status(const std::string& file, moment now, const time_zone& zone = utc) {
  policy p;
  p.prime_days = holidays::parse(file);
  p.zone = zone;
  return time_rules(p, now).status_line();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clock_of_the_site)

BOOST_AUTO_TEST_CASE(offsets_hold_from_their_change_on) {
  BOOST_TEST(europe.offset_at(0) == 3600);
  BOOST_TEST(europe.offset_at(at(2026, 3, 29, 1) - 1) == 3600);
  BOOST_TEST(europe.offset_at(at(2026, 3, 29, 1)) == 7200);
  BOOST_TEST(europe.offset_at(at(2040, 7, 1)) == 3600);
  BOOST_TEST(utc.offset_at(some_day) == 0);
}

BOOST_AUTO_TEST_CASE(a_local_time_that_is_skipped_or_comes_twice_has_one_moment) {
  BOOST_TEST(europe.from_local(at(2026, 3, 29, 1, 59)) == at(2026, 3, 29, 0, 59));
  BOOST_TEST(europe.from_local(at(2026, 3, 29, 2, 30)) == at(2026, 3, 29, 1));  // the clock jumps from 2 to 3
  BOOST_TEST(europe.from_local(at(2026, 3, 29, 3)) == at(2026, 3, 29, 1));
  BOOST_TEST(europe.from_local(at(2026, 10, 25, 2, 30)) == at(2026, 10, 25, 0, 30));  // the first time
  BOOST_TEST(europe.from_local(at(2026, 10, 25, 3)) == at(2026, 10, 25, 2));
}

BOOST_AUTO_TEST_CASE(a_clock_is_a_text_and_comes_back) {
  BOOST_TEST((time_zone::parse(europe.text()) == europe));
  BOOST_TEST(utc.text().empty());
  BOOST_TEST((time_zone::parse("") == utc));
  BOOST_TEST((time_zone::parse("5 3600\nnonsense\n4 7200\n6 999999\n7 7200\n") == time_zone({{5, 3600}, {7, 7200}})));
}

BOOST_AUTO_TEST_CASE(dates_are_printed_as_logs_have_them) {
  BOOST_TEST(print_local(at(2026, 11, 23)) == "11/23/2026 00:00:00");
  BOOST_TEST(day_of_year(day_of(at(2028, 12, 31))) == 366);
  BOOST_TEST(day_of_year(day_of(at(2026, 1, 1))) == 1);
  BOOST_TEST(day_of(-1) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(prime_time)

BOOST_AUTO_TEST_CASE(without_lines_it_never_ends) {
  BOOST_TEST(status("", some_day) == "It is primetime.  It will never end");
  BOOST_TEST(status("# a comment\n* another\nYEAR 2026\n", some_day) == "It is primetime.  It will never end");
  BOOST_TEST(status("weekday none all\nsaturday none all\nsunday none all\n", some_day) == "It is non-primetime.  It will never end");
}

// The lines of real transcripts.
BOOST_AUTO_TEST_CASE(the_line_says_when_it_ends) {
  const char* weekend = "YEAR 2026\nweekday all none\nsaturday none all\nsunday none all\n";
  BOOST_TEST(status(weekend, at(2026, 11, 21, 0, 45) + 10) == "It is non-primetime.  It will end in 170090 seconds at 11/23/2026 00:00:00");
  BOOST_TEST(status("YEAR 2026\nsaturday 0000 0115\n", at(2026, 11, 21, 0, 45) + 12) ==
             "It is primetime.  It will end in 1788 seconds at 11/21/2026 01:15:00");
  BOOST_TEST(status(working_hours, at(2026, 11, 22, 14, 57) + 33) ==
             "It is non-primetime.  It will end in 54147 seconds at 11/23/2026 06:00:00");
}

BOOST_AUTO_TEST_CASE(a_night_may_be_prime) {
  const char* nights = "weekday 1800 0600\nsaturday 1800 0600\nsunday 1800 0600\n";
  BOOST_TEST(status(nights, at(2026, 11, 24, 5)) == "It is primetime.  It will end in 3600 seconds at 11/24/2026 06:00:00");
  BOOST_TEST(status(nights, at(2026, 11, 24, 6)) == "It is non-primetime.  It will end in 43200 seconds at 11/24/2026 18:00:00");
  BOOST_TEST(status(nights, at(2026, 11, 24, 23)) == "It is primetime.  It will end in 25200 seconds at 11/25/2026 06:00:00");
}

BOOST_AUTO_TEST_CASE(single_days_may_be_named) {
  BOOST_TEST(status("weekday all none\nfriday none all\n", at(2026, 11, 26)) ==
             "It is primetime.  It will end in 86400 seconds at 11/27/2026 00:00:00");
}

BOOST_AUTO_TEST_CASE(a_holiday_is_not_prime_in_its_year) {
  const std::string with_christmas = std::string(working_hours) + "359 Dec 25 Christmas Day\n";
  BOOST_TEST(status(with_christmas, at(2026, 12, 24, 18)) == "It is non-primetime.  It will end in 302400 seconds at 12/28/2026 06:00:00");
  BOOST_TEST(status(working_hours, at(2026, 12, 24, 18)) == "It is non-primetime.  It will end in 43200 seconds at 12/25/2026 06:00:00");
  // 2029: another year's list says nothing, the days of the week still do.
  BOOST_TEST(status(with_christmas, at(2029, 12, 25, 5)) == "It is non-primetime.  It will end in 3600 seconds at 12/25/2029 06:00:00");
  // Over the end of the year: the first of January of the next one is not listed.
  BOOST_TEST(status(std::string(working_hours) + "1 Jan 1 New Year\n", at(2026, 12, 31, 18)) ==
             "It is non-primetime.  It will end in 43200 seconds at 01/01/2027 06:00:00");
  BOOST_TEST(status("weekday 0600 1730\n1 Jan 1 New Year\n", at(2026, 12, 31, 18)) ==
             "It is non-primetime.  It will end in 108000 seconds at 01/02/2027 00:00:00");
}

BOOST_AUTO_TEST_CASE(a_year_that_is_over_is_out_of_date) {
  const auto h = holidays::parse(working_hours);
  BOOST_TEST(!h.out_of_date(at(2026, 12, 31, 23, 30), utc));
  BOOST_TEST(h.out_of_date(at(2026, 12, 31, 23, 30), europe));  // there it is 2027
  BOOST_TEST(h.out_of_date(at(2027, 1, 1), utc));
  BOOST_TEST(!holidays::parse("weekday 0600 1730\n").out_of_date(some_day, utc));
}

BOOST_AUTO_TEST_CASE(seconds_are_counted_through_a_change_of_the_clock) {
  const char* every_day = "weekday 0600 1730\nsaturday 0600 1730\nsunday 0600 1730\n";
  // Saturday 17:30 to Sunday 06:00 local: 11.5 hours in spring, 13.5 in autumn.
  BOOST_TEST(status(every_day, at(2026, 3, 28, 16, 30), europe) ==
             "It is non-primetime.  It will end in 41400 seconds at 03/29/2026 06:00:00");
  BOOST_TEST(status(every_day, at(2026, 10, 24, 15, 30), europe) ==
             "It is non-primetime.  It will end in 48600 seconds at 10/25/2026 06:00:00");
}

BOOST_AUTO_TEST_CASE(wrong_lines_are_named_and_change_nothing) {
  std::vector<file_complaint> wrong;
  const auto h = holidays::parse("YEAR soon\nweekday 0600\nsaturday 2500 0600\nsunday 0600 0600\n400 Dec 99 Never\nholiday 1\n", &wrong);
  BOOST_TEST((h == holidays()));
  BOOST_REQUIRE(wrong.size() == 6u);
  for (int i = 0; i < 6; ++i) BOOST_TEST(wrong[static_cast<std::size_t>(i)].line == i + 1);
}

// Whoever watches the clock minute by minute, and changes the kind of time when the clock first shows (or jumps over) the time of a change,
// sees the same; through both changes of the clock, holidays and the end of the year.
BOOST_AUTO_TEST_CASE(every_minute_is_what_a_watcher_of_the_clock_says) {
  std::mt19937 random(7);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 12; ++round) {
    std::string file = round % 2 ? "YEAR 2026\n" : "";
    for (const char* day : {"weekday", "monday", "saturday", "sunday"}) {
      const char* whole[] = {" all none\n", " none all\n"};
      char line[64];
      std::snprintf(line, sizeof line, " %02d%02d %02d%02d\n", pick(24), pick(60), pick(24), pick(60));
      file += day + std::string(pick(4) == 0 ? whole[pick(2)] : line);
    }
    for (int i = pick(4); i > 0; --i) file += std::to_string(1 + pick(365)) + " a holiday\n";
    const auto h = holidays::parse(file);
    const auto& zone = round % 3 ? europe : utc;
    const moment begin = at(2026, 3, 1), end = at(2027, 4, 15);
    std::vector<char> prime;
    auto shown = zone.local(begin) - 1;
    bool now = true;
    for (moment t = begin; t < end; t += 60) {
      for (const auto until = zone.local(t); shown < until;) {  // what the clock shows for the first time
        ++shown;
        const auto second = static_cast<std::int32_t>(shown - day_of(shown) * day_seconds);
        if (second % 60 != 0) continue;
        const auto& plan = h.plan_of(day_of(shown));
        if (second == 0) now = plan.at_midnight;
        for (const auto& [at_second, is] : plan.changes)
          if (at_second == second) now = is;
      }
      prime.push_back(now);
    }
    for (int i = 0; i < 200; ++i) {
      const auto minute = static_cast<std::size_t>(pick(static_cast<int>(prime.size()))) / 2 + 3 * 1440;
      const moment t = begin + static_cast<moment>(minute) * 60;
      const auto found = prime_at(h, zone, t);
      auto next = minute;
      while (next < prime.size() && prime[next] == prime[minute]) ++next;
      BOOST_REQUIRE_MESSAGE(found.prime == (prime[minute] != 0), file << " at " << t);
      if (next < prime.size())
        BOOST_REQUIRE_MESSAGE((found.ends && *found.ends == begin + static_cast<moment>(next) * 60), file << " at " << t);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dedicated)

BOOST_AUTO_TEST_CASE(periods_are_read_in_local_time) {
  const auto d = dedicated_time::parse("# maintenance\n03/29/2026 01:00 03/29/2026 04:00\n1/2/2027 8:00 1/2/2027 20:00\n", europe);
  BOOST_REQUIRE(d.periods().size() == 2u);
  BOOST_TEST((d.periods()[0] == dedicated_time::period{at(2026, 3, 29, 0), at(2026, 3, 29, 2)}));  // two hours, the clock jumps
  BOOST_TEST((d.periods()[1] == dedicated_time::period{at(2027, 1, 2, 7), at(2027, 1, 2, 19)}));
  BOOST_TEST((d.at(at(2026, 3, 29, 0) - 1) == nullptr));
  BOOST_TEST((d.at(at(2026, 3, 29, 0)) == &d.periods()[0]));
  BOOST_TEST((d.at(at(2026, 3, 29, 2)) == nullptr));
  BOOST_TEST((d.next_after(at(2026, 3, 29, 0)) == &d.periods()[1]));
  BOOST_TEST((d.next_after(at(2027, 1, 2, 7)) == nullptr));
}

BOOST_AUTO_TEST_CASE(periods_that_touch_are_one) {
  const auto d = dedicated_time::parse(
      "11/21/2026 10:00 11/21/2026 12:00\n11/21/2026 11:00 11/21/2026 11:30\n11/21/2026 12:00 11/21/2026 13:00\n", utc);
  BOOST_REQUIRE(d.periods().size() == 1u);
  BOOST_TEST(d.periods()[0].to == at(2026, 11, 21, 13));
}

BOOST_AUTO_TEST_CASE(wrong_lines_are_named) {
  std::vector<file_complaint> wrong;
  const auto d = dedicated_time::parse(
      "tomorrow\n02/30/2026 10:00 03/01/2026 10:00\n03/02/2026 10:00 03/01/2026 10:00\n03/01/2026 10:00\n03/01/2026 24:00 03/02/2026 "
      "10:00\n"
      "03/01/2026 10:00 03/02/2026 10:00 more\n",
      utc, &wrong);
  BOOST_TEST(d.periods().empty());
  BOOST_TEST(wrong.size() == 6u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(what_the_time_allows)

namespace {

struct answer {
  std::string text, log;
  bool operator==(const answer&) const = default;
};
std::ostream& operator<<(std::ostream& out, const answer& a) { return out << a.text << " / " << a.log; }
const answer yes, conflict{"Dedicated time conflict", "Dedicated Time"},
    crosses{"Job would cross dedicated time boundary", "Job would not finish before dedicated time"};

policy site(const std::string& config, const std::string& days = "", const std::string& dedicated = "") {
  return parse_policy(policy_text({config, "", days, dedicated})).value;
}
answer queue(const policy& p, moment now, const char* name) {
  refusal why;
  return time_rules(p, now).queue_may_run(name, why) ? yes : answer{why.text, why.log};
}
answer job_of(const policy& p, moment now, const char* queue, std::int64_t walltime) {
  job j;
  j.walltime = walltime;
  refusal why;
  return time_rules(p, now).may_begin(j, queue, why) ? yes : answer{why.text, why.log};
}

}  // namespace

BOOST_AUTO_TEST_CASE(queues_of_a_time_run_in_that_time) {
  const auto p = site("", working_hours);
  const moment night = at(2026, 11, 23, 5), day = at(2026, 11, 23, 7);
  BOOST_TEST(queue(p, night, "p_q") == (answer{"Job will run in primetime only", "Job only runs in primetime"}));
  BOOST_TEST(queue(p, night, "np_q") == yes);
  BOOST_TEST(queue(p, day, "p_q") == yes);
  BOOST_TEST(queue(p, day, "np_q") == (answer{"Job will run in nonprimetime only", "Job only runs in nonprimetime"}));
  BOOST_TEST(queue(p, day, "workq") == yes);
  BOOST_TEST(queue(p, night, "workq") == yes);
  const auto renamed = site("primetime_prefix: day\nnonprimetime_prefix: night\n", working_hours);
  BOOST_TEST(queue(renamed, night, "p_q") == yes);
  BOOST_TEST(queue(renamed, night, "dayq") != yes);
  BOOST_TEST(queue(renamed, day, "nightq") != yes);
}

BOOST_AUTO_TEST_CASE(dedicated_time_is_for_its_queues_only) {
  const auto p = site("", "", "11/21/2026 10:00 11/21/2026 12:00\n");
  const moment before = at(2026, 11, 21, 9, 40), within = at(2026, 11, 21, 10, 10);
  BOOST_TEST(queue(p, before, "ded1") == conflict);
  BOOST_TEST(queue(p, before, "workq") == yes);
  BOOST_TEST(queue(p, within, "ded1") == yes);
  BOOST_TEST(queue(p, within, "workq") == conflict);
  BOOST_TEST(queue(p, at(2026, 11, 21, 12), "workq") == yes);
  BOOST_TEST(job_of(p, before, "workq", 600) == yes);
  BOOST_TEST(job_of(p, before, "workq", 1200) == yes);
  BOOST_TEST(job_of(p, before, "workq", 1201) == crosses);
  BOOST_TEST(job_of(p, before, "workq", no_walltime) == crosses);
  BOOST_TEST(job_of(p, within, "ded1", 6600) == yes);
  BOOST_TEST(job_of(p, within, "ded1", 6601) == crosses);
  BOOST_TEST(job_of(p, at(2026, 11, 21, 13), "workq", no_walltime) == yes);
  const auto renamed = site("dedicated_prefix: maint\n", "", "11/21/2026 10:00 11/21/2026 12:00\n");
  BOOST_TEST(queue(renamed, within, "ded1") == conflict);
  BOOST_TEST(queue(renamed, within, "maintenance") == yes);
}

BOOST_AUTO_TEST_CASE(backfill_prime_keeps_jobs_from_crossing) {
  const answer into_non_prime{"Job will cross into non-primetime", "Job would cross into non-primetime"},
      into_prime{"Job will cross into primetime", "Job would cross into primetime"};
  const moment evening = at(2026, 11, 24, 17), morning = at(2026, 11, 24, 5, 30);
  const auto p = site("backfill_prime: True ALL\n", working_hours);
  BOOST_TEST(job_of(p, evening, "workq", 1800) == yes);
  BOOST_TEST(job_of(p, evening, "workq", 1801) == into_non_prime);
  BOOST_TEST(job_of(p, evening, "workq", no_walltime) == into_non_prime);
  BOOST_TEST(job_of(p, morning, "np_q", no_walltime) == into_prime);
  BOOST_TEST(job_of(site("", working_hours), evening, "workq", no_walltime) == yes);
  BOOST_TEST(job_of(site("backfill_prime: True ALL\n"), evening, "workq", no_walltime) == yes);  // it never ends
  const auto by_day = site("backfill_prime: True prime\nprime_spill: 1:00:00\n", working_hours);
  BOOST_TEST(job_of(by_day, morning, "workq", no_walltime) == yes);
  BOOST_TEST(job_of(by_day, evening, "workq", 5400) == yes);
  BOOST_TEST(job_of(by_day, evening, "workq", 5401) == into_non_prime);
  const auto exempt = site("backfill_prime: True ALL\nprime_exempt_anytime_queues: True\n", working_hours);
  BOOST_TEST(job_of(exempt, evening, "workq", no_walltime) == yes);
  BOOST_TEST(job_of(exempt, evening, "p_q", no_walltime) == into_non_prime);
}

BOOST_AUTO_TEST_CASE(the_time_of_the_day_decides_about_settings) {
  const auto p = site("by_queue: False non_prime\n", working_hours);
  BOOST_TEST(p.at(at(2026, 11, 24, 12)).by_queue);
  BOOST_TEST(!p.at(at(2026, 11, 24, 18)).by_queue);
}

BOOST_AUTO_TEST_SUITE_END()
