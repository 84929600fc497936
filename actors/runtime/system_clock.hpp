// The machine's clock.
#pragma once

#include <ctime>

#include "events/ports/clock.hpp"

namespace annals::actors {

class system_clock final : public ports::clock {
 public:
  std::int64_t now_ns() const override {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
};

}  // namespace annals::actors
