// What qstat, pbsnodes, qselect and qmgr list: every object's state, folded with the same apply() that the actors use.
//
// A job's row is its attribute set. Finished jobs stay until JobForgotten. The reasons of scheduling cycles
// (CycleReasons) are shown as the jobs' comments; they are no events of the jobs, and are kept beside their states. Governed by
// docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/reservation/open_windows.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/reservation/reserved_vnodes.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "events/schema/client.capnp.h"
#include "projections/fairshare/fairshare.hpp"
#include "projections/status/assigned_resources.hpp"
#include "projections/status/effort.hpp"
#include "projections/status/job_history.hpp"
#include "projections/status/job_walk.hpp"
#include "projections/status/queues_with_vnodes.hpp"
#include "projections/status/told_of_job.hpp"
#include "projections/status/waiting.hpp"

namespace annals::projections {

bool fits_history(const model::job_state& job, schema::History history);

class status {
 public:
  void fold(const log::record& record);
  // Rows of jobs that have ended: in memory, until it is told of a file. Whatever reads a job throws row_unreadable when its row can't be
  // read.
  row_file& history_rows() { return history_.rows(); }
  std::string keep_history_in(const std::string& directory) { return history_rows().use_directory(directory); }
  // All that was folded, for a checkpoint. history_rows() says what else belongs to it, and what follows a restore.
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: assigned_, with_vnodes_, because they follow from the jobs, the hosts and who holds what
    io(self.sequence_, self.wall_ns_, self.jobs_, self.told_, self.history_, self.serial_of_number_, self.serial_of_subjob_,
       self.displaced_, self.displaced_rank_, self.queues_, self.queue_names_, self.holdings_, self.schedulers_, self.scheduler_names_,
       self.hooks_, self.reservations_, self.reserved_, self.open_, self.server_, self.counts_, self.fairshare_, self.waiting_,
       self.keeps_history_);
  }
  void restored();  // jobs share their comments again, and what follows from the rest is made anew

  // For a fold of selected records (projections/status/at.cpp), which must be whole streams in the order of the log:
  // what a scheduler said of jobs, without its stream;
  void fold_reasons_only(const log::record& record);
  // The job waits for a place: what cycles say of it counts.
  static bool may_be_told(const model::job_state& job);
  // a record that is of no interest, but moves sequence and time on;
  void pass(const log::record& record);
  // and who holds what, where the records that led to it were left out.
  void put_uses(std::vector<std::pair<std::string, model::vnode_use>> uses);

  std::uint64_t sequence() const { return sequence_; }  // of the last record folded
  std::int64_t wall_ns() const { return wall_ns_; }

  // As its own events alone have made it (model::apply), unless it is one of the history: that shows what was told of it, too.
  job_ptr job(std::uint64_t serial) const;
  // Cycles told its comment and its estimate; its eligible time was counted.
  const told_of_job& told_of(const model::job_state& job) const;
  // All its attributes with that, or a single one (empty: it is not shown). What follows from other objects and from the time is not among
  // them: job_row (query.hpp) adds it.
  attributes::attribute_set shown(const model::job_state& job) const { return told_of(job).shown(job); }
  std::string shown(const model::job_state& job, attributes::attribute_id id, std::string_view resource = {}) const {
    return told_of(job).shown(job, id, resource);
  }
  // "12.b"; "12[].b" of an array; "12[3].b" of a subjob that has a stream of its own (projections/status/subjobs.hpp shows the others).
  job_ptr job_by_id(std::string_view id) const;
  // Jobs and arrays in the order in which they came into their queues: of their numbers, but for those that qmove and qorder
  // gave another place; those of the history come by their numbers alone. visit returns false to stop.
  using visit_job = std::function<bool(const model::job_state&)>;
  void each_job(const visit_job& visit, const jobs_wanted& wanted = {}) const;
  // A part of that: goes on while effort is left and visit returns true. False: that was the last one.
  bool go_on(job_walk& walk, const visit_job& visit, effort& left) const;

