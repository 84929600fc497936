// Requests of the server to a run that goes on, and its kill: signals, texts, suspend and resume, with the hooks that are asked. A request
// that is on disk as done is not done again by a MoM that comes after this one. docs/design/0009-mom.md.
#pragma once

#include <deque>
#include <string>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/runs/run_checkpoint.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/run_sisters.hpp"

namespace annals::actors {

class run_requests {
 public:
  run_requests(const run_context& run, job_hooks& hooks, const run_sisters& sisters, run_checkpoint& checkpoint)
      : run_(run), hooks_(hooks), sisters_(sisters), checkpoint_(checkpoint) {}

  void carry_out(const model::told_request& request);
  /// Unless execjob_preterm hooks refuse.
  void kill_if_allowed(const model::kill_program& request);
  /// `signal`: a name or a number. `why`: a text for the job's standard error; empty: none.
  void kill(const std::string& signal, const std::string& why) const;
  /// The host has sent the oldest signals and texts that it was asked for and has not confirmed yet.
  void on_acted();

 private:
  const model::run_state& state() const { return run_.state; }
  void note_signal(const model::told_request& request) const;
  void when_acted(model::run_command c);  // given when the host has sent the signals and texts that it was asked for before
  void suspend_run();
  void resume_run(std::uint64_t request);

  const run_context& run_;
  job_hooks& hooks_;
  const run_sisters& sisters_;
  run_checkpoint& checkpoint_;
  std::deque<model::run_command> acting_;  // to be given when the host has acted
};

}  // namespace annals::actors
