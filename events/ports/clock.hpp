// The port to time. Whoever receives a command stamps it from here; the pure core never asks.
#pragma once

#include <cstdint>

namespace annals::ports {

class clock {
 public:
  virtual ~clock() = default;
  virtual std::int64_t now_ns() const = 0;  // nanoseconds since 1970, as the machine says; may go backwards
};

}  // namespace annals::ports
