// $restrict_user in an actor of its own: what it reads of /proc and asks of the name service may take its time. The MoM's actor says when
// to look, and is asked whose jobs are here once processes are held (actors/mom/host/user_restriction.hpp).
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <string>
#include <vector>

#include "actors/mom/host/user_restriction.hpp"
#include "actors/runtime/daemon_log.hpp"

namespace annals::actors {

struct look_at_users {
  annals::mom::user_restriction rule;
  caf::actor mom;
};
struct whose_jobs {
  caf::actor who;
};  // answered with users_with_jobs
struct users_with_jobs {
  std::vector<std::string> users;
};

caf::behavior user_watch(caf::event_based_actor* self, daemon_log* notes);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::look_at_users)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::whose_jobs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::users_with_jobs)
