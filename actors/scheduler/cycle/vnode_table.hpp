// The vnodes and hosts that a scheduler sees, and what jobs and proposals have of them now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/index.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/place.hpp"

namespace annals::cycle {

// How a vnode wants to be used (pbs guide: sharing).
enum class sharing_mode : std::uint8_t {
  default_shared,
  default_excl,
  ignore_excl,
  force_excl,
  default_exclhost,
  force_exclhost,
};

struct text_values {
  resource_id resource;
  std::vector<std::string> values;
};
struct shared_pool {
  resource_id resource;
  index vnode;
};  // resources_available.R=@othervnode
struct job_on_vnode {
  std::uint64_t job;
  bool exclusive;
};

struct vnode {
  std::string name;
  index host = none;
  std::uint64_t order = 0;  // of creation at the server
  bool exists = false;      // false: a place left by a vnode that is gone
  bool free = false;        // the server says so
  bool up = false;          // only jobs and reservations may keep it from being free
  bool stale = false;
  sharing_mode sharing = sharing_mode::default_shared;
  bool no_multinode_jobs = false;
  bool provision_enable = false;
  std::string current_aoe;
  bool takes_reservations = true;  // resv_enable
  std::int64_t priority = 0;
  std::int64_t max_running = -1, max_user_run = -1, max_group_run = -1;  // -1: no limit
  index queue = none;                                                    // only jobs of this queue
  std::vector<amount> has, used;                                         // by resource id; shorter than the table: 0
  std::vector<text_values> texts;
  std::vector<shared_pool> borrowed;  // whose pool this vnode uses
  std::vector<shared_pool> lent;      // who uses a pool of this vnode
  std::vector<job_on_vnode> jobs;     // claims included
  std::uint32_t exclusive_jobs = 0;
  index one_host = none;  // see vnode_table::one_host

  amount available(resource_id r) const { return r < has.size() ? has[r] : 0; }
  amount in_use(resource_id r) const { return r < used.size() ? used[r] : 0; }
  const std::vector<std::string>* text(resource_id r) const;
};

struct host {
  std::string name;
  std::vector<index> vnodes;         // by creation
  std::vector<std::uint16_t> slots;  // how many chunks of running jobs have each slot number

  std::uint32_t lowest_free_slot(std::uint32_t from) const;
};

enum class hold_kind : std::uint8_t { shared,
                                      exclusive,
                                      whole_host };
// How a job with this place uses the vnode (pbs guide: effect of vnode sharing).
hold_kind hold_on(const vnode& v, values::sharing asked);
// Nobody else may use the vnode meanwhile.
bool holds_alone(const vnode& v, values::sharing asked);

class vnode_table {
 public:
  vnode_table(const resource_table& resources, queue_table& queues) : resources_(resources), queues_(queues) {}

  // A delta brings rows and names that are gone, then finish_rows() follows. apply() returns the place of the vnode, on which no claim of a
  // proposal counts yet (claim_book::take_again).
  index apply(schema::SchedVnode::Reader row);
  void remove(std::string_view name);
  void finish_rows();
  index host_at(std::string_view name);  // a new one has no vnodes

  const vnode& operator[](index at) const { return vnodes_[at]; }
  std::size_t size() const { return vnodes_.size(); }
  auto begin() const { return vnodes_.begin(); }
  auto end() const { return vnodes_.end(); }
  index find(std::string_view name) const;  // none: unknown
  const std::vector<host>& hosts() const { return hosts_; }
  // All that have the same resources_available.host, whatever MoM they have: what place=exclhost means.
  const std::vector<index>& one_host(const vnode& v) const { return one_hosts_[v.one_host]; }

  // In state free, and no claim has made it busy or exclusive.
  bool usable(const vnode& v) const;
  // The same for a job of a reservation that has the vnode: that it is kept for reservations keeps nobody of them away.
  bool usable_within(const vnode& v) const { return usable_in_state(v, v.up); }
  // While it supposes, vnodes count as usable that only jobs keep busy (claim_book::lift).
  void suppose(bool on) { supposing_ = on; }
  // What is left; of a borrowed pool: what its owner and all who share it leave.
  amount free_amount(const vnode& v, resource_id r) const {
    return v.borrowed.empty() && v.lent.empty() ? v.available(r) - v.in_use(r) : free_of_shared(v, r);
  }
  // Amounts taken on trial by a placement.
  void take(index vnode_at, resource_id r, amount value);
  void give_back(index vnode_at, resource_id r, amount value) { take(vnode_at, r, -value); }

  // A job comes to a vnode or leaves it; its chunks get slots of hosts (+1) or leave them (-1).
  void take_vnode(index vnode_at, std::uint64_t job, bool exclusive);
  void leave_vnode(index vnode_at, std::uint64_t job);
  void count_slots(const std::vector<std::pair<index, std::uint32_t>>& slots, int sign);

 private:
  void apply_attribute(vnode& v, schema::Attribute::Reader a);
  void link_borrowed_pools();
  void count_vnodes_of_queues();
  void find_one_hosts();
  bool usable_in_state(const vnode& v, bool in_state) const;
  amount free_of_shared(const vnode& v, resource_id r) const;

  const resource_table& resources_;
  queue_table& queues_;
  resource_id ncpus_ = resources_.find("ncpus");
  std::vector<vnode> vnodes_;
  std::vector<std::vector<std::pair<resource_id, std::string>>> borrowed_names_;  // by vnode: from whom
  std::vector<host> hosts_;
  std::vector<std::vector<index>> one_hosts_;
  bool one_hosts_changed_ = false;
  bool supposing_ = false;
  name_index vnode_ids_, host_ids_;
};

}  // namespace annals::cycle
