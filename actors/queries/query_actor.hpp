// The actor that owns a status which follows the log. It answers queries from it, at a position no older than the query's arrival; where
// the server leads, its sessions look at the same status on the same thread (actors/sessions/sessions.hpp).
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message_handler.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/queries/followed_status.hpp"
#include "actors/runtime/messages.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

// What a leader does beside answering.
class leading_part : public commit_watcher {
 public:
  // A request that is no question to a status. False: it is not known.
  virtual bool take(const query& q) = 0;
  // The messages that it takes, for the actor's behaviour.
  virtual caf::message_handler messages() = 0;
};
using make_leading_part = std::function<std::unique_ptr<leading_part>(caf::event_based_actor* self, followed_status& of)>;

// `now` is what replay has folded; the actor goes on from there with what lies in `inbox`, and so does the index of the past. Questions
// about the past go to `past` (past_actor), so that no live one waits for them.
struct query_parts {
  std::shared_ptr<projections::status> now;
  std::shared_ptr<projections::past_writer> index;
  caf::actor past;
  const ports::clock* clock;
  std::shared_ptr<commit_inbox> inbox = std::make_shared<commit_inbox>();
  std::function<void(const std::string&)> stop_process = [](const std::string&) {};
  // Called by the actor when it has fallen behind the log, and when it has caught up: its thread may share the processors otherwise then.
  std::function<void(bool behind)> hurry = [](bool) {};
  make_leading_part leading{};  // empty: nobody leads here
};
caf::behavior query_actor(caf::event_based_actor* self, query_parts parts);

}  // namespace annals::actors
