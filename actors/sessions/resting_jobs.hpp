// Commands to many jobs at once that rest: no actor of theirs is in memory, and none is made for this. The query actor decides over the
// states that it has, which nobody copies, and hands the writer all of them in one batch. The gateway keeps whatever else comes to these
// jobs until they were told. Governed by docs/design/0054-dependencies.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "actors/runtime/event_sourced_actor.hpp"
#include "actors/server/aggregates.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

struct resting_job {
  std::uint64_t serial = 0, number = 0;
  envelope<model::job_command> command;
};
// From the gateway to the query actor.
struct tell_resting_jobs {
  std::vector<resting_job> jobs;  // each of them once
  caf::actor gateway, writer;     // the query actor keeps no writer, which keeps it: both would live for ever
};

// Back to the gateway.
struct resting_job_told {
  std::uint64_t number = 0;
  bool owes = false;                                   // its actor is needed now
  std::optional<envelope<model::job_command>> left{};  // the command, if the job's actor has to take it
};
struct resting_jobs_told {
  std::vector<resting_job_told> jobs;
};

// Part of the sessions, which has folded what was committed before it calls.
class resting_jobs {
 public:
  resting_jobs(caf::event_based_actor* self, const ports::clock* clock) : self_(self), clock_(clock) {}
  void tell(tell_resting_jobs& t, const projections::status& now);
  void on_results(append_results& r, const projections::status& now);

 private:
  caf::event_based_actor* self_;
  const ports::clock* clock_;
  std::uint64_t turn_ = 0;
  struct asked {
    std::vector<resting_job> jobs;
    caf::actor gateway;
  };
  std::map<std::uint64_t, asked> asked_;  // with the writer, by turn
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::tell_resting_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::resting_jobs_told)
