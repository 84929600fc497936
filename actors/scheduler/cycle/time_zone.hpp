// The site's clock as a value: how far local time is ahead of UTC, and since when. A cycle reads no files and asks no system which
// time it is at the site; who runs it tells it once (tools/daemons/local_clock.hpp), and the log keeps it with the policy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"

namespace annals::cycle {

class time_zone {
 public:
  struct change {
    moment since = 0;
    std::int32_t offset = 0;  // seconds that local time is ahead of UTC
    bool operator==(const change&) const = default;
  };
  static constexpr std::size_t changes_max = 1000;       // of a text; two a year are usual
  static constexpr std::int32_t offset_max = 26 * 3600;  // further no clock of the earth is off
  static constexpr moment time_max = 1LL << 37;          // of a text, from 1970 in both directions: some 4000 years

  time_zone() = default;  // UTC
  // In order of time. The first one holds before it too, the last one for good.
  explicit time_zone(std::vector<change> changes) : changes_(std::move(changes)) {}
  // Lines "<since> <offset>", rising. Any other line is passed over: the text is ours.
  static time_zone parse(std::string_view text);
  std::string text() const;  // empty: UTC

  std::int32_t offset_at(moment when) const;
  moment local(moment when) const { return when + offset_at(when); }  // as if it were UTC
  // When the clock first shows this local time; one that is skipped because the clock is put forward: when it is.
  moment from_local(moment local_time) const;
  bool operator==(const time_zone&) const = default;

 private:
  std::vector<change> changes_;
};

constexpr std::int64_t day_seconds = 86400;
// Of a local time: the day counted from 1970-01-01, and its seconds.
constexpr std::int64_t day_of(moment local_time) {
  return local_time / day_seconds - (local_time % day_seconds < 0 ? 1 : 0);
}
int year_of(std::int64_t day);
int day_of_year(std::int64_t day);           // from 1
std::string print_local(moment local_time);  // "11/23/2026 00:00:00"

}  // namespace annals::cycle
