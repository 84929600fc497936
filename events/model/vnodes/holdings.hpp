// Who holds what on which vnode: one fold over the events of hosts and jobs, which the ledger asks before an assignment is written,
// and pbsnodes and the scheduler's view are read from. A job holds what JobAssigned and VnodesTaken name, until VnodesReleased.
//
// Promises: what an event costs depends on the vnodes it names, not on how many there are; the sums of a vnode are those of the
// jobs it lists. Governed by docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/model/host/host.hpp"
#include "events/model/outcome.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/name_table.hpp"
#include "events/model/vnodes/sharing.hpp"

namespace annals::model {

// What a job holds on a vnode, an entry for each part of a chunk.
struct vnode_job {
  std::uint64_t job = 0;  // serial
  std::string id;
  std::vector<std::uint32_t> slots;  // of its cpus; none for a part without cpus
  amounts held;
  bool exclusive = false;
  bool operator==(const vnode_job&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.job, self.id, self.slots, self.held, self.exclusive);
  }
};

struct vnode_use {
  amounts assigned;                      // sums; once something was assigned it stays listed, as 0
  std::vector<vnode_job> jobs;           // in the order they came
  std::int64_t last_used_s = 0;          // when the last job left
  std::vector<std::string> maintenance;  // ids of jobs that an administrator suspended on it
  std::int64_t state_changed_s = 0;      // when a word of its state came or went that jobs or reservations cause
  bool operator==(const vnode_use&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.assigned, self.jobs, self.last_used_s, self.maintenance, self.state_changed_s);
  }
};

// The words of a vnode's state that jobs cause (pbs guide: node states).
struct state_by_jobs {
  bool exclusive = false;    // one job has it alone
  bool busy = false;         // else: all cpus are in use
  bool maintenance = false;  // an administrator has suspended jobs there
  bool operator==(const state_by_jobs&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.exclusive, self.busy, self.maintenance);
  }
};

class holdings {
 public:
  void apply(const event_place& at, schema::HostEvent::Reader event);
  void apply(schema::ServerEvent::Reader event);  // which resources are used up
  // `id`: how the job is named to users.
  void apply(const event_place& at, std::string_view id, schema::JobEvent::Reader event);

  // Whether a job may take this now: its vnodes are there and able, all of them are in the partition (0: in none), nobody shares what
  // is held exclusively, and there is enough of what is counted. `amounts_only`: the job has the vnodes already.
  struct wanted {
    std::string_view id, exec_vnode, place;
    bool amounts_only = false;
    std::uint32_t partition = 0;
  };
  std::optional<rejection> why_not(const wanted& w) const;

