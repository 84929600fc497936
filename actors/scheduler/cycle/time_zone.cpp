#include "actors/scheduler/cycle/time_zone.hpp"

#include <chrono>
#include <cstdio>

#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

std::chrono::year_month_day date_of(std::int64_t day) { return std::chrono::sys_days(std::chrono::days(day)); }

}  // namespace

time_zone time_zone::parse(std::string_view text) {
  std::vector<change> changes;
  while (!text.empty() && changes.size() < changes_max) {
    const auto end = text.find('\n');
    const auto line = values::trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const auto since = values::parse_integer(line.substr(0, blank));
    const auto offset = values::parse_integer(values::trimmed(line.substr(blank)));
    if (!since || !offset || *offset < -offset_max || *offset > offset_max) continue;
    if (*since < -time_max || *since > time_max || (!changes.empty() && *since <= changes.back().since)) continue;
    changes.push_back({*since, static_cast<std::int32_t>(*offset)});
  }
  return time_zone(std::move(changes));
}

std::string time_zone::text() const {
  std::string out;
  if (changes_.size() == 1 && changes_[0].offset == 0) return out;
  for (const auto& c : changes_) out += std::to_string(c.since) + ' ' + std::to_string(c.offset) + '\n';
  return out;
}

std::int32_t time_zone::offset_at(moment when) const {
  std::int32_t offset = changes_.empty() ? 0 : changes_.front().offset;
  for (const auto& c : changes_) {
    if (c.since > when) break;
    offset = c.offset;
  }
  return offset;
}

moment time_zone::from_local(moment local_time) const {
  if (changes_.empty()) return local_time;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const moment when = local_time - changes_[i].offset;
    if (i > 0 && when < changes_[i].since) return changes_[i].since;  // the clock jumped over it
    if (i + 1 == changes_.size() || when < changes_[i + 1].since) return when;
  }
  return local_time;
}

int year_of(std::int64_t day) { return static_cast<int>(date_of(day).year()); }

int day_of_year(std::int64_t day) {
  const std::chrono::sys_days first = date_of(day).year() / std::chrono::January / 1;
  return static_cast<int>(day - first.time_since_epoch().count()) + 1;
}

std::string print_local(moment local_time) {
  const auto date = date_of(day_of(local_time));
  const auto seconds = static_cast<int>(local_time - day_of(local_time) * day_seconds);
  char out[64];
  std::snprintf(out, sizeof out, "%02u/%02u/%04d %02d:%02d:%02d", static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(date.year()), seconds / 3600, seconds / 60 % 60, seconds % 60);
  return out;
}

}  // namespace annals::cycle
