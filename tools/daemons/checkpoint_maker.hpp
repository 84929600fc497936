// Checkpoints beside a daemon that folds a log, a server or a follower: now and then, and at its orderly end, a process of its own makes
// the next one (`pbs_server --checkpoint`, `pbs_follow --checkpoint`), so that no thread of the daemon does. Governed by
// docs/design/0068-checkpoints.md.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "actors/replica/checkpoint.hpp"
#include "actors/replica/kept_folds.hpp"
#include "events/ports/record_log.hpp"
#include "tools/client/pbs_conf.hpp"

namespace annals::daemons {

// Directory of the checkpoint's files in server_priv or follow_priv.
std::string checkpoint_directory(const std::string& priv);

struct checkpoint_call {
  std::string priv;                                                 // where the log is
  std::function<std::unique_ptr<actors::kept_folds>()> make_folds;  // that have folded nothing
  std::function<std::uint64_t()> up_to;                             // no further than this record
  std::string nothing_came;                                         // is said if there is nothing to make
};
// `--checkpoint`: one round, from the log in `priv`. Says what it has made, or on stderr, for the daemon's log, why it has not. Returns the
// exit status.
int make_checkpoint(const checkpoint_call& call);

// How often checkpoints are made.
struct checkpoint_pace {
  std::chrono::seconds interval{0};  // at most so often; 0: never
  std::uint64_t records_min = 0;     // and only when the log has so many more than the last one
};
// As annals.conf says: checkpoint_interval, in seconds, and checkpoint_records. `wrong` is told of what is no such number.
checkpoint_pace read_checkpoint_pace(const client::annals_conf& conf, const std::function<void(const std::string&)>& wrong);

struct checkpoint_maker_parts {
  std::string priv;
  std::vector<std::string> command;  // words of this program for one round
  checkpoint_pace pace;
  std::function<std::uint64_t()> up_to;          // no further than this record, now
  const ports::record_log* log = nullptr;        // outlives the maker
  std::function<void(const std::string&)> note;  // trouble, for the daemon's log
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
