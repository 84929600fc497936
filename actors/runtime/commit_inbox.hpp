// Commits for a follower that is not woken for each of them. They lie here until it looks, which it does before it does anything it is
// told: so who asks it about a commit finds it folded, and a thread that nobody needs sleeps on. When there is something that it
// waits for, it says so, and is told of each commit at once. Governed by docs/design/0027-who-runs-next.md.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "actors/runtime/messages.hpp"

namespace annals::actors {

// Any thread. The log writer puts, the follower does the rest.
class commit_inbox {
 public:
  // A commit, of one record at least; it does not wait if it has other records than those of jobs: what the follower waits for may change
  // with it. True: the follower is to be told (commits_wait).
  bool put(const records_ptr& records, bool may_wait) {
    const std::lock_guard held(guard_);
    lying_ += records->size();
    inside_.push_back(records);
    return at_once_ || !may_wait || lying_ >= lying_max;
  }
  bool empty() const {
    const std::lock_guard held(guard_);
    return inside_.empty();
  }
  // In commit order, up to the commit that has record `enough`.
  std::vector<records_ptr> take(std::uint64_t enough = UINT64_MAX) {
    const std::lock_guard held(guard_);
    auto end = inside_.begin();
    while (end != inside_.end() && (*end)->front()->sequence() <= enough) lying_ -= (*end++)->size();
    std::vector<records_ptr> taken(inside_.begin(), end);
    inside_.erase(inside_.begin(), end);
    return taken;
  }
  // Whether the follower waits for commits from now on. True: some lie here that came before it did, of which it is not told.
  bool tell_at_once(bool yes) {
    const std::lock_guard held(guard_);
    const bool waited = std::exchange(at_once_, yes);
    return yes && !waited && !inside_.empty();
  }

 private:
  // Who asks next waits until these are folded: a third of a millisecond.
  static constexpr std::size_t lying_max = 64;

  mutable std::mutex guard_;
  std::vector<records_ptr> inside_;
  std::size_t lying_ = 0;  // records inside
  bool at_once_ = true;    // until the follower says otherwise
};

// To the follower: there is something in its inbox.
struct commits_wait {};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::commits_wait)
