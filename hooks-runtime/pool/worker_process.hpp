// One worker: a guard process with the interpreter below it, and the socket to the interpreter. The pool's thread owns
// it. docs/design/0019-hook-workers.md says what the guard is for.
#pragma once

#include <sys/types.h>

#include <string>

#include "hooks-runtime/protocol/frames.hpp"

namespace annals::hooks {

class worker_process {
 public:
  // Starts the program, which makes a scratch directory for itself in `scratch`, unless that is empty. is_running() is false when the
  // start failed; why() says how.
  worker_process(const std::string& program, const std::string& scratch);
  ~worker_process();  // kills it and waits: nothing of it is left
  worker_process(const worker_process&) = delete;
  worker_process& operator=(const worker_process&) = delete;

  bool is_running() const { return pid_ > 0; }
  const std::string& why() const { return why_; }
  int socket() const { return socket_; }
  int pidfd() const { return pidfd_; }
  pid_t pid() const { return pid_; }

  void send(std::string frame);  // kept until the socket takes it
  bool has_to_write() const { return !out_.empty(); }
  enum class io { good,
                  closed };
  io write_some();
  io read_some(frame_reader& into);

  void ask_to_end();  // the guard kills the whole tree, then ends; pidfd becomes readable
  void insist();      // asked, and not gone after guard_patience_ms: kills what is below the guard; to be repeated
  static constexpr int guard_patience_ms = 3000;
  static constexpr int insisted_max = 20;  // then a guard that has nothing below it is killed, too: it hangs
  // After pidfd is readable: how the interpreter ended, in words.
  std::string reaped();

  // Whether processes or threads that the script started are still there.
  bool has_leftovers() const;

 private:
  pid_t pid_ = -1;
  int socket_ = -1, pidfd_ = -1;
  bool reaped_ = false;
  int insisted_ = 0;
  std::string out_, why_;
  std::size_t out_at_ = 0;
};

}  // namespace annals::hooks
