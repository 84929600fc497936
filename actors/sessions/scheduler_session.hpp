// The server's side of one scheduler: what it is told and when a cycle begins. Lives in the query actor, whose
// projection it reads. A cycle begins when something changed in its partition that could let a job run, the scheduler is idle, and
// every proposal of the cycle before and every qrun is settled; with job_accumulation_time, so long after a job came; and each
// scheduler_iteration. When jobs of a cycle could not run, another follows at once that does not consider them: what they would have taken
// is for others. One that is slow or gone makes nobody wait but its own jobs (MS-89 to MS-92).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/server/messages.hpp"
#include "events/log/record.hpp"
#include "events/ports/clock.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "projections/scheduling/scheduling.hpp"
#include "projections/scheduling/withheld_jobs.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

class scheduler_session {
 public:
  struct outlets {
    const ports::clock& clock;
    // `reminded` with this number is wanted so much later; a number that no longer counts is nothing.
    std::function<void(std::chrono::seconds after, std::uint64_t number)> remind;
    std::function<void(const std::string& text)> complain;  // a line of the server's log
  };

  scheduler_session(const projections::status& from, std::string name, outlets out);

  void folded(const log::record& record);  // after the status projection folded it
  void all_folded();                       // at the end of a batch
  void connected(wire::connection_ptr peer);
  void disconnected(const wire::connection_ptr& peer);
  void said(schema::FromScheduler::Reader message);
  void settled(const proposal_settled& p);
  // qrun: the scheduler is to run this job now, or this subjob of an array, whatever else it does. Answered when the run is settled.
  void run_job(const model::job_state& job, std::optional<std::uint32_t> subjob, reply_ptr reply);
  void want_cycle(const std::string& trigger);
  void reminded(std::uint64_t number);
  // For something that lets a cycle begin. What qrun asked for and is not settled, the scheduler counts and the log does not tell.
  bool waits() const { return peer_ && !in_cycle_ && proposals_open_ == 0 && asked_.empty() && scheduling_on(); }

 private:
  bool scheduling_on() const;
  std::chrono::seconds iteration() const;
  std::chrono::seconds accumulation() const;
  void keep_iteration();
  void job_came();
  void note_new_job();
  projections::withheld_jobs::over give_what_is_due(std::int64_t now_ns);
  void remind_of_withheld();
  void look_after_withheld();
  void job_came_in_vain(schema::JobQueued::Reader job);
  void complain_of_partition(std::string_view partition);
  void note_own(schema::SchedulerEvent::Reader event, std::uint64_t stream);
  void maybe_begin();
  void answer_asked(std::uint64_t job, const model::rejection* why);

  const projections::status& from_;
  std::string name_;
  outlets out_;
  projections::scheduling_projection view_;
  projections::withheld_jobs withheld_{from_, view_};
  wire::connection_ptr peer_;
  std::uint64_t cycle_ = 0;
  bool in_cycle_ = false;
  std::uint64_t proposals_open_ = 0;
  std::multimap<std::uint64_t, reply_ptr> asked_;  // job (proposal_settled::job) -> who wants it run
  std::uint64_t asks_ = 0;
  std::string trigger_;              // why a cycle is wanted; empty: it is not
  std::set<std::uint64_t> refused_;  // jobs that the last cycle wanted to run, and could not: another follows without them
  std::uint64_t reminders_ = 0;
  std::uint64_t iteration_reminder_ = 0, accumulation_reminder_ = 0, withheld_reminder_ = 0;  // those that count; 0: none
  std::chrono::seconds iteration_set_{0};                                                     // how long the first of them was set for
  std::int64_t withheld_reminder_ns_ = 0;                                                     // for when the last of them was set
  bool settings_changed_ = false;
  bool own_changed_ = false;
  bool complained_ = false;  // that it can't be reached, since it was there last
};

}  // namespace annals::actors
