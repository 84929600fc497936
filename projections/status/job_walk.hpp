// A walk over jobs and arrays that is left and gone on with, so that a list of a million finished jobs holds nobody up. Between its parts
// events may be folded: each job that was there when it began and is still there comes once, as it is when it comes, and none that
// came later. Governed by docs/design/0064-finished-jobs.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "events/schema/client.capnp.h"

namespace annals::projections {

// Which jobs are looked at.
struct jobs_wanted {
  schema::History history = schema::History::ALSO;
  // Asked of one in the history before it is read from the disk; false: it is not. Empty: all are.
  std::function<bool(std::string_view owner, std::string_view queue)> may_be = {};
  std::size_t looks = 1;  // what may_be looks at each time (projections/status/effort.hpp)
  // Of finished jobs only those that ended at or after this second since 1970; 0: whenever they did.
  std::int64_t since_s = 0;
  // Of these, and of those that may be, only so many: those with the highest numbers. 0: all.
  std::uint64_t newest = 0;
};

class job_walk {
 public:
  explicit job_walk(jobs_wanted wanted) : wanted_(std::move(wanted)), left_(wanted_.newest) {}

 private:
  friend class status;
  struct displaced {
    std::int64_t rank;
    std::uint64_t serial;
  };
  bool seeks_newest() const { return left_ > 0; }

  jobs_wanted wanted_;
  bool begun_ = false;
  std::uint64_t next_ = 0, end_ = 0;  // numbers: what comes next, and behind the last
  std::uint64_t first_finished_ = 0;  // with `newest`: finished jobs below it are not wanted
  std::uint64_t left_;                // so many of the newest are still to be found, going down from first_finished_
  // As it was at the beginning: jobs that qmove or qorder gave another place.
  std::vector<displaced> displaced_;
  std::size_t next_displaced_ = 0;
  std::unordered_set<std::uint64_t> displaced_numbers_;
};

}  // namespace annals::projections
