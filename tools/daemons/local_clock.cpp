#include "tools/daemons/local_clock.hpp"

#include <chrono>
#include <ctime>
#include <utility>
#include <vector>

namespace annals::daemons {

namespace {

constexpr int years_before = 1, years_after = 11;
constexpr cycle::moment step = 7 * cycle::day_seconds;  // no clock is put forward and back again within a week

std::int32_t offset_at(cycle::moment when) {
  const auto t = static_cast<std::time_t>(when);
  std::tm local{};
  localtime_r(&t, &local);
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

// The first moment after `from` that has the offset of `to`.
cycle::moment change_between(cycle::moment from, cycle::moment to) {
  const auto before = offset_at(from);
  while (to - from > 1) {
    const auto middle = from + (to - from) / 2;
    (offset_at(middle) == before ? from : to) = middle;
  }
  return to;
}

cycle::moment first_day_of(int year) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / January / 1).time_since_epoch().count() * cycle::day_seconds;
}

}  // namespace

cycle::time_zone local_clock(cycle::moment now) {
  tzset();
  const int year = cycle::year_of(cycle::day_of(now));
  const auto begin = first_day_of(year - years_before), end = first_day_of(year + years_after);
  std::vector<cycle::time_zone::change> changes{{begin, offset_at(begin)}};
  for (auto at = begin; at < end; at += step) {
    if (offset_at(at + step) == changes.back().offset) continue;
    const auto when = change_between(at, at + step);
    changes.push_back({when, offset_at(when)});
  }
  return cycle::time_zone(std::move(changes));
}

}  // namespace annals::daemons
