#include "actors/scheduler/cycle/order.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace annals::cycle {

std::vector<index> in_order(const view& v, const timed_settings& p) {
  using key = std::tuple<std::int64_t, std::uint64_t, std::int64_t, std::uint64_t, index>;  // queue, then rank, then serial
  const bool queue_counts = p.by_queue || p.round_robin;
  std::vector<key> keys;
  for (index i = 0; i < v.jobs().size(); ++i) {
    const job& j = v.jobs()[i];
    if (j.where != job_place::queued) continue;
    const queue& q = v.queues()[j.queue];
    keys.emplace_back(queue_counts ? -q.priority : 0, queue_counts ? q.order : 0, j.rank, j.serial, i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<index> order;
  order.reserve(keys.size());
  if (p.round_robin) {
    // Among queues of one priority: the first job of each, then the second of each, ...
    std::vector<std::tuple<std::int64_t, std::size_t, std::uint64_t, index>> turns;
    std::size_t turn = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto& [priority, queue_order, rank, serial, at] = keys[k];
      const bool same_queue = k > 0 && v.jobs()[std::get<4>(keys[k - 1])].queue == v.jobs()[at].queue;
      turn = same_queue ? turn + 1 : 0;
      turns.emplace_back(priority, turn, queue_order, at);
    }
    std::sort(turns.begin(), turns.end());
    for (const auto& t : turns) order.push_back(std::get<3>(t));
  } else {
    for (const auto& k : keys) order.push_back(std::get<4>(k));
  }
  return order;
}

}  // namespace annals::cycle
