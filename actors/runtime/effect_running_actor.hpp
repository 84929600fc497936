// The event-sourced actor with an effect runner: after each commit, each start and whenever something is due, what the state
// owes is read off it and given to the runner. An actor says here what it owes and how each effect is begun.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "actors/runtime/effect_runner.hpp"
#include "actors/runtime/event_sourced_actor.hpp"

namespace annals::actors {

template <class Aggregate, class Effect>
class effect_running_actor : public event_sourced_actor<Aggregate> {
 public:
  using event_sourced_actor<Aggregate>::event_sourced_actor;

 protected:
  virtual std::vector<Effect> owed() = 0;
  virtual begun begin(const Effect& effect) = 0;
  virtual void withdraw(const Effect&) {}
  virtual effect_time when(const Effect&) const { return {}; }
  virtual caf::message_handler other_handlers() { return {}; }

  void on_change() override { reconcile(); }
  caf::message_handler more_handlers() final {
    return caf::message_handler{[this](due_atom, std::int64_t at_ns) {
             if (alarm_ns_ == at_ns) alarm_ns_.reset();
             reconcile();
           }}
        .or_else(other_handlers());
  }

  void reconcile() {
    const auto now = this->parts().clock->now_ns();
    effects_.reconcile(owed(), now);
    if (const auto due = effects_.due_ns()) look_again_at(*due);
  }
  // For an effect that waits for something of its own. One that rings too early only looks.
  void look_again_at(std::int64_t at_ns) {
    if (alarm_ns_ && *alarm_ns_ <= at_ns) return;
    alarm_ns_ = at_ns;
    const auto wait = std::clamp<std::int64_t>(at_ns - this->parts().clock->now_ns(), 0, longest_wait_ns);
    this->delayed_send(this, std::chrono::nanoseconds(wait), due_atom::value, at_ns);
  }
  effect_runner<Effect>& effects() { return effects_; }
  const effect_runner<Effect>& effects() const { return effects_; }

 private:
  using due_atom = caf::atom_constant<caf::atom("due")>;
  // Looked at every hour at least, for a clock that was set meanwhile.
  static constexpr std::int64_t longest_wait_ns = 3600'000'000'000;

  effect_runner<Effect> effects_{{[this](const Effect& e) { return begin(e); }, [this](const Effect& e) { withdraw(e); },
                                  [this](const Effect& e) { return when(e); }}};
  std::optional<std::int64_t> alarm_ns_;  // when the earliest alarm rings that was set
};

}  // namespace annals::actors
