// The hooks of this host for one job: for its run, or for another host's part of it. Where the job waits for hooks (hook_points.hpp) its
// actor asks here and goes on when it is answered; what hooks set of resources_used goes from here into the log. What hooks said that no
// event tells of counts for this life of the process. docs/design/0023-hooks.md.
#pragma once

#include <caf/event_based_actor.hpp>
#include <caf/message_handler.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/mom_messages.hpp"
#include "events/model/part/part.hpp"
#include "events/model/run/run.hpp"

namespace annals::actors {

/// The job as hooks of its first host see it. `order`: as it stands now.
hooked_job job_of(const model::run_state& run, const schema::sealed<schema::ToMom>& order);
/// The job as hooks of another host see it, or those of tasks beside its program (`on_primary`).
hooked_job job_of(const model::part_state& part, bool on_primary);

class job_hooks {
 public:
  /// The run or part that they are of, and what it does for them. References: to what outlives this.
  struct owner {
    caf::event_based_actor* self;  // its actor, which handles handlers()
    caf::actor mom;                // is asked with at_hook_point
    const mom_parts& parts;
    const std::string& job;           // "12.borg"
    const model::ran_hooks& ran;      // before the program, as the log has them
    const model::usage_set& used;     // what hooks of this host have set, as the log has it
    std::function<hooked_job()> now;  // the job as this host knows it
    // Writes into the log what hooks have set. closing: the last ones have. The reply may be null.
    std::function<void(std::vector<model::usage_change> changes, bool closing, reply_ptr reply)> write;
    std::function<void()> reconcile;  // looks at what is owed
    // Takes what is not kept with this part but with the run beside it; false: it is kept here. Empty: all is.
    std::function<bool(std::vector<model::usage_change>& changes)> hand_over = {};
  };
  explicit job_hooks(owner of) : of_(std::move(of)) {}
  caf::message_handler handlers();

  /// Whether some hook runs at this point now.
  bool wanted(hook_point point) const { return has_hooks(of_.parts.hooks.get(), point); }
  bool wanted_at_epilogue() const { return has_epilogue_hooks(of_.parts.hooks.get()); }
  bool wanted_by_the_clock() const { return has_periodic_hooks(of_.parts.hooks.get()); }

  /// The question of this point, with the job as it is now.
  at_hook_point at(hook_point point) const;
  using passed = std::function<void(hook_point_passed&)>;
  void ask(at_hook_point at, passed then);
  /// Without a hook at the point `then` hears at once that the job has passed.
  void ask_if_wanted(hook_point point, passed then);

  // A point that something waits behind: asked once, open for good when hooks let the job pass.
  bool is_open(hook_point point) const { return gates_[index(point)] == gate::open; }
  bool is_asked(hook_point point) const { return gates_[index(point)] == gate::asked; }
  bool ask_once(hook_point point) {  // false: it is asked already, or open
    if (gates_[index(point)] != gate::shut) return false;
    gates_[index(point)] = gate::asked;
    return true;
  }
  void open(hook_point point) { gates_[index(point)] = gate::open; }
  void shut(hook_point point) { gates_[index(point)] = gate::shut; }  // the next one asks again
  /// Opens the point, and lets what waits behind it go on.
  void pass(hook_point point);
  /// Whether execjob_begin or execjob_prologue hooks have let the job pass, in this life or an earlier one.
  bool has_passed(hook_point point) const;

  /// Whether the last hooks of the job are over and what they have set is on disk. If not, they are asked the first time, with what `fill`
  /// adds to the question, and the owner reconciles when it is so. kept: the log has their word already.
  bool closing_are_over(hook_point point, bool kept, const std::function<void(at_hook_point&)>& fill);
  /// Returns the changes of resources_used that can be kept; the log of the daemon has a line for each of the others.
  std::vector<model::usage_change> to_keep(std::vector<model::usage_change> set_by_hooks) const;
  /// Tells exechost_periodic hooks of the job and of what it uses here. Asked only if they are wanted_by_the_clock.
  void tell_periodic(const values::run_key& key, model::usage_set usage) const;

 private:
  enum class gate : std::uint8_t { shut,
                                   asked,
                                   open };
  static std::size_t index(hook_point point) { return static_cast<std::size_t>(point); }
  void on_passed(hook_point_passed& p);
  void keep(std::vector<model::usage_change> set_by_hooks);

  owner of_;
  std::array<gate, hook_point_count> gates_{};
  std::map<std::uint64_t, passed> waiting_;
  std::uint64_t last_ = 0;
};

}  // namespace annals::actors
