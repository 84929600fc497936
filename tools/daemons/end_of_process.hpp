// How a daemon's main thread waits for its end, whoever decides it.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

#include <unistd.h>

#include "tools/client/printed.hpp"

namespace annals::daemons {

class end_of_process {
 public:
  void come(int status, std::string text) {
    std::lock_guard held(guard_);
    if (status_) return;
    status_ = status;
    text_ = std::move(text);
    came_.notify_all();
  }
  // The exit status; text says why.
  int wait(std::string* text) {
    std::unique_lock held(guard_);
    came_.wait(held, [&] { return status_.has_value(); });
    *text = text_;
    return *status_;
  }

 private:
  std::mutex guard_;
  std::condition_variable came_;
  std::optional<int> status_;
  std::string text_;
};

// The log can no longer be trusted or written: say so and be gone before anything else is written.
[[noreturn]] inline void stop_at_once(const char* daemon, const std::string& text) {
  client::print_error("%s: stopped: %s\n", daemon, text.c_str());
  std::fflush(nullptr);
  _exit(3);
}

// The orderly end. What is durable is on disk, and actors that still run must not see their ports being destroyed: the
// process goes without unwinding.
[[noreturn]] inline void end_process(int status) {
  std::fflush(nullptr);
  _exit(status);
}

// Says why the daemon can't go on and ends it with status 1.
[[noreturn]] inline void give_up(const char* daemon, const std::exception& why) {
  const std::string text = why.what();
  client::print_error("%s%s\n", text.rfind(daemon, 0) == 0 ? "" : (std::string(daemon) + ": ").c_str(), text.c_str());
  std::fflush(nullptr);
  _exit(1);
}

// work(), for everything done while there are actors: an exception must not reach the destructor of their system, which
// waits until the last of them has gone.
template <class Work>
[[noreturn]] void or_give_up(const char* daemon, Work&& work) {
  try {
    work();
    end_process(0);
  } catch (const std::exception& e) {
    give_up(daemon, e);
  }
}

}  // namespace annals::daemons
