// Threads that wait for a log to grow, in the process that writes it. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace annals::log {

class growth {
 public:
  // The log has more records. The caller holds no lock that `last` of a waiting thread takes.
  void happened() {
    { const std::lock_guard held(guard_); }  // a thread that looked before they were there waits by now
    grown_.notify_all();
  }
  // `last` returns the sequence of the log's last record. Returns what it said when that was beyond `sequence`, or when the time was over.
  template <class Last>
  std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout, const Last& last) const {
    std::unique_lock held(guard_);
    std::uint64_t found = 0;
    (void)grown_.wait_for(held, timeout, [&] { return (found = last()) > sequence; });
    return found;
  }

 private:
  mutable std::mutex guard_;
  mutable std::condition_variable grown_;
};

}  // namespace annals::log
