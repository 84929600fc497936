// Answers queries from the status projection, at a position no older than the query's arrival; and, from the same
// projection, tells the schedulers what they need to know (scheduler_session); and decides for jobs at rest (resting_jobs).
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/runtime/commit_inbox.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/messages.hpp"
#include "actors/server/messages.hpp"
#include "projections/status/past.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// `now` is what replay has folded; the actor goes on from there with what lies in `inbox`, and so does the index of the past. Questions
// about the past go to `past` (past_actor), so that no live one waits for them.
struct status_parts {
  std::shared_ptr<projections::status> now;
  std::shared_ptr<projections::past_writer> index;
  caf::actor past;
  const ports::clock* clock;
  std::shared_ptr<commit_inbox> inbox = std::make_shared<commit_inbox>();
  daemon_log* notes = nullptr;  // the server's log; may be null
  std::function<void(const std::string&)> stop_process = [](const std::string&) {};
  // Called by the actor when it has fallen behind the log, and when it has caught up: its thread may share the processors otherwise then.
  std::function<void(bool behind)> hurry = [](bool) {};
};
caf::behavior status_actor(caf::event_based_actor* self, status_parts parts);

}  // namespace annals::actors
