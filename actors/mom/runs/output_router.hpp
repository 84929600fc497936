// Output of the tasks of a run, on its way from their hosts to who asked for it or into the job's files.
// docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/tasks/task_messages.hpp"

namespace annals::actors {

class output_router {
 public:
  explicit output_router(const run_context& run) : run_(run) {}

  /// Output of this task goes to the origin, not to the job's files, until one of these: the task is over, who asked is gone, or all of
  /// a host that asked are.
  void give_to(const task_origin& origin, std::uint32_t task) { output_for_[task] = origin; }
  void over(std::uint32_t task) { output_for_.erase(task); }
  void forget(const task_origin& origin);
  void forget_askers_of(const std::string& host);

  /// A host tells a piece until it was taken: one that was is taken once more, and of one that was in part only the rest is new.
  void on_piece(output_piece piece, const std::string& host);
  /// Whoever had asked for it has it: its host is told so.
  void on_taken(const task_output_taken& t);
  /// The piece that was being appended to the job's files is there.
  void on_appended();

 private:
  using stream_name = std::pair<std::uint32_t, bool>;  // a task's number; its errors
  const model::run_state& state() const { return run_.state; }
  void append(output_piece piece);
  void append_next();
  void hand_on(const task_origin& to, output_piece piece);

  const run_context& run_;
  std::map<std::uint32_t, task_origin> output_for_;    // by task, while whoever asked for its output is there
  std::map<stream_name, std::uint64_t> output_taken_;  // of each stream, so far
  std::deque<output_piece> to_append_;                 // to the job's files; the first is being written
};

}  // namespace annals::actors
