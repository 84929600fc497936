// Checkpoints beside a server: now and then, and at its orderly end, a process of its own makes the next one (`pbs_server --checkpoint`),
// so that no thread of the server does. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "actors/replica/checkpoint.hpp"
#include "events/ports/record_log.hpp"

namespace annals::daemons {

// server_priv's directory of the checkpoint's files.
std::string checkpoint_directory(const std::string& priv);

// `pbs_server --checkpoint`: one round, from the log and the books in `priv`. Says what it has made, or on stderr, for the server's log,
// why it has not. Returns the exit status.
int make_checkpoint(const std::string& home, const std::string& priv);

struct checkpoint_maker_parts {
  std::string home, priv;
  std::chrono::seconds interval{0};              // at most so often; 0: never
  std::uint64_t records_min = 0;                 // and only when it has so many more than the last one
  const ports::record_log* log = nullptr;        // outlives the maker
  std::function<void(const std::string&)> note;  // trouble, for the server's log
};

class checkpoint_maker {
 public:
  explicit checkpoint_maker(checkpoint_maker_parts parts);
  ~checkpoint_maker();  // a round that goes on is ended
  // At an orderly end, when nothing more is written: the last round, if it saves the next start time, and if it is soon made. A round that
  // goes on is ended.
  void make_last();

 private:
  using steady = std::chrono::steady_clock;
  void run();
  bool is_due() const;
  void make_one(steady::time_point until);
  void end_thread();

  const checkpoint_maker_parts parts_;
  const std::string file_;
  const std::optional<actors::checkpoint_head> at_start_;  // the checkpoint that was there then
  std::mutex guard_;
  std::condition_variable changed_;
  bool stops_ = false;
  pid_t round_ = 0;      // the process of one that goes on; 0: none
  std::string trouble_;  // that was told last
  std::thread thread_;
};

}  // namespace annals::daemons
