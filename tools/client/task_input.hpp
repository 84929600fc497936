// Input of a task that pbs_tmrsh starts. The task is `pbs_task_input take`, which starts the program; it asks for a second task on the host
// of pbs_tmrsh, `pbs_task_input give`, whose output is that input. docs/design/0022-task-manager.md.
#pragma once

#include <string>

#include "actors/link/wire/socket_path.hpp"

namespace annals::client {

// Where another process of this user on this host gets our standard input. In the kernel's memory only.
class input_door {
 public:
  input_door();
  const std::string& name() const { return name_; }
  int descriptor() const { return door_.get(); }  // readable: somebody has come
  // Hands the input to who has come, and has it no more. False: it was a stranger, or he is gone again.
  bool hand_over();

 private:
  std::string name_;
  wire::unique_fd door_;
};

// The other side: the input behind the door of this name. Throws std::system_error, also if the door is another user's.
wire::unique_fd fetch_input(const std::string& name);

}  // namespace annals::client
