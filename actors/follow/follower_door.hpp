// The way in of a follower: questions of this host's users go to who answers from the copy of the log, everything else is refused. Who asks
// is the kernel's word, and what he may see follows from the log's settings, as for users of a login host: root here is a user named root
// there. `qstat -B` learns how far the follower is behind. Governed by docs/design/0069-the-feed.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/follow/follow_standing.hpp"
#include "events/model/settings_fold.hpp"

namespace annals::actors {

struct follower_door_parts {
  std::string host;               // as its certificate names it
  std::string server;             // who changes something
  model::settings_fold settings;  // of all that the copy has
  caf::actor queries;             // query_actor
  std::shared_ptr<const follow_standing> standing;
  std::function<void(const std::string& text)> stop_process = [](const std::string&) {};  // the actor has failed
};

// Takes peer_opened, peer_frame and peer_closed of the users' socket, and committed.
caf::behavior follower_door(caf::event_based_actor* self, follower_door_parts parts);

}  // namespace annals::actors
