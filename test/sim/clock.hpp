// The virtual clock of the simulated world.
#pragma once

#include <cstdint>

#include "events/ports/clock.hpp"

namespace annals::sim {

constexpr std::int64_t second = 1'000'000'000;  // ns

struct sim_clock final : ports::clock {
  std::int64_t now = 1'795'000'000'000'000'000;
  std::int64_t now_ns() const override { return now; }
};

// What a machine takes for the time: it may be set wrongly for a while.
struct machine_clock final : ports::clock {
  explicit machine_clock(const sim_clock& r) : real(r) {}
  const sim_clock& real;
  std::int64_t ahead_ns = 0;
  std::int64_t now_ns() const override { return real.now + ahead_ns; }
};

}  // namespace annals::sim
