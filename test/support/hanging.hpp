// Something that other threads call and that takes until it is let, as a service or a disk that hangs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace annals::test {

class hanging {
 public:
  void call() {
    std::unique_lock held(guard_);
    ++callers_;
    changed_.notify_all();
    changed_.wait(held, [&] { return is_open_; });
  }
  void open() {
    const std::lock_guard held(guard_);
    is_open_ = true;
    changed_.notify_all();
  }
  // False: it took far too long.
  bool until_one_hangs() {
    std::unique_lock held(guard_);
    return changed_.wait_for(held, std::chrono::seconds(60), [&] { return callers_ > 0; });
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int callers_ = 0;
};

}  // namespace annals::test
