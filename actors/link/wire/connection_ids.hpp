// Numbers of connections: unique in the process, never used again.
#pragma once

#include <atomic>
#include <cstdint>

namespace annals::wire {

inline std::uint64_t next_connection_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace annals::wire