  // Arrays by the number in their ids; nothing: there is none.
  job_ptr array_by_number(std::uint64_t number) const;
  job_ptr array_of(const model::job_state& subjob) const { return array_by_number(values::array_of(subjob.number)); }
  // The stream of a subjob; nothing: it has none.
  job_ptr subjob(std::uint64_t array, std::uint32_t index) const;
  // All of them: jobs, arrays, then the subjobs that have a stream, by array and index. False from `visit`: no more of its kind.
  void each_stream(const visit_job& visit, const jobs_wanted& wanted = {}) const;
  // Of these, those that are not in the history: they may owe something (model::pending_effects).
  void each_in_memory(const visit_job& visit) const;
  const std::map<std::string, model::queue_state, std::less<>>& queues() const { return queues_; }
  const std::map<std::uint64_t, model::host_state>& hosts() const { return holdings_.hosts(); }
  const std::map<std::string, model::scheduler_state, std::less<>>& schedulers() const { return schedulers_; }
  const std::map<std::uint64_t, model::hook_state>& hooks() const { return hooks_; }  // by serial: in the order of creation
  // Those that have not ended, by serial: in the order of submission.
  const std::map<std::uint64_t, model::reservation_state>& reservations() const { return reservations_; }
  // The reservations that keep the vnode; null: none.
  const model::reserved_vnodes::serials* reservations_on(std::string_view vnode) const { return reserved_.of(vnode); }
  // The amounts of reservations whose window is open.
  const model::open_windows& open_windows() const { return open_; }
  // A reservation whose window is open has the vnode for itself. `but`: it is not asked about.
  bool is_reserved_alone(const model::vnode_state& vnode, std::uint64_t but = 0) const;
  // It has its place, and its queue is about to be made. Who waits for its confirmation is told when he can submit to it.
  bool awaits_its_queue(const model::reservation_state& r) const { return r.lives() && r.placed && !queues_.contains(r.id); }
  const model::server_state& server() const { return server_; }
  const model::holdings& holdings() const { return holdings_; }
  // What runs have, by queue, and which queues have vnodes of their own.
  const assigned_resources& assigned() const { return assigned_; }
  bool has_vnodes(std::string_view queue) const { return with_vnodes_.has(queue); }
  const model::host_state* host_of_vnode(std::string_view vnode) const { return holdings_.host_of(vnode); }
  std::string scheduler_name(std::uint64_t stream) const;  // empty: unknown
  // Why a job that waits does so, as a cycle said it last. Nothing: none has.
  const waiting_reasons::entry* why(std::uint64_t job) const { return waiting_.find(job); }
  const fairshare& shares() const { return fairshare_; }
  fairshare& shares() { return fairshare_; }
  // For a fold of the whole log that is asked only for usage: jobs leave memory when they end.
  void keep_no_history() { keeps_history_ = false; }
  std::size_t job_count() const { return serial_of_number_.size() + history_.count(); }  // without subjobs
  // One that has ended is on disk, and nothing happens to it.
  bool in_history(std::uint64_t job) const { return history_.contains(job); }
  // Whether anything of this stream is left: a forgotten job or a deleted queue has nothing.
  bool holds(schema::StreamKind kind, std::uint64_t stream) const;

  // How many jobs are in which state, of one queue or of all (""). An array is one of them, and each of its subjobs that has begun;
  // when these have ended they are no more of their queue.
  struct counts {
    std::uint64_t total = 0;  // history jobs too
    std::map<char, std::uint64_t> by_state;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.total, self.by_state);
    }
    std::string text() const;  // "Transit:0 Queued:0 Held:0 Waiting:0 Running:0 Exiting:0 Begun:0 "
  };
  const counts& jobs_of(std::string_view queue) const;

 private:
  void fold_job(const model::event_place& at, schema::JobEvent::Reader event);
  void fold_server(const model::event_place& at, schema::ServerEvent::Reader event);
  void fold_host(const model::event_place& at, schema::HostEvent::Reader event);
  void sum_up_assigned(const model::job_state& job, schema::JobEvent::Reader event);
  void sum_up_anew();
  void fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event);
  void note_reserved(const model::reservation_state& r, const std::string& before, const std::string& after, std::int64_t at_s);
  void fold_scheduler(const model::event_place& at, schema::SchedulerEvent::Reader event);
  void fold_reasons(const model::event_place& at, schema::CycleReasons::Reader reasons);
  template <class Change>
  void tell(std::uint64_t job, Change&& change);
  void switch_eligible_time(std::int64_t at_s);
  std::string_view scheduler_of(const model::job_state& job) const;
  void count(const model::job_state& job, int by);
  model::job_state& job_to_change(std::uint64_t serial);
  void put_into_history(std::uint64_t serial);
  void let_go(std::uint64_t serial);
  void enter(const model::job_state& job);
  void leave(const model::job_state& job);
  job_ptr job_by_number(std::uint64_t number) const;  // no subjobs
  void begin(job_walk& walk) const;
  bool visit_ended(const job_history::place& at, const visit_job& visit, const jobs_wanted& wanted) const;
  void each_begun_subjob(const visit_job& visit, const jobs_wanted& wanted) const;
  void displace(const model::job_state& job);

  std::uint64_t sequence_ = 0;
  std::int64_t wall_ns_ = 0;
  std::unordered_map<std::uint64_t, model::job_state> jobs_;  // by serial; those that are not in the history
  std::unordered_map<std::uint64_t, told_of_job> told_;       // by serial; of jobs_ those of which anything was
  job_history history_;
  std::map<std::uint64_t, std::uint64_t> serial_of_number_;  // of jobs_: of jobs and arrays
  using subjob_place = std::pair<std::uint64_t, std::uint32_t>;
  std::map<subjob_place, std::uint64_t> serial_of_subjob_;  // of jobs_: by the number of its array and its index
  // Of jobs that were moved or reordered: few, so that the others cost nothing more.
  std::map<std::pair<std::int64_t, std::uint64_t>, std::uint64_t> displaced_;  // rank, number -> serial
  std::unordered_map<std::uint64_t, std::int64_t> displaced_rank_;             // by number
  std::map<std::string, model::queue_state, std::less<>> queues_;
  std::unordered_map<std::uint64_t, std::string> queue_names_;  // by serial
  model::holdings holdings_;                                    // and the hosts
  assigned_resources assigned_;
  queues_with_vnodes with_vnodes_;
  std::map<std::string, model::scheduler_state, std::less<>> schedulers_;
  std::unordered_map<std::uint64_t, std::string> scheduler_names_;
  std::map<std::uint64_t, model::hook_state> hooks_;  // by serial
  std::map<std::uint64_t, model::reservation_state> reservations_;
  model::reserved_vnodes reserved_;
  model::open_windows open_;
  model::server_state server_;
  std::map<std::string, counts, std::less<>> counts_;  // by queue; "" is all
  fairshare fairshare_;
  waiting_reasons waiting_;
  bool keeps_history_ = true;
};

}  // namespace annals::projections
