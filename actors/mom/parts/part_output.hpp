// Output of the tasks of a part, on its way to the primary: each stream in order, piece by piece, the next one when the last
// was taken. A task is not told as ended before all it wrote was taken. docs/design/0022-task-manager.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "actors/mom/tasks/task_messages.hpp"
#include "events/ports/task_outputs.hpp"

namespace annals::actors {

class part_output {
 public:
  using send_piece = std::function<void(const output_piece&)>;
  using work = std::function<std::function<void()>()>;
  struct part {
    std::function<values::task_key(std::uint32_t)> key_of;  // a task's key
    send_piece send;
    // The files may block: another thread does the work, one after the other, and what it returns is done in a later turn.
    std::function<void(work)> aside;
    std::function<void()> reconcile;  // something was found out that the end of a task waits for
  };
  // `files` null: no task writes anything.
  part_output(ports::task_outputs* files, part of) : files_(files), part_(std::move(of)) {}

  void follow(std::uint32_t task, const std::string& user);  // it has started
  void look(std::uint32_t task);                             // its files may have grown
  void look() {
    for (const auto& [task, s] : tasks_) look(task);
  }
  void taken(std::uint32_t task, bool errors, std::uint64_t up_to);
  void repeat();  // pieces that were not taken are sent again
  void drop();    // nobody takes any more, nor of tasks that are followed later

  // For tasks that have ended. All was taken when nothing is left, and the files are removed.
  bool all_taken(std::uint32_t task);
  bool all_taken();
  enum class left : std::uint8_t { unknown,  // its files are looked at
                                   something,
                                   nothing };
  left left_of(std::uint32_t task);

 private:
  struct stream {
    std::uint64_t taken = 0;
    std::string under_way;
    bool is_read = false;   // now
    bool again = false;     // it may have grown since that began
    bool unread = false;    // the host could not say what there is
    bool is_known = false;  // it was read since the task has ended
    bool at_end = false;    // and there was nothing more
  };
  struct followed {
    std::array<stream, 2> streams;  // output, errors
    bool ended = false;
    bool goes = false;  // its files are being removed
    left what_is_left() const;
  };
  void next(std::uint32_t task, bool errors);
  void on_read(std::uint32_t task, bool errors, bool had_ended, std::optional<std::string> piece);
  void remove(std::uint32_t task);

  ports::task_outputs* files_;
  const part part_;
  std::map<std::uint32_t, followed> tasks_;  // by number, until they are done
  std::set<std::uint32_t> done_;
  bool dropped_ = false;
};

}  // namespace annals::actors
