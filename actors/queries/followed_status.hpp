// A status, with the index of the past, that follows the log: it takes what the log writer leaves in an inbox, before and after each thing
// that its actor does. So whoever asks finds what was committed before he asked. Governed by docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "actors/runtime/commit_inbox.hpp"
#include "projections/status/past.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// Looks at the status when commits are folded, on the actor's thread.
class commit_watcher {
 public:
  virtual ~commit_watcher() = default;
  virtual void folded(const log::record& record) = 0;  // the status has just folded it
  virtual void all_folded() = 0;                       // the end of a commit
  virtual bool waits() const = 0;                      // for commits: it wants to be told of each at once
};

class followed_status {
 public:
  struct parts {
    std::shared_ptr<projections::status> now;
    std::shared_ptr<projections::past_writer> index;
    std::shared_ptr<commit_inbox> inbox;
    std::function<void()> look_soon;         // catch_up is to be called once more
    std::function<void(bool behind)> hurry;  // it has fallen behind the log, and it has caught up
  };
  explicit followed_status(parts p) : parts_(std::move(p)) {}

  const projections::status& now() const { return *parts_.now; }
  // They are told in the order in which they came, and live as long as this.
  void watch(commit_watcher& who) { watchers_.push_back(&who); }

  // What asks comes after the commits that it may ask about. Those that come meanwhile are folded behind what others ask for.
  template <class Then>
  void up_to_date(Then&& then) {
    catch_up();
    then();
    catch_up();
  }
  void catch_up();
  // And no further: a view is of exactly this position, if the state is still there.
  void catch_up_to(std::uint64_t sequence);

 private:
  void fold(const std::vector<log::record_ptr>& records);
  void look_how_far(const std::vector<records_ptr>& commits);
  bool waits() const;

  parts parts_;
  std::vector<commit_watcher*> watchers_;
  bool behind_ = false;
};

}  // namespace annals::actors
