// Work that may block, for an actor that must not: helpers with threads of their own do it, each one piece at a time, in the
// order in which it was asked for. What comes of it is done in the actor again, as a message to it.
// Governed by docs/design/0034-the-gateway.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace annals::actors {

class helper_pool {
 public:
  // On a helper; what it returns runs in the actor. What the work throws is thrown in the actor.
  using work = std::function<std::function<void()>()>;

  // `waiting_max`: pieces that wait for a helper. `detached`: false in simulations, where helpers have no threads of their own.
  // Helpers end with the actor, which must take run_this and keep this pool as long as it lives. Their threads' name is "help." and `name`.
  helper_pool(caf::event_based_actor* self, std::string name, std::size_t helpers_max, std::size_t waiting_max, bool detached)
      : self_(self), name_(std::move(name)), helpers_max_(helpers_max), waiting_max_(waiting_max), detached_(detached) {}

  // False: as many wait as may, and this is not done.
  bool ask(work what);
  // Of who has a bound of his own for what he asks for at once.
  void ask_always(work what);

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t waiting_max() const { return waiting_max_; }
  std::size_t helpers() const { return helpers_; }  // there are so many by now

 private:
  void give(const caf::actor& helper, work what);
  void on_done(const caf::actor& helper);
  caf::actor new_helper();

  caf::event_based_actor* self_;
  const std::string name_;
  const std::size_t helpers_max_, waiting_max_;
  const bool detached_;
  std::size_t helpers_ = 0;
  std::vector<caf::actor> idle_;
  std::deque<work> waiting_;
};

}  // namespace annals::actors
