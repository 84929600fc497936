#include "actors/replica/read_ahead.hpp"

#include <utility>

namespace annals::actors {

namespace {

constexpr std::size_t together = 256;  // enough that the two seldom wait for each other, and little to hold
constexpr std::size_t batches_ahead = 4;

}  // namespace

read_ahead::read_ahead(reading read) : thread_([this, read = std::move(read)] { run(read); }) {}

read_ahead::~read_ahead() {
  {
    const std::lock_guard held(guard_);
    unwanted_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void read_ahead::run(const reading& read) {
  try {
    records some;
    how_ = read([&](const log::record_ptr& r) {
      some.push_back(r);
      return some.size() < together || hand_over(some);
    });
    (void)hand_over(some);
  } catch (...) {
    failed_ = std::current_exception();
  }
  const std::lock_guard held(guard_);
  all_read_ = true;
  changed_.notify_one();
}

bool read_ahead::hand_over(records& some) {
  {
    std::unique_lock held(guard_);
    changed_.wait(held, [&] { return handed_.size() < batches_ahead || unwanted_; });
    if (unwanted_) return false;
    handed_.push_back(std::exchange(some, {}));
  }
  changed_.notify_one();
  some.reserve(together);
  return true;
}

bool read_ahead::take(records& some) {
  {
    std::unique_lock held(guard_);
    changed_.wait(held, [&] { return !handed_.empty() || all_read_; });
    if (handed_.empty()) return false;
    some = std::move(handed_.front());
    handed_.pop_front();
  }
  changed_.notify_one();
  return true;
}

ports::store_status read_ahead::fold_all(const std::function<void(const log::record&)>& fold) {
  for (records some; take(some);)
    for (const auto& r : some) fold(*r);
  if (failed_) std::rethrow_exception(failed_);
  return how_;
}

}  // namespace annals::actors
