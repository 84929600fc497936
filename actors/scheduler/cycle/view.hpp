// What a scheduler sees: server, queues, vnodes and jobs, kept up to date by the deltas of the server
// (projections/scheduling) and parsed once when taken in.
//
// On top of what the server said lie the claims of the scheduler's own proposals: a proposed job holds its vnodes until
// the server says something about the job or refuses it. So neither the rest of a cycle nor the next one hands out the
// same cpu again. A subjob of an array is a job from its proposal on; the server gives it a serial of its own when it begins
// (docs/design/0057-job-arrays.md). Governed by docs/design/0005-scheduling.md. One thread uses a view.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle/entities.hpp"
#include "actors/scheduler/cycle/fairshare_settings.hpp"
#include "actors/scheduler/cycle/fairshare_standing.hpp"
#include "actors/scheduler/cycle/limits.hpp"
#include "actors/scheduler/cycle/preempt_settings.hpp"
#include "actors/scheduler/cycle/request.hpp"
#include "actors/scheduler/cycle/reservation.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "actors/scheduler/cycle/stable_list.hpp"
#include "actors/scheduler/cycle/subjobs.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/job_formula.hpp"
#include "events/values/walltime_range.hpp"

namespace annals::cycle {

using index = std::uint32_t;
constexpr index none = UINT32_MAX;

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
  index one_host = none;  // see view::one_host

  amount available(resource_id r) const { return r < has.size() ? has[r] : 0; }
  amount in_use(resource_id r) const { return r < used.size() ? used[r] : 0; }
  const std::vector<std::string>* text(resource_id r) const;
};

struct host {
  std::string name;
  std::vector<index> vnodes;         // by creation
  std::vector<std::uint16_t> slots;  // how many chunks of running jobs have each slot number
};

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

enum class job_place : std::uint8_t { gone,
                                      queued,
                                      proposed,
                                      running,
                                      suspended,
                                      preempted,
                                      other };

// Comments of jobs are only ever compared. 0: none.
std::uint64_t comment_hash(std::string_view text);

constexpr std::int64_t no_walltime = -1;  // the job may run for any time

// What a job holds: one that runs, or a proposal until the server speaks about the job; or will hold.
struct claim {
  struct amount_taken {
    index vnode;
    resource_id resource;
    amount value;
  };
  struct vnode_taken {
    index vnode;
    bool exclusive;
  };
  std::vector<amount_taken> amounts;
  std::vector<vnode_taken> vnodes;
  std::vector<std::pair<index, std::uint32_t>> slots;
};

// What a cycle looks at of each job comes first.
struct job {
  std::uint64_t serial = 0;
  std::string id;
  job_place where = job_place::gone;
  index queue = none;
  index request = none;
  job_owners owners;  // for limits
  std::int64_t rank = 0;
  std::int64_t walltime = no_walltime;                          // seconds
  std::int64_t soft_walltime = 0;                               // what it is taken to run for; 0: walltime
  values::walltime_range shrinks;                               // of a shrink-to-fit job that waits; {0, 0}: it is none
  std::int64_t granted = 0;                                     // of one that is proposed: the walltime it is to have
  std::int32_t priority = 0;                                    // qsub -p
  std::int64_t eligible_seconds = 0;                            // eligible_time, as far as it was counted,
  std::int64_t eligible_since_ns = 0;                           // and since when it grows; 0: it does not
  entity_index entity = 0;                                      // with fairshare: for whom it counts,
  double expected_usage = 0;                                    // and how much it will, by what it asks for
  std::uint64_t comment = 0;                                    // of a queued job: what it shows, or will show once the server heard us
  std::uint64_t behind = 0;                                     // as comment_hash: what it is said to wait behind; 0: nothing
  std::vector<std::pair<resource_id, std::int64_t>> durations;  // that it asks for, besides walltime; seconds
  std::string euser, egroup;
  asked_amounts beside_pools;                          // of what is limited and is in no pool: durations, nodect
  std::vector<std::pair<index, std::uint32_t>> slots;  // of a running job: host and slot per chunk
  bool resume = false;                                 // of a suspended job: it is to go on when there is room for exec_vnode
  std::string exec_vnode;                              // of one that has vnodes, or would have if it went on
  bool can_checkpoint = false;                         // of a running one: by its host
  std::string exec_host;                               // of a suspended one that is to go on
  std::vector<index> failed_hosts;                     // that could not start it, the latest last
  job_place before_proposal = job_place::queued;
  std::int64_t started = 0;  // of a running job; seconds since 1970
  bool topjob_ineligible = false;
  bool rerunable = false;
  bool preempted = false;  // a queued one that ran, and left for another
  bool lifted = false;     // see view::lift
  std::string preempt_targets;
  bool leaving = false;         // a running one is to end or to be queued again
  std::int64_t estimated = 0;   // estimated.start_time that it shows, or will show once the server heard us; 0: none
  std::string estimated_vnode;  // and estimated.exec_vnode
  bool shown_as_top = false;    // and topjob
  std::optional<claim> held;    // of a running job, once somebody asked (view::held_by)
  subjob_list subjobs;          // of an array: those that are to be run
  std::uint32_t may_begin = 0;  // of an array: so many of them, and those that are proposed count
  std::uint64_t array = 0;      // of a subjob that is proposed or asked for: its array's serial; 0: it is none
  bool is_array() const { return !subjobs.empty(); }
};

