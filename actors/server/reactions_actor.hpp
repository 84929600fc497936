// Runs the reactions (actors/server/reactions): a follower of the log that gives their orders to the gateway, each again until
// the log says that it is done, and looks at the clock when one of them is owed at a time. It hears of a commit after the clients
// were told. Governed by docs/design/0032-reactions.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "actors/runtime/reply.hpp"
#include "actors/server/reactions/reaction_set.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

struct reactions_parts {
  std::shared_ptr<reactions::reaction_set> reactions;  // what replay has folded
  caf::actor gateway;                                  // takes give_orders
  const ports::clock* clock = nullptr;
};

// Takes committed, disk_state, and begin_work: from then on orders are given.
caf::behavior reactions_actor(caf::event_based_actor* self, reactions_parts parts);

// The reply is told when it was done or refused.
struct give_order {
  reactions::order_ptr what;
  std::string command_id;
  reply_ptr reply;
};
// To the gateway, which carries them out: all that are due at one time.
struct give_orders {
  std::vector<give_order> orders;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::give_orders)
