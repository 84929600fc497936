// The lines that a cycle writes into the scheduler's log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "actors/scheduler/cycle/result.hpp"

namespace annals::cycle {

// Bits of the log (pbs guide: logs).
constexpr std::uint16_t event_admin = 0x4, event_job = 0x8, event_sched = 0x40, event_debug = 0x80, event_debug2 = 0x100,
                        event_resv = 0x200,
                        event_debug3 = 0x400;

class cycle_log {
 public:
  cycle_log(result& to, std::uint32_t events) : to_(to), events_(events) {}
  void line(std::uint16_t event, const char* log_class, std::string_view object, std::string_view text) {
    to_.log.push_back({event, log_class, object, text});
  }
  void of_job(std::uint16_t event, std::string_view job, std::string_view text) { line(event, "Job", job, text); }
  // Texts that are no part of a comment live as long as the result.
  std::string_view keep(std::string text) {
    to_.other_texts.push_back(std::move(text));
    return to_.other_texts.back();
  }
  // Whether anybody will see it: lines by the thousand are not made for nothing.
  bool shows(std::uint16_t event) const { return (events_ & event) != 0; }

 private:
  result& to_;
  std::uint32_t events_;
};

}  // namespace annals::cycle