struct reservation {
  std::uint64_t serial = 0;
  std::string id;
  schema::ReservationKind kind = schema::ReservationKind::ADVANCE;
  job asked;                                // what it asks for, as if it were a job
  std::vector<std::string> hosts, avoid;    // of maintenance; vnodes that it can't have
  std::vector<reservation_place> places;    // in order of time; none: not confirmed
  std::uint32_t running = 0;                // index of the occurrence that runs; 0: none
  std::uint64_t ask = 0;                    // what the server wants to know, 0: nothing,
  std::vector<reservation_window> wanted;   // and for when
  std::vector<reservation_place> promised;  // all it has by an answer of which the server has not spoken yet
  bool told = false;                        // there was an answer since the server has spoken
  const std::vector<reservation_place>& booked() const { return promised.empty() ? places : promised; }
  // What is booked when these are the places of their occurrences; the others keep theirs.
  std::vector<reservation_place> booked_with(const std::vector<reservation_place>& answered) const;
};

class view {
 public:
  // False: a delta before this one is missing, or it limits what was not read of jobs so far, or brings the first formula that names
  // shares; the view is unchanged and needs a full one.
  bool apply(schema::SchedulingDelta::Reader delta);
  // Who counts for what in fairshare, of jobs taken in from here on. True: jobs taken in before were counted otherwise, and a full
  // view is needed.
  bool count_by(const fairshare_settings& settings);
  // The order of jobs looks at shares: by sched_config, or by a formula that names them.
  bool counts_shares() const { return sharing_.ever || formula_names_shares_; }
  // A cycle in which shares count begins: what the entities have used, in this tree.
  fairshare_standing& stand(const std::shared_ptr<const share_tree>& tree);
  share_index leaf_of(const job& j) const { return entities_.place_of(j.entity); }  // in that tree, or behind it
  std::uint64_t sequence() const { return sequence_; }
  bool complete() const { return seen_full_; }  // a full view was taken in

  const resource_table& resources() const { return resources_; }
  const std::vector<vnode>& vnodes() const { return vnodes_; }
  const std::vector<host>& hosts() const { return hosts_; }
  // All that have the same resources_available.host, whatever MoM they have: what place=exclhost means.
  const std::vector<index>& one_host(const vnode& v) const { return one_hosts_[v.one_host]; }
  const std::vector<queue>& queues() const { return queues_; }
  const stable_list<job>& jobs() const { return jobs_; }
  // The job will be looked at soon, in so many steps: what is read of it is fetched into the processor's cache meanwhile: by
  // shares jobs are considered in another order than they lie in memory.
  void expect(index job_at, int steps) const;
  const request& request_of(const job& j) const { return *requests_[j.request].parsed; }
  const job* find_job(std::uint64_t serial) const;
  index place_of_job(std::uint64_t serial) const;                                 // none: unknown
  index find_vnode(std::string_view name) const;                                  // none: unknown
  const std::vector<reservation>& reservations() const { return reservations_; }  // in the order submitted
  // Whose queue the job is in; nullptr: of no reservation.
  const reservation* reservation_of(const job& j) const { return queues_[j.queue].reservation == 0 ? nullptr : find_reservation(j); }
  const named_amounts& server_pool() const { return server_; }
  const std::vector<std::string>& server_group_keys() const { return server_group_keys_; }
  bool group_by_node() const { return node_group_enable_; }
  bool provisions() const { return provisions_; }
  bool do_not_span_sets() const { return do_not_span_psets_; }
  bool only_explicit_sets() const { return only_explicit_psets_; }
  std::uint32_t log_events() const { return log_events_; }
  std::int64_t backfill_depth() const { return backfill_depth_; }  // of the server
  const preempt_settings& preempting() const { return preempting_; }
  bool clears_estimates() const { return clears_estimates_; }  // clear_topjob_estimates_enable
  // job_sort_formula of the scheduler, or else of the server; nullptr: there is none.
  const values::job_formula* formula() const { return formula_ ? &*formula_ : nullptr; }
  std::optional<double> formula_threshold() const { return formula_threshold_; }
  bool counts_eligible_time() const { return eligible_time_enable_; }
  std::int64_t dynamic_alarm_seconds() const { return dynamic_alarm_seconds_; }  // server_dyn_res_alarm
  std::size_t request_slots() const { return requests_.size(); }                 // job.request is below this

