// The way to the tasks of a part: execjob_begin hooks before the host joins, execjob_prologue when all have joined or before the first
// task, execjob_launch before each task (execjob_attach where there is no program to start), then its shepherd. docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/parts/part_context.hpp"
#include "actors/runtime/effect_runner.hpp"

namespace annals::actors {

class part_start {
 public:
  part_start(const part_context& part, job_hooks& hooks) : part_(part), hooks_(hooks) {}

  /// Whether hooks of execjob_begin, or of execjob_prologue, have let the job pass; else they are asked, and the owner reconciles when they
  /// have. If they refuse, the host can't join, or the tasks that wait for them have failed.
  bool hooks_allow(hook_point point);
  begun start(std::uint32_t task);

  /// The primary asks for the word of execjob_prologue hooks, in this life.
  void want_prologue() { prologue_asked_ = true; }
  bool is_prologue_wanted() const { return prologue_asked_; }
  begun say_prologue_over();

 private:
  const model::part_state& state() const { return part_.state; }
  void refused(hook_point point, const hook_point_passed& p);
  bool is_attached(const ports::attached_session& session, std::uint32_t but) const;
  void start_after_hooks(std::uint32_t task, ports::run_order order);

  const part_context& part_;
  job_hooks& hooks_;
  bool prologue_asked_ = false;
  struct refusal {
    std::int32_t code;
    std::string text;
  };
  std::optional<refusal> prologue_refusal_;  // in this life
};

}  // namespace annals::actors
