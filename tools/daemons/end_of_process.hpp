// How a daemon's main thread waits for its end, whoever decides it.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

#include <unistd.h>

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
  std::fprintf(stderr, "%s: stopped: %s\n", daemon, text.c_str());
  std::fflush(nullptr);
  _exit(3);
}

}  // namespace annals::daemons
