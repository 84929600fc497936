// Verifies the whole log while the server runs, again and again, on a thread of its own that yields to everybody: a small
// share of one core, and of the disk. What it finds is an error line in the server's log and stays in the notes that
// `pbs_audit status` shows; the server goes on. A restart goes on where the last run was.
// Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "events/log/check_limits.hpp"
#include "events/log/check_notes.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

struct log_checker_parts {
  ports::storage store;  // these outlive the checker; its log and its blobs
  const ports::clock* clock = nullptr;
  std::string file;                              // of the notes
  std::string log;                               // its directory, as the administrator is told
  std::function<void(const std::string&)> note;  // an error line
  int core_percent = limits::check_core_percent, busy_percent = limits::check_busy_percent;
};

// One verification after another, piece by piece; the thread's work without the thread.
class log_checking {
 public:
  explicit log_checking(log_checker_parts parts);
  // How long until there is something to do; zero: step() now.
  std::chrono::nanoseconds wait() const;
  // One piece. `go_on` may end it early; what was reached is not lost.
  void step(const std::function<bool()>& go_on);
  void keep();  // the notes, in their file
  const log::check_notes& notes() const { return notes_; }

 private:
  void begin();
  bool same_log() const;
  void tell(std::size_t texts_before);
  void end();

  log_checker_parts parts_;
  log::check_notes notes_;
  std::optional<log::log_check> check_;
  std::int64_t kept_ns_ = 0;
  bool told_of_file_ = false;
};

class log_checker {
 public:
  explicit log_checker(log_checker_parts parts);
  ~log_checker();  // stops
  log_checker(const log_checker&) = delete;
  log_checker& operator=(const log_checker&) = delete;
  void stop();  // at once, and keeps what was reached

 private:
  void run();
  bool rest(std::chrono::nanoseconds how_long);  // false: it is to stop

  log_checking checking_;
  const int core_percent_, busy_percent_;
  std::mutex guard_;
  std::condition_variable told_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace annals::actors
