#include "actors/mom/host/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace annals::mom {
namespace {

// What epoll says of a descriptor: which watch it was, and which descriptor.
std::uint64_t event_of(std::uint32_t watch, int fd) { return std::uint64_t{watch} << 32 | static_cast<std::uint32_t>(fd); }

}  // namespace

event_loop::event_loop() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = event_of(0, wake_);
  if (epoll_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &e) != 0)
    throw std::system_error(errno, std::generic_category(), "event loop");
  thread_ = std::thread([this] { run(); });
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
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = event_of(++last_watch_, fd);
  watched_[fd] = {last_watch_, std::move(t)};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
}

void event_loop::unwatch(int fd) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(fd);
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
