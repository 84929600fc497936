// The tasks of a job that were not over when they were looked at last. A job may have thousands of tasks: each is looked at until it is
// over, and then no more. For the run on its first host, and for each other host's part of it.
#pragma once

#include <cstdint>
#include <set>

namespace annals::actors {

class open_tasks {
 public:
  /// `all`: a map of every task by its number; numbers only rise. is_over(number): called for each task that was not over before, in
  /// their order; true: it is not asked about again.
  template <class Tasks, class IsOver>
  void look(const Tasks& all, IsOver&& is_over) {
    for (auto at = all.upper_bound(last_); at != all.end(); ++at) open_.insert(last_ = at->first);
    std::erase_if(open_, is_over);
  }

 private:
  std::set<std::uint32_t> open_;
  std::uint32_t last_ = 0;  // the highest number that was ever looked at
};

}  // namespace annals::actors
