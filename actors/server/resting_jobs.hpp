// Commands to many jobs at once that rest: no actor of theirs is in memory, and none is made for this. They are decided over the
// states that the status has and go to the log in one batch. The gateway keeps whatever else comes to these jobs until they were
// told. Governed by docs/design/0054-dependencies.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/runtime/event_sourced_actor.hpp"
#include "actors/server/aggregates.hpp"

namespace annals::actors {

struct resting_job {
  std::uint64_t serial = 0, number = 0;
  envelope<model::job_command> command;
  std::shared_ptr<model::job_state> state{};  // put in by the status actor; null: there is no such job
};
// From the gateway to the status actor, which hands it on to `decider`, a resting_jobs.
struct tell_resting_jobs {
  std::vector<resting_job> jobs;  // each of them once
  caf::actor decider;
  std::uint64_t sequence = 0;  // of the states
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

struct resting_jobs_parts {
  event_sourced_actor_parts base;
  caf::actor gateway;
};
caf::behavior resting_jobs(caf::event_based_actor* self, resting_jobs_parts parts);

// To a job's actor that was made meanwhile: the log has more than it has read.
using read_on_atom = caf::atom_constant<caf::atom("readon")>;

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::tell_resting_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::resting_jobs_told)
