// The port to what tasks write: files in the spool directory of their host, followed while they grow. The file is the
// buffer: a task never waits for whoever reads, and nothing is lost when a MoM dies. docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "events/values/program_key.hpp"

namespace annals::ports {

class task_outputs {
 public:
  virtual ~task_outputs() = default;
  // Told on any thread: the files of this task have grown since they were last read.
  virtual void listen(std::function<void(const values::task_key& key)> grown) = 0;
  // From when the task has started. `user`: whose files they must be to be read.
  virtual void follow(const values::task_key& key, const std::string& user) = 0;
  // At most `most` bytes from `offset` on; empty: there are no more now. Nothing: this host can't say at the moment, ask again.
  virtual std::optional<std::string> read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t most) = 0;
  // Removes the files.
  virtual void remove(const values::task_key& key) = 0;
};

}  // namespace annals::ports
