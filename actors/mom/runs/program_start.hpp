// The way of a run to its program: hooks of this host, the script, the hosts that are there, then the shepherd. What hooks do is written
// into the run's stream before it goes on, so that a restart does not run them again. docs/design/0023-hooks.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/runs/run_checkpoint.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/run_sisters.hpp"
#include "actors/mom/runs/start_hosts.hpp"
#include "actors/runtime/effect_runner.hpp"

namespace annals::actors {

class program_start {
 public:
  program_start(const run_context& run, job_hooks& hooks, run_sisters& sisters, start_hosts& hosts, const run_checkpoint& checkpoint)
      : run_(run), hooks_(hooks), sisters_(sisters), hosts_(hosts), checkpoint_(checkpoint) {}
  /// The run was found in the log: an earlier life may have started its program.
  void revive();

  /// Whether hooks of execjob_begin, or of execjob_prologue, have let the job pass; else they are asked, and the owner reconciles when they
  /// have, or is told that the start has failed.
  bool hooks_allow(hook_point point);
  begun fetch_script();
  void on_script(const script_text& s);
  begun start();

  /// The program was handed to nobody yet.
  bool is_yet_to_start() const { return state().phase == model::run_phase::starting && !may_have_started_ && !handed_over_; }
  /// A host that has joined no longer has the job, or is out of reach. Only while it is_yet_to_start.
  void lose(const std::string& host, const std::string& why) const { run_.command(model::sisters_absent{{host}, why}); }

 private:
  const model::run_state& state() const { return run_.state; }
  void take_word_of(hook_point_passed& p, std::vector<std::string> shown);  // shown: hosts that had failed, as the hooks were told
  bool has_its_hosts();                                                     // else it goes on when that is known, or is given up
  begun start_after_hooks();
  void hand_over(const ports::run_order& program);

  const run_context& run_;
  job_hooks& hooks_;
  run_sisters& sisters_;
  start_hosts& hosts_;
  const run_checkpoint& checkpoint_;
  bool may_have_started_ = false;  // an earlier life, the program
  bool handed_over_ = false;       // this life: the host has it
  bool launch_told_ = false;       // in the log
  std::optional<std::string> script_;
  std::optional<ports::run_order> launching_;  // as hooks left it, until their word is on disk
};

}  // namespace annals::actors
