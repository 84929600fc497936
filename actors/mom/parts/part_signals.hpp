// Signals for the tasks of a part, as the primary tells them, with the hooks that are asked first: execjob_preterm, _postsuspend,
// _preresume. docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <optional>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/parts/part_context.hpp"

namespace annals::actors {

class part_signals {
 public:
  part_signals(const part_context& part, job_hooks& hooks) : part_(part), hooks_(hooks) {}

  /// A request with an id is carried out once; one without an id may be repeated and is carried out each time.
  void on_all(schema::SignalPart::Reader request);
  /// The primary is told whether the task runs here.
  void on_one(schema::SignalTask::Reader request) const;
  /// As the primary has said last in this life.
  bool is_suspended() const { return suspended_ == true; }

 private:
  const model::part_state& state() const { return part_.state; }
  void signal_tasks(int signal) const;
  void kill_if_allowed(int signal);
  void suspend_or_resume(bool suspend);

  const part_context& part_;
  job_hooks& hooks_;
  std::optional<bool> suspended_;
  std::uint64_t signal_id_ = 0;  // the last request that was carried out
};

}  // namespace annals::actors