  // In state free, and no claim has made it busy or exclusive.
  bool usable(const vnode& v) const;
  // The same for a job of a reservation that has the vnode: that it is kept for reservations keeps nobody of them away.
  bool usable_within(const vnode& v) const { return usable_in_state(v, v.up); }
  // What is left; of a borrowed pool: what its owner and all who share it leave.
  amount free_amount(const vnode& v, resource_id r) const {
    return v.borrowed.empty() && v.lent.empty() ? v.available(r) - v.in_use(r) : free_of_shared(v, r);
  }
  // Amounts taken on trial by a placement.
  void take(index vnode_at, resource_id r, amount value);
  void give_back(index vnode_at, resource_id r, amount value) { take(vnode_at, r, -value); }

  // The job is proposed: it holds what is in the claim. Its amounts are already taken.
  void claim_for(index job_at, claim c);
  // With this walltime, until the server speaks about it or refuses it.
  void grant(index job_at, std::int64_t seconds) { jobs_[job_at].granted = seconds; }
  // Of an array: its lowest subjob that is to be run and is not proposed; nothing: there is none.
  std::optional<std::uint32_t> next_subjob(index array_at);
  bool may_begin_another(const job& array) const;  // max_run_subjobs
  // That subjob as a job of its own, to be proposed: it is there until its array's row says that it has begun, or settle_subjobs.
  index make_subjob(index array_at);
  // A cycle begins: what was proposed before has begun by now, or never will.
  void settle_subjobs();
  // A job that is asked for by name (qrun), whatever its state: in the view until forget_asked or the server's word. An array's row names
  // the one subjob that is asked for.
  index take_asked(schema::SchedJob::Reader row);
  void forget_asked(index job_at);
  // What was promised is kept until the server speaks about the reservation. While it asks, each cycle answers.
  void answered(const reservation_answer& answer);
  // The server refused the proposal: the job is what it was before and holds nothing. Of an array: all that is proposed of it.
  void withdraw(std::uint64_t job);
  // Before a cycle: the amounts of the server that its scripts told (server_dyn_res); those told before are gone.
  void set_dynamic(const std::vector<std::pair<resource_id, amount>>& amounts);
  void set_reason(index job_at, std::uint64_t comment, std::uint64_t behind) {
    jobs_[job_at].comment = comment;
    jobs_[job_at].behind = behind;
  }
  void set_estimate(index job_at, std::int64_t start, std::string exec_vnode, bool top);  // start 0: it has none
  std::uint32_t lowest_free_slot(const host& h, std::uint32_t from) const;

  // What a running or proposed job holds.
  const claim& held_by(index job_at);
  // The amounts and vnodes that an exec_vnode names; vnodes that are not in the view are left out. `exclusive`: it has them for itself.
  claim claim_of(std::string_view exec_vnode, const request& r) const;

  // -- what if (calendar, preemption) ---------------------------------------------------------------------------------------
  // While it supposes, vnodes count as usable that only jobs keep busy, and jobs come and go. Whoever lifted one MUST put it back before it
  // ends.
  void suppose(bool on) { supposing_ = on; }
  void lift(index job_at);      // it has ended: its vnodes and its part of the pools are free
  void put_back(index job_at);  // it has not
  // The same of one that is suspended: it stays on its vnodes if the site says which resources are released
  // (restrict_res_to_release_on_suspend).
  void lift_suspended(index job_at) { lift(job_at, !released_on_suspend_.empty()); }
  void put_back_suspended(index job_at) { put_back(job_at, !released_on_suspend_.empty()); }
  // A lifted job is proposed to make room: it stays lifted until the server speaks about it, and its slots are free.
  void preempted(index job_at);

  // The first run limit of server or queue that the job would pass if it ran now. Nothing: none.
  std::optional<reached_limit> limit_reached_by(const job& j) const;
  std::uint64_t key_of(const reached_limit& r, const job& j) const { return limits_.key(r, j.owners, j.queue); }  // one refusal each
  refusal explain(const reached_limit& r, const job& j) const;
  // Whether the job's user, group or project, or all together, have more running than a soft limit of the server, or of the job's queue,
  // allows (pbs guide: preempt_prio, server_softlimits and queue_softlimits). Of a job that does not run: whether they would.
  soft_limits_passed over_soft_limits(const job& j) const;

 private:
  struct shared_request {
    std::string key;
    std::unique_ptr<const request> parsed;
    std::uint32_t users = 0;
  };

