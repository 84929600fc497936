// The queues that a scheduler sees, and the pools of resources that they and the server have (pbs guide: resources_available of server and
// queues).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/index.hpp"
#include "actors/scheduler/cycle/request.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

// A pool of server or queue, or what is used of it.
struct named_amounts {
  std::vector<want> available;       // amounts and texts
  std::vector<amount> used;          // by resource id
  std::vector<resource_id> dynamic;  // whose amounts were told for this cycle (server_dyn_res): what it starts uses them up
  amount in_use(resource_id r) const { return r < used.size() ? used[r] : 0; }
  bool is_dynamic(resource_id r) const { return std::find(dynamic.begin(), dynamic.end(), r) != dynamic.end(); }
};

struct queue {
  std::string name;
  bool exists = false;
  bool execution = true;
  bool started = false;
  std::int64_t priority = 0;
  std::uint64_t order = 0;
  std::vector<std::string> group_keys;  // node_group_key
  named_amounts pool;
  std::uint32_t vnodes = 0;                    // that serve only this queue
  std::optional<std::int64_t> backfill_depth;  // none: the server's
  std::uint64_t reservation = 0;               // whose jobs it has; 0: an ordinary queue
};

class queue_table {
 public:
  explicit queue_table(const resource_table& resources) : resources_(resources) {}

  void apply_server(capnp::List<schema::Attribute>::Reader attributes);  // the server's pool
  void apply(schema::SchedQueue::Reader row);
  void remove(std::string_view name) { queues_[at(name)].exists = false; }
  index at(std::string_view name);  // a new one does not exist yet

  const queue& operator[](index at) const { return queues_[at]; }
  std::size_t size() const { return queues_.size(); }
  auto begin() const { return queues_.begin(); }
  auto end() const { return queues_.end(); }
  const named_amounts& server_pool() const { return server_; }

  // Before a cycle: the amounts of the server that its scripts told (server_dyn_res); those told before are gone.
  void set_dynamic(const std::vector<std::pair<resource_id, amount>>& amounts);
  // A job of the queue that asks for this begins to run or ends: +1 or -1.
  void count(const request& asked, index queue, int sign);
  // Counts anew the vnodes that serve one queue only: forget_vnodes() first, then count_vnode() for each of them.
  void forget_vnodes();
  void count_vnode(index queue) { ++queues_[queue].vnodes; }

 private:
  const resource_table& resources_;
  named_amounts server_;
  std::vector<queue> queues_;
  name_index queue_ids_;
};

}  // namespace annals::cycle
