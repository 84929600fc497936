// Output of the tasks of a part, on its way to the primary: each stream in order, piece by piece, the next one when the last
// was taken. A task is not told as ended before all it wrote was taken. docs/design/0022-task-manager.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "actors/mom/tasks/task_messages.hpp"
#include "events/ports/task_outputs.hpp"

namespace annals::actors {

class part_output {
 public:
  using send_piece = std::function<void(const output_piece&)>;
  // `files` null: no task writes anything. `key_of`: a task's key.
  part_output(ports::task_outputs* files, std::function<values::task_key(std::uint32_t)> key_of, send_piece send)
      : files_(files), key_of_(std::move(key_of)), send_(std::move(send)) {}

  void follow(std::uint32_t task, const std::string& user);  // it has started
  void look(std::uint32_t task);                             // its files may have grown
  void look() {
    for (const auto& [task, s] : tasks_) look(task);
  }
  void taken(std::uint32_t task, bool errors, std::uint64_t up_to);
  void repeat();                       // pieces that were not taken are sent again
  void drop();                         // nobody takes any more, nor of tasks that are followed later
  bool all_taken(std::uint32_t task);  // of an ended task: its files are removed then
  bool all_taken();

 private:
  struct stream {
    std::uint64_t taken = 0;
    std::string under_way;
    bool unread = false;  // the host could not say what there is
  };
  void next(std::uint32_t task, bool errors);
  void done(std::uint32_t task);

  ports::task_outputs* files_;
  std::function<values::task_key(std::uint32_t)> key_of_;
  send_piece send_;
  std::map<std::uint32_t, std::array<stream, 2>> tasks_;  // by number: output, errors
  bool dropped_ = false;
};

}  // namespace annals::actors
