// The clock of this host as a value, against the C library.
#include "tools/daemons/local_clock.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>

using namespace annals;

namespace {

struct in_zone {
  explicit in_zone(const char* rules) {
    setenv("TZ", rules, 1);
    tzset();
  }
  ~in_zone() {
    unsetenv("TZ");
    tzset();
  }
};

constexpr cycle::moment now = 1'795'359'430;  // 2026-11-22

}  // namespace

// Rules are written out, so that the test needs no zone files.
BOOST_AUTO_TEST_CASE(it_shows_what_the_c_library_shows) {
  for (const char* rules :
       {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "<-12>12"}) {
    const in_zone zone(rules);
    const auto clock = daemons::local_clock(now);
    const auto year = 365 * cycle::day_seconds;
    for (auto when = now - year; when < now + 10 * year; when += 1801) {
      const auto t = static_cast<std::time_t>(when);
      std::tm local{};
      localtime_r(&t, &local);
      BOOST_REQUIRE_EQUAL(clock.offset_at(when), local.tm_gmtoff);
    }
  }
}

BOOST_AUTO_TEST_CASE(utc_needs_no_word_and_a_year_has_one_text) {
  {
    const in_zone zone("UTC0");
    BOOST_TEST(daemons::local_clock(now).text().empty());
  }
  const in_zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  BOOST_TEST(daemons::local_clock(now).text() == daemons::local_clock(now + 3'000'000).text());
  BOOST_TEST((cycle::time_zone::parse(daemons::local_clock(now).text()) == daemons::local_clock(now)));
}
