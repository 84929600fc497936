// Every reaction of the server, one line each: the function of this name makes it, in the file of this name.
#pragma once

#include <memory>
#include <vector>

#include "actors/server/reactions/reaction.hpp"

// clang-format off
#define ANNALS_REACTIONS(each) \
  each(abandoned_runs) \
  each(arrays) \
  each(degraded_reservations) \
  each(dependencies) \
  each(history_expiry) \
  each(hooks_on_hosts) \
  each(host_loads) \
  each(job_reservations) \
  each(lost_hosts) \
  each(looking_hooks) \
  each(mirrored_scheduling) \
  each(orderly_stop) \
  each(periodic_hooks) \
  each(provisioning) \
  each(reservation_queues) \
  each(routing) \
  each(running_schedulers) \
  each(scheduler_comments) \
  each(unanswered_reservations)
// clang-format on

namespace annals::reactions {

#define ANNALS_DECLARE_REACTION(name) std::unique_ptr<reaction> name();
ANNALS_REACTIONS(ANNALS_DECLARE_REACTION)
#undef ANNALS_DECLARE_REACTION

struct named_reaction {
  std::string_view name;
  std::unique_ptr<reaction> what;
};
std::vector<named_reaction> all_reactions();

}  // namespace annals::reactions
