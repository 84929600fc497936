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

}  // namespace annals::sim
