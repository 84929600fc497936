// What hooks of one event let go of a run before its program starts (job.release_nodes(), RS-84 to RS-94): questions of scripts, and
// what comes of the replies of those that accept.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "hooks-runtime/chain/release.hpp"

namespace annals::actors {

// Hooks of an event run one after another, on any thread. A call is answered as if the calls before it in the same run counted; they
// count when the hook has accepted, worked out once more here: what the worker was told is not taken from it.
class release_plan {
 public:
  // note: a line of the daemon's log; called on any thread.
  release_plan(std::string event, hooks::hook_object job, model::release_from from,
               hooks::line_taker note);

  hooks::sealed_answer answer(const hooks::sealed_question& question);
  // A hook has accepted. The hooks after it see the job without what was let go.
  void accept(hooks::protocol::Reply::Reader reply, hooks::hook_parameters& parameters);
  // What the calls come to together.
  std::optional<model::allocation_change> change() const;
  // Each of them said what is to stay; else some named what goes.
  bool is_by_select() const;

 private:
  struct stage {
    hooks::hook_object job;
    model::release_from from;
  };
  bool release(hooks::protocol::ReleaseNodes::Reader asked, stage& at, std::optional<model::allocation_change>* to);
  void show(hooks::hook_parameters& parameters) const;

  const std::string event_;
  const hooks::line_taker note_;
  mutable std::mutex guard_;
  stage accepted_, asked_;  // by hooks that accepted; and by the one that runs
  std::optional<model::allocation_change> change_;
  bool by_select_ = true;
};

}  // namespace annals::actors
