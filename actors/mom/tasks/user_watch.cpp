#include "actors/mom/tasks/user_watch.hpp"

#include <memory>

namespace annals::actors {

caf::behavior user_watch(caf::event_based_actor* self, daemon_log* notes) {
  const auto users = std::make_shared<annals::mom::restricted_users>();
  return {[=](const look_at_users& l) {
            if (users->look(l.rule)) self->send(l.mom, whose_jobs{caf::actor(self)});
          },
          [=](const users_with_jobs& u) {
            for (const auto& ended : users->end_all_but_of(u.users))
              notes->write(log_event::system, "Svr", "restrict_user",
                           "killed process " + std::to_string(ended.pid) + " of " + ended.user + ", who has no job here");
          }};
}

}  // namespace annals::actors