  const std::map<std::uint64_t, host_state>& hosts() const { return hosts_; }  // by stream serial
  const host_state* host_of(std::string_view vnode) const;
  const vnode_use* find(std::string_view vnode) const;  // nullptr for a name that never was a vnode
  state_by_jobs state_of(std::string_view vnode) const;
  // By a reservation, of which these events know nothing.
  void state_changed(std::string_view vnode, std::int64_t at_s);
  // A partition's number here; 0 for "", in which what has none is. One that no vnode ever had: no_vnode_has_it.
  std::uint32_t partition_number(std::string_view name) const;
  static constexpr std::uint32_t no_vnode_has_it = UINT32_MAX;
  std::string_view partition_of(std::string_view vnode) const;  // "": in none, or no vnode
  // What is there of a resource, for who asks for it; nothing: it is not counted there, or there is no such vnode.
  std::optional<double> available_of(std::string_view vnode, std::string_view resource) const;
  // Whether other vnodes share this resource of the vnode (resources_available.R = @vnode); "": any resource.
  bool is_pool(std::string_view vnode, std::string_view resource) const;
  bool has_partitions() const { return partitions_.size() > 1; }  // some vnode is, or was, in one
  struct place {
    const host_state* host;  // nullptr: there is no such vnode
    std::string_view partition;
  };
  place place_of(std::string_view vnode) const;
  // That of the first vnode that an exec_vnode names; of a run it is that of all of them.
  std::string_view partition_of_first(std::string_view exec_vnode) const;
  // Every vnode that was used, in the order in which they were first heard of: see(name, use).
  template <class See>
  void each_used(See&& see) const {
    for (const auto& v : vnodes_)
      if (!(v.use == vnode_use{})) see(v.name, v.use);
  }
  bool has_something(std::uint64_t job) const { return vnodes_of_job_.contains(job); }
  // Every job that holds something, by serial, in no order.
  template <class See>
  void each_job(See&& see) const {
    for (const auto& [job, where] : vnodes_of_job_) see(job);
  }
  bool operator==(const holdings& other) const { return hosts_ == other.hosts_ && vnodes_ == other.vnodes_; }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: numbers_, because they follow from the names of the vnodes
    io(self.hosts_, self.partitions_, self.vnodes_, self.sharing_, self.pools_, self.only_compared_, self.vnodes_of_job_);
  }
  void restored();  // events/values/stored_state.hpp

  // All uses as they were at another moment, in the place of these: slots and amounts follow from jobs that may be long forgotten.
  void restore(std::vector<std::pair<std::string, vnode_use>> uses);

 private:
  // A vnode, and of its host's state what every assignment asks for.
  struct vnode_entry {
    std::string name;
    std::uint64_t host = 0;  // serial; 0: there is no such vnode now
    bool able = false;       // no word of its state is against it
    sharing_kind sharing = sharing_kind::by_place;
    std::uint32_t exclusive_jobs = 0;  // entries of use.jobs
    std::uint32_t partition = 0;       // in partitions_
    std::uint64_t low_slots = 0;       // cpu slots below 64 that jobs have, a bit each
    amounts available;                 // resources_available that are counted
    state_by_jobs state;
    vnode_use use;
    bool operator==(const vnode_entry&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.name, self.host, self.able, self.sharing, self.exclusive_jobs, self.partition, self.low_slots, self.available, self.state,
         self.use);
    }
  };
  using number = name_table::number;  // of a vnode in vnodes_
  struct shared {
    std::string resource, pool;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.resource, self.pool);
    }
  };
  using sharers = std::map<std::string, std::size_t, std::less<>>;  // by resource: how many share it
  // A part of an exec_vnode.
  struct located {
    number at;
    std::uint32_t order;
    std::string_view resources;
  };
  struct taking {
    std::uint64_t job;
    std::int64_t at_s;
    std::string_view id;
    place_sharing place;
  };

  number known(std::string_view vnode);  // a new entry if there is none
  number number_of(std::string_view vnode) const;
  number number_of(name_table::key key, std::string_view vnode) const;
  const vnode_entry* entry(std::string_view vnode) const;
  // The parts in the order of their vnodes' numbers, in which they lie in memory; none for a text that is no exec_vnode. Those of
  // vnodes that never were are left out; `unknown` gets the first of them.
  std::vector<located> locate(std::string_view exec_vnode, std::string_view* unknown = nullptr) const;
  void expect(const std::vector<located>& parts, std::size_t next) const;  // that these entries are read soon
  void refresh(const event_place& at, const vnode_state& vnode);           // by an event of its host
  void forget(std::string_view vnode);                                     // that is deleted
  void share_nothing(std::string_view vnode);
  std::uint32_t known_partition(std::string_view name);  // a new one if there is none
  std::optional<rejection> unusable(const vnode_entry& v, const wanted& w, bool exclusive) const;
  std::optional<rejection> not_provisionable(const vnode_entry& v, std::string_view aoe) const;
  // What is there of a resource, for a job that asks for it; nothing: it is not counted.
  std::optional<double> available(const vnode_entry& v, std::string_view resource) const;
  std::optional<rejection> too_little(const vnode_entry& v, const amounts& asked) const;

  void take(const event_place& at, std::string_view id, std::string_view exec_vnode, std::string_view place);
  void add(const taking& t, number at, const amounts& asked, bool alone);
  static std::vector<std::uint32_t> free_slots(const vnode_entry& v, std::uint32_t wanted);
  static void count_slots(vnode_entry& v);
  void release(const event_place& at, std::string_view id, schema::VnodesReleased::Reader e);
  void give(std::uint64_t job, number at, const amounts& asked, std::optional<std::int64_t> left_s);
  // The job keeps the vnodes and gives up amounts of them (-1), or takes them again (+1).
  void change_amounts(const event_place& at, std::string_view exec_vnode, int sign);
  void begin_maintenance(const event_place& at, std::string_view id);
  void end_maintenance(const event_place& at, std::string_view id);  // of all that it holds
  static state_by_jobs state_now(const vnode_entry& v);
  static void look_at_state(vnode_entry& v, std::int64_t at_s);  // after whatever may have changed it

  std::map<std::uint64_t, host_state> hosts_;
  std::vector<std::string> partitions_{""};  // that vnodes ever had, by number; 0: none
  std::vector<vnode_entry> vnodes_;
  std::map<std::string, std::vector<shared>, std::less<>> sharing_;              // by vnode: what it has of others
  std::map<std::string, sharers, std::less<>> pools_;                            // by vnode: what others have of it
  std::set<std::string, std::less<>> only_compared_;                             // resources of this site that no job uses up
  name_table numbers_;                                                           // of vnodes, by name
  std::unordered_map<std::uint64_t, std::unordered_set<number>> vnodes_of_job_;  // by serial
};

}  // namespace annals::model
