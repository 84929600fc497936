// What makers of checkpoints would have left beside the simulated server's log, of any of its records: a start is given one of them, as
// often as the world says (docs/design/0068-checkpoints.md).
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "actors/replica/checkpoint.hpp"
#include "events/log/log_reader.hpp"
#include "test/support/checkpoint_law.hpp"

namespace annals::sim {

inline constexpr const char* home_of_server = "/sim";

class kept_checkpoints {
 public:
  // Its own chance: a world's story does not depend on it.
  explicit kept_checkpoints(std::uint64_t seed) : random_(seed) {}
  // For a start of the server. Nothing: it has none, or none that is of this log, of which a crash may have taken the end.
  std::optional<actors::checkpoint> draw(const log::log_reader& log, double share);

 private:
  std::optional<actors::checkpoint> any(const log::log_reader& log);
  void make_one(const log::log_reader& log);

  std::vector<test::checkpoint_bytes> kept_;
  std::mt19937_64 random_;
};

}  // namespace annals::sim
