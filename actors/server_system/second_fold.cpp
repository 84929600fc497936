#include "actors/server_system/second_fold.hpp"

#include <utility>

namespace annals::actors {

namespace {

constexpr std::size_t together = 256;  // enough that the two seldom wait for each other, and little to hold

}  // namespace

second_fold::second_fold(std::function<void(const log::record&)> fold) : fold_(std::move(fold)), thread_([this] { run(); }) {
  taken_.reserve(together);
}

second_fold::~second_fold() { join(true); }

void second_fold::take(const log::record_ptr& r) {
  taken_.push_back(r);
  if (taken_.size() >= together) hand_over();
}

void second_fold::end() {
  hand_over();
  join(false);
  if (failed_) std::rethrow_exception(failed_);
}

void second_fold::hand_over() {
  {
    std::unique_lock held(guard_);
    changed_.wait(held, [&] { return handed_.empty(); });
    handed_.swap(taken_);
  }
  changed_.notify_one();
  taken_.clear();
}

void second_fold::join(bool at_once) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard held(guard_);
    last_ = true;
    at_once_ = at_once;
  }
  changed_.notify_one();
  thread_.join();
}

void second_fold::run() {
  for (std::vector<log::record_ptr> batch;;) {
    {
      std::unique_lock held(guard_);
      changed_.wait(held, [&] { return !handed_.empty() || last_; });
      if (at_once_ || handed_.empty()) return;
      batch.clear();
      batch.swap(handed_);
    }
    changed_.notify_one();
    try {
      for (const auto& r : batch)
        if (!failed_) fold_(*r);
    } catch (...) {
      failed_ = std::current_exception();  // what comes after it is thrown away
    }
  }
}

}  // namespace annals::actors
