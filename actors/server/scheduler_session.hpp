// The server's side of one scheduler: what it is told and when a cycle begins. Lives in the status actor, whose
// projection it reads. A cycle begins when something changed that could let a job run, the scheduler is idle, and every
// proposal of the cycle before is settled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "actors/server/messages.hpp"
#include "events/log/record.hpp"
#include "events/ports/clock.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

class scheduler_session {
 public:
  scheduler_session(const projections::status& from, std::string name, const ports::clock& clock);

  void folded(const log::record& record);  // after the status projection folded it
  void all_folded() { maybe_begin(); }     // at the end of a batch
  void connected(wire::connection_ptr peer);
  void disconnected(const wire::connection_ptr& peer);
  void said(schema::FromScheduler::Reader message);
  void settled(const proposal_settled& p);
  // qrun: the scheduler is to run this job now, whatever else it does. Answered when the run is settled.
  void run_job(const model::job_state& job, reply_ptr reply);
  void want_cycle(const std::string& trigger);  // the iteration timer
  // For something that lets a cycle begin.
  bool waits() const { return peer_ && !in_cycle_ && proposals_open_ == 0 && scheduling_on(); }

 private:
  bool scheduling_on() const;
  void maybe_begin();
  void answer_asked(std::uint64_t job, const model::rejection* why);

  const projections::status& from_;
  std::string name_;
  const ports::clock& clock_;
  projections::scheduling_projection view_;
  wire::connection_ptr peer_;
  std::uint64_t cycle_ = 0;
  bool in_cycle_ = false;
  std::uint64_t proposals_open_ = 0;
  std::multimap<std::uint64_t, reply_ptr> asked_;  // job -> who wants it run
  std::uint64_t asks_ = 0;
  std::string trigger_;  // why a cycle is wanted; empty: it is not
};

}  // namespace annals::actors
