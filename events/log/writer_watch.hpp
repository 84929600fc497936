// Tells a reader when the process that writes a log has written, so that a reader that waits costs nothing meanwhile.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace annals::log {

class writer_watch {
 public:
  using clock = std::chrono::steady_clock;

  /// `directory`: the log's. If the kernel gives no watch, wait_until() says after a short pause that something may have been written.
  explicit writer_watch(const std::string& directory);
  ~writer_watch();
  writer_watch(const writer_watch&) = delete;
  writer_watch& operator=(const writer_watch&) = delete;

  /// Waits until something may have been written since it last said so, or until a signal comes. Returns false if nothing was: at `end`, or
  /// after the signal. File systems of other hosts tell nothing: for them it says so every ten seconds.
  bool wait_until(clock::time_point end);
  /// The reader could not read what was written: the next wait_until() says so again.
  void look_again();

 private:
  bool take_news();

  int fd_;
  std::mutex lock_;
  bool again_ = false;
  clock::time_point said_;  // when it last said that something may have been written
};

}  // namespace annals::log