  void lift(index job_at, bool partly);
  void put_back(index job_at, bool partly);
  bool is_released_on_suspend(resource_id r) const;
  void forget_everything();
  void apply_server(capnp::List<schema::Attribute>::Reader attributes);
  void apply_scheduler(capnp::List<schema::Attribute>::Reader attributes);
  void set_dynamic_alarm(std::string_view value);
  void compile_formula();
  bool knows_entities_after(schema::SchedulingDelta::Reader delta) const;
  void apply_queue(schema::SchedQueue::Reader row);
  void apply_vnode(schema::SchedVnode::Reader row);
  void apply_vnode_attribute(vnode& v, schema::Attribute::Reader a);
  void link_borrowed_pools();
  void apply_job(schema::SchedJob::Reader row) { apply_job(row, row.getSerial()); }
  void apply_job(schema::SchedJob::Reader row, std::uint64_t serial);
  index free_place();
  void add_subjob(index at, std::uint64_t array, std::uint32_t subjob, std::string_view array_id);
  void drop_subjobs(std::uint64_t array, const subjob_list* but = nullptr);
  void apply_reservations(schema::SchedulingDelta::Reader delta);
  void apply_reservation(schema::SchedReservation::Reader row);
  void remove_reservation(std::uint64_t serial);
  const reservation* find_reservation(const job& j) const;
  bool usable_in_state(const vnode& v, bool in_state) const;
  void count_entity(job& j, schema::SchedJob::Reader row);
  void apply_usages(schema::SchedulingDelta::Reader delta);
  void remove_job(index at);
  void leave(job& j);  // undoes what the job's row did to sums, slots and claims
  void drop_claim(index job_at);
  amount asked_by(const job& j, resource_id r) const;
  bool reads_all_limited(schema::SchedulingDelta::Reader delta);
  void take_limits(std::uint32_t queue, capnp::List<schema::Attribute>::Reader attributes);
  void count_limits(const job& j, int sign);
  void own_limits(job& j, schema::SchedJob::Reader row);
  void count_pools(const job& j, int sign);
  void count_slots(const std::vector<std::pair<index, std::uint32_t>>& slots, int sign);
  void take_vnode(index vnode_at, std::uint64_t job, bool exclusive);
  void leave_vnode(index vnode_at, std::uint64_t job);
  amount free_of_shared(const vnode& v, resource_id r) const;
  void count_vnodes_of_queues();
  void find_one_hosts();
  index queue_at(std::string_view name);
  index host_at(std::string_view name);
  index request_at(const written_request& row);
  void release_request(index at);

  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  using name_index = std::unordered_map<std::string, index, text_hash, std::equal_to<>>;

  std::uint64_t sequence_ = 0;
  bool seen_full_ = false;
  resource_table resources_;
  resource_id ncpus_ = resources_.find("ncpus");
  named_amounts server_;
  std::vector<std::string> server_group_keys_;
  std::vector<std::string> released_on_suspend_;  // empty: all
  bool provisions_ = false;                       // the server has a hook for it
  bool node_group_enable_ = false, do_not_span_psets_ = false, only_explicit_psets_ = false;
  std::uint32_t log_events_ = 767;  // pbs guide: log masks
  std::int64_t backfill_depth_ = 1;
  bool clears_estimates_ = false;
  bool supposing_ = false;
  std::string server_formula_, scheduler_formula_;
  std::optional<values::job_formula> formula_;
  bool formula_names_shares_ = false;
  std::optional<double> formula_threshold_;
  bool eligible_time_enable_ = false;
  static constexpr std::int64_t dynamic_alarm_default = 30;  // pbs guide: server_dyn_res_alarm
  std::int64_t dynamic_alarm_seconds_ = dynamic_alarm_default;

  run_limit_book limits_;
  std::vector<std::string> limited_beside_pools_;  // resources
  preempt_settings preempting_;
  fairshare_settings sharing_;
  entity_table entities_;
  fairshare_standing standing_;

  std::vector<vnode> vnodes_;
  std::vector<std::vector<std::pair<resource_id, std::string>>> borrowed_names_;  // by vnode: from whom
  std::vector<host> hosts_;
  std::vector<std::vector<index>> one_hosts_;
  bool one_hosts_changed_ = false;
  std::vector<queue> queues_;
  stable_list<job> jobs_;
  std::vector<index> free_jobs_;
  std::vector<reservation> reservations_;
  std::vector<shared_request> requests_;
  std::vector<index> free_requests_;
  std::string key_buffer_;
  name_index vnode_ids_, host_ids_, queue_ids_, request_ids_;
  std::unordered_map<std::uint64_t, index> job_ids_;
  std::unordered_map<std::uint64_t, std::vector<index>> subjobs_;  // proposed or asked for, by their array's serial
  std::unordered_map<index, claim> claims_;                        // by job
};

}  // namespace annals::cycle
