// Prime time: what the file holidays says (pbs guide: primetime and holidays).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/time_zone.hpp"

namespace annals::cycle {

struct file_complaint {
  int line = 0;
  std::string why;
};

// Whether it is prime time in the course of one day: at midnight, and from which seconds of the day on otherwise.
struct day_plan {
  bool at_midnight = true;
  std::vector<std::pair<std::int32_t, bool>> changes;  // rising
  bool operator==(const day_plan&) const = default;
};

class holidays {
 public:
  // Never fails: a line that means nothing is a complaint. A day that no line speaks of is prime time; days of `YEAR` that are
  // listed by their number in the year are not.
  static holidays parse(std::string_view text, std::vector<file_complaint>* complaints = nullptr);

  // The YEAR is over.
  bool out_of_date(moment now, const time_zone& zone) const;
  // `day` is counted from 1970-01-01, local.
  const day_plan& plan_of(std::int64_t day) const;
  bool always_prime() const;  // no day has another time
  bool operator==(const holidays&) const = default;

 private:
  std::optional<int> year_;
  std::array<day_plan, 7> weekdays_;  // from Sunday
  std::set<int> days_off_;            // by their number in the year, from 1
};

constexpr const char* holidays_out_of_date = "The holiday file is out of date; please update it.";  // log, class Fil, event 0004

struct prime_status {
  bool prime = true;
  std::optional<moment> ends;  // when it changes; none: it will never end
};
prime_status prime_at(const holidays& h, const time_zone& zone, moment now);

}  // namespace annals::cycle
