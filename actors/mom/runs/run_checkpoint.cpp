#include "actors/mom/runs/run_checkpoint.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "actors/mom/host/checkpoint_order.hpp"
#include "events/model/exit_codes.hpp"

namespace annals::actors {

// A run on several hosts, or with tasks beside its program, is more than one script sees.
bool run_checkpoint::is_possible() const {
  return run_.parts.settings->config.checkpoint_abort && state().order && state().sisters.empty() && state().tasks.empty();
}

void run_checkpoint::begin(std::uint64_t request) {
  const values::checkpoint_key key{run_.key, request};
  if (!run_.parts.processes->has_order(key)) {  // else an earlier life has begun it
    std::string wrong = is_possible() ? mom::unfit_script(run_.parts.settings->config.checkpoint_abort->script)
                                      : "$action checkpoint_abort can't be used for it";
    if (wrong.empty() && state().phase != model::run_phase::started) wrong = "it has ended";
    if (wrong.empty()) wrong = mom::make_checkpoint_place(mom::checkpoint_path(run_.order(), *run_.parts.settings), state().session);
    if (!wrong.empty()) {
      run_.note(log_event::error, "Checkpoint failed: " + wrong);
      return run_.command(model::request_carried_out{request});
    }
  }
  run_.note(log_event::job, "req_holdjob: Checkpoint initiated.");
  if (!run_.parts.settings->config.checkpoint_abort) return run_.parts.processes->adopt(key);
  run_.parts.processes->start(mom::checkpoint_order_for(run_.order(), state().allocated, *run_.parts.settings, key, state().session));
  run_.self->delayed_send(run_.self, std::chrono::seconds(run_.parts.settings->config.checkpoint_abort->timeout_s),
                          checkpoint_time_over{request});
}

caf::message_handler run_checkpoint::handlers() {
  return {
      [this](const checkpoint_script_over& s) {
        if (!s.good) run_.note(log_event::error, "Checkpoint failed: " + s.text);
        run_.command(model::request_carried_out{s.request, s.good});
      },
      [this](const checkpoint_time_over& t) { run_.parts.processes->signal(values::checkpoint_key{run_.key, t.request}, SIGKILL); },
  };
}

// False: there is no way to.
bool run_checkpoint::put_restart(ports::run_order& program) const {
  if (!run_.order().getRestart() || run_.parts.processes->has_order(run_.key)) return true;  // an earlier life has begun it
  const auto& restart = run_.parts.settings->config.restart;
  const auto wrong = restart ? mom::unfit_script(restart->script) : "there is no $action restart";
  if (wrong.empty()) return mom::put_restart(run_.order(), *run_.parts.settings, program), true;
  run_.command(model::program_failed{{model::exit_bad_restart, wrong}});
  return false;
}

// Run files of scripts stay as long as the run: they say how the scripts have ended. A run that has gone on from its checkpoint does not
// need that any more, unless it was checkpointed again.
void run_checkpoint::drop() const {
  for (const auto request : state().checkpoints) run_.parts.processes->forget(values::checkpoint_key{run_.key, request});
  const bool used = state().order && run_.order().getRestart() && state().session != 0;
  if (!used || state().checkpointed) return;
  const auto gone = mom::take_checkpoint_away(mom::checkpoint_path(run_.order(), *run_.parts.settings), run_.key.run);
  if (gone.empty()) return;
  run_.self->send(run_.mom, file_work{nullptr, [gone]() -> std::function<void()> {
                                        std::error_code ignored;
                                        std::filesystem::remove_all(gone, ignored);
                                        return {};
                                      }});
}

}  // namespace annals::actors
