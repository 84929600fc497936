// A run that is checkpointed by the site's script and ends, and one that goes on from its checkpoint. The script is a program with a run
// file of its own: a MoM that is killed meanwhile finds it, or how it ended. docs/design/0053-checkpoint.md.
#include <chrono>
#include <csignal>

#include "actors/mom/host/checkpoint_order.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "events/model/exit_codes.hpp"

namespace annals::actors {

// A run on several hosts, or with tasks beside its program, is more than one script sees.
bool run_actor::can_checkpoint() const {
  return parts_.settings->config.checkpoint_abort && state().order && state().sisters.empty() && state().tasks.empty();
}

void run_actor::begin_checkpoint(std::uint64_t request) {
  const values::checkpoint_key key{key_, request};
  if (!parts_.processes->has_order(key)) {  // else an earlier life has begun it
    std::string wrong = can_checkpoint() ? mom::unfit_script(parts_.settings->config.checkpoint_abort->script)
                                         : "$action checkpoint_abort can't be used for it";
    if (wrong.empty() && state().phase != model::run_phase::started) wrong = "it has ended";
    if (wrong.empty()) wrong = mom::make_checkpoint_place(mom::checkpoint_path(order(), *parts_.settings), state().session);
    if (!wrong.empty()) {
      parts_.note(log_event::error, state().job, "Checkpoint failed: " + wrong);
      return command(model::request_carried_out{request});
    }
  }
  parts_.note(log_event::job, state().job, "req_holdjob: Checkpoint initiated.");
  if (!parts_.settings->config.checkpoint_abort) return parts_.processes->adopt(key);
  parts_.processes->start(mom::checkpoint_order_for(order(), state().allocated, *parts_.settings, key, state().session));
  delayed_send(this, std::chrono::seconds(parts_.settings->config.checkpoint_abort->timeout_s), checkpoint_time_over{request});
}

caf::message_handler run_actor::checkpoint_handlers() {
  return {
      [this](const checkpoint_script_over& s) {
        if (!s.good) parts_.note(log_event::error, state().job, "Checkpoint failed: " + s.text);
        command(model::request_carried_out{s.request, s.good});
      },
      [this](const checkpoint_time_over& t) { parts_.processes->signal(values::checkpoint_key{key_, t.request}, SIGKILL); },
  };
}

// False: there is no way to.
bool run_actor::put_restart(ports::run_order& program) {
  if (!order().getRestart() || parts_.processes->has_order(key_)) return true;  // an earlier life has begun it
  const auto& restart = parts_.settings->config.restart;
  const auto wrong = restart ? mom::unfit_script(restart->script) : "there is no $action restart";
  if (wrong.empty()) return mom::put_restart(order(), *parts_.settings, program), true;
  command(model::program_failed{{model::exit_bad_restart, wrong}});
  return false;
}

// Run files of scripts stay as long as the run: they say how the scripts have ended. A run that has gone on from its checkpoint does not
// need that any more, unless it was checkpointed again.
void run_actor::drop_checkpoint() {
  for (const auto request : state().checkpoints) parts_.processes->forget(values::checkpoint_key{key_, request});
  const bool used = state().order && order().getRestart() && state().session != 0;
  if (used && !state().checkpointed) mom::remove_checkpoint(mom::checkpoint_path(order(), *parts_.settings));
}

}  // namespace annals::actors
