// A reservation as a scheduler sees it: the places that are kept for it, and what the scheduler is asked for (pbs guide: reservations).
// Governed by docs/design/0050-reservations-in-the-cycle.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"

namespace annals::cycle {

// When an occurrence is to have its place; index from 1. The server gets its times back as they were; a cycle thinks in whole seconds,
// which have all of it.
struct reservation_window {
  std::uint32_t index = 1;
  std::int64_t start_ns = 0, end_ns = 0;

  static constexpr std::int64_t ns_per_second = 1'000'000'000;
  moment start() const { return start_ns / ns_per_second; }
  moment end() const { return (end_ns + ns_per_second - 1) / ns_per_second; }
};

struct reservation_place {
  reservation_window when;
  std::string exec_vnode;
};

// What the server is told of one that it asked about.
struct reservation_answer {
  std::uint64_t reservation = 0, ask = 0;
  std::vector<reservation_place> places;  // one for each window that was wanted; none: refused,
  std::string refused;                    // and why
  std::vector<std::string> conflicts;     // of maintenance: ids of reservations that lose vnodes to it
};

}  // namespace annals::cycle
