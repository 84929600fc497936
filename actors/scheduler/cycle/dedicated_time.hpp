// Dedicated time: what the file dedicated_time says (pbs guide: dedicated time). Only queues made for it have their jobs run then.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/prime.hpp"
#include "actors/scheduler/cycle/time_zone.hpp"

namespace annals::cycle {

class dedicated_time {
 public:
  struct period {
    moment from = 0, to = 0;
    bool operator==(const period&) const = default;
  };
  // Lines "MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM" in local time: a period's beginning and its end. Never fails: a line that means nothing
  // is a complaint. Periods that overlap or touch are one.
  static dedicated_time parse(std::string_view text, const time_zone& zone, std::vector<file_complaint>* complaints = nullptr);

  const period* at(moment now) const;                              // the one that now is in
  const period* next_after(moment now) const;                      // the next one to begin
  const std::vector<period>& periods() const { return periods_; }  // rising
  bool operator==(const dedicated_time&) const = default;

 private:
  std::vector<period> periods_;
};

}  // namespace annals::cycle
