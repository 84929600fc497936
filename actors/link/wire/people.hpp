// Who a user id and a group id are, as the host's name service says. A directory server may take as long as it likes to answer,
// so threads of its own ask it, and no other thread waits: a connection waits for its own user's name alone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace annals::wire {

// The ids in digits where they have no names.
struct person {
  std::string user, group;
};
// May block. Nothing: nobody could be asked (the service is down, no descriptors, no memory); the next time may be luckier.
using look_up_person = std::function<std::optional<person>(uid_t, gid_t)>;
std::optional<person> person_by_name_service(uid_t uid, gid_t gid);
// Whether the name service has answered that there is no such id; any other errno of a look-up says that it has not answered.
bool has_no_name(int failed);

// Any thread may call. An answer is good for limits::name_memory_s; for some more time it is still used, while it is asked for
// again, and for longer while nobody can be asked. Bounds: limits::lookup_threads_max, limits::lookups_waiting_max.
class people {
 public:
  explicit people(look_up_person look_up);
  ~people();  // what waits is forgotten; a look-up that hangs keeps its thread

  // Calls `then` once: at once if they are known, else on a thread of the look-ups. False: too many wait, and it is not called.
  bool ask(uid_t uid, gid_t gid, std::function<void(const person&)> then);
  // Without asking anybody: the name, or the id in digits.
  std::string name_of(uid_t uid) const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace annals::wire
