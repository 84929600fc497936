// A simulated world with three schedulers: the default one, s1 with partition P1 and s2 with P2; queues and hosts of each. What an
// administrator does to have it so, what he changes of it meanwhile, and what must hold whatever he changes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "events/ports/event_store.hpp"
#include "test/sim/set_up.hpp"

namespace annals::sim {

inline const std::vector<std::string> partitioned_queues = {"workq", "q1", "q2"};

class partition_set_up : public set_up {
 public:
  // moms: host n<i> is in no partition, in P1 or in P2, by turns.
  partition_set_up(bool wanted, int moms);
  void restore();  // as it was at the beginning

  // Some change of the partition of a host, a queue or a scheduler.
  schema::sealed<schema::Request> drawn_change(std::uint64_t id, std::mt19937_64& random) const;

 private:
  std::size_t first_change_ = 0;
  int moms_;
};

// What a scheduler that proposes what is not its own has in its exec_host: nobody else does.
inline constexpr const char* greedy_slot = "/77";

// Empty, or the first run that is not where it must be: all its vnodes are in the partition of its queue, and the scheduler that has
// that partition proposed it; no partition is two schedulers'.
std::string check_partitions(const ports::event_store& store);

}  // namespace annals::sim
