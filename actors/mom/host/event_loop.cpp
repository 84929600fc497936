#include "actors/mom/host/event_loop.hpp"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace annals::mom {
namespace {

constexpr std::chrono::milliseconds room_again{1000};

// What epoll says of a descriptor: which watch it was, and which descriptor.
std::uint64_t event_of(std::uint32_t watch, int fd) { return std::uint64_t{watch} << 32 | static_cast<std::uint32_t>(fd); }

// 0, or why not.
int change(int epoll, int what, int fd, std::uint32_t watch) {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = event_of(watch, fd);
  return epoll_ctl(epoll, what, fd, &e) == 0 ? 0 : errno;
}

}  // namespace

event_loop::event_loop(std::string name, complaint complain) : complain_(std::move(complain)) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int error = epoll_ < 0 || wake_ < 0 ? errno : change(epoll_, EPOLL_CTL_ADD, wake_, 0);
  if (error != 0) throw std::system_error(error, std::generic_category(), "event loop");
  thread_ = std::thread([this, name = std::move(name)] {
    pthread_setname_np(pthread_self(), name.c_str());
    run();
  });
}

void event_loop::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_, &one, sizeof one);
  thread_.join();
  close(epoll_);
  close(wake_);
}

void event_loop::post(task t) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(t));
    if (posted_.size() > 1) return;  // whoever posted the first has rung the bell
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto n = write(wake_, &one, sizeof one);
}

void event_loop::watch(int fd, task t) {
  auto& w = watched_[fd];
  w = {++last_watch_, std::move(t), false};
  begin_watch(fd, w);
}

// Events with the number of an earlier watch would go nowhere and wake the loop for ever.
void event_loop::begin_watch(int fd, watched& w) {
  int error = change(epoll_, EPOLL_CTL_ADD, fd, w.number);
  if (error == EEXIST) {
    complain_("descriptor " + std::to_string(fd) + " is watched already");
    error = change(epoll_, EPOLL_CTL_MOD, fd, w.number);
  }
  const bool waited = std::exchange(w.waits, error == ENOMEM || error == ENOSPC);
  if (error != 0 && !waited) complain_("descriptor " + std::to_string(fd) + " can't be watched: " + std::strerror(error));
  if (!w.waits) return;
  after(room_again, [this, fd, number = w.number] {
    const auto at = watched_.find(fd);
    if (at != watched_.end() && at->second.number == number) begin_watch(fd, at->second);
  });
}

void event_loop::unwatch(int fd) {
  const auto at = watched_.find(fd);
  const bool waits = at != watched_.end() && at->second.waits;
  if (at != watched_.end()) watched_.erase(at);
  if (const int error = waits ? 0 : change(epoll_, EPOLL_CTL_DEL, fd, 0); error != 0)
    complain_("descriptor " + std::to_string(fd) + " was not watched: " + std::strerror(error));
}

void event_loop::after(std::chrono::milliseconds delay, task t) { timers_.emplace(clock::now() + delay, std::move(t)); }

int event_loop::wait_ms() const {
  if (timers_.empty()) return -1;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(timers_.begin()->first - clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 60'000));
}

void event_loop::run_posted() {
  std::vector<task> now;
  {
    const std::lock_guard lock(mutex_);
    now.swap(posted_);
  }
  for (auto& t : now) t();
}

void event_loop::run_due() {
  while (!timers_.empty() && timers_.begin()->first <= clock::now()) {
    const task t = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    t();
  }
}

bool event_loop::stopping() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

// Asked before each wait too: what was posted and stop() ring one bell, and it may have been taken for the first alone.
void event_loop::run() {
  epoll_event ready[64];
  while (!stopping()) {
    const int n = epoll_wait(epoll_, ready, 64, wait_ms());
    if (stopping()) return;
    for (int i = 0; i < n; ++i) run_ready(ready[i].data.u64);
    run_due();
  }
}

// What ran before it may have closed its descriptor, and watch another one of the same number, which is not ready.
void event_loop::run_ready(std::uint64_t what) {
  if (what == event_of(0, wake_)) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_, &count, sizeof count);
    return run_posted();
  }
  const auto w = watched_.find(static_cast<int>(what & UINT32_MAX));
  if (w == watched_.end() || w->second.number != what >> 32) return;
  const task t = w->second.t;  // a copy: the task may unwatch itself
  t();
}

}  // namespace annals::mom
