// A process of a job speaks with the MoM of its host: the task manager's socket (events/schema/tm.capnp). Used by libpbs's tm
// functions, pbsdsh, pbs_tmrsh and pbs_attach. One thread. docs/design/0022-task-manager.md.
#pragma once

#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/socket_path.hpp"
#include "events/schema/message.hpp"
#include "events/schema/tm.capnp.h"

namespace annals::client {

// `code`: a number of tm.h.
struct tm_failure : std::runtime_error {
  tm_failure(std::uint32_t number, const std::string& text) : std::runtime_error(text), code(number) {}
  std::uint32_t code;
};

inline constexpr std::uint32_t tm_system_error = 17000;  // of a task: its host can't be asked

using tm_reply = schema::sealed<schema::TmReply>;
using tm_fill = std::function<void(schema::TmRequest::Builder)>;

class task_manager {
 public:
  // The MoM of the job this process belongs to (its node file lies in the MoM's home), else the one of pbs.conf.
  // Throws tm_failure 17000.
  static task_manager connect();
  // The same, for the job of the environment: PBS_JOBID and PBS_JOBCOOKIE. Throws tm_failure 17005 without them, 17006 and
  // 17009 for a job that is not here or is another user's.
  static task_manager join();

  // Host of each node; a node is a line of the node file, from 0.
  const std::vector<std::string>& hosts() const { return hosts_; }
  // The first node of the host that a name or an address means (same_host.hpp); nothing: no host of the job.
  std::optional<std::uint32_t> node_of(const std::string& host) const;

  // Sends a request; its number is in each reply to it. All these throw tm_failure 17002 when the MoM is lost.
  std::uint64_t ask(const tm_fill& fill);
  // The next reply; nothing: none came in the time (-1: for ever), or a signal did.
  std::optional<tm_reply> next(int timeout_ms);
  // Waits for the reply to this request; others are kept for next(). A refusal is thrown as tm_failure.
  tm_reply answer(std::uint64_t question);
  // Writes what a task wrote to our standard output or error, and asks for more.
  void print(schema::TmOutput::Reader output);

  // Signals blocked while it waits, for the MoM and for who reads what it prints; null: those that are blocked now.
  void wait_with(const sigset_t* mask) { mask_ = mask; }

  int descriptor() const { return fd_.get(); }

 private:
  explicit task_manager(const std::string& path);
  bool read_some();
  bool take_in();  // whole frames of what was read

  wire::unique_fd fd_;
  const sigset_t* mask_ = nullptr;
  wire::frame_buffer in_{limits::daemon_frame_bytes_max};
  std::deque<tm_reply> received_;
  std::uint64_t last_question_ = 0;
  std::vector<std::string> hosts_;
  std::map<std::pair<std::uint32_t, bool>, std::uint64_t> printed_;  // bytes of each stream
};

}  // namespace annals::client
