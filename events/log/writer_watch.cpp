#include "events/log/writer_watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace annals::log {

namespace {

constexpr std::chrono::milliseconds pause_without_watch{20};
constexpr std::chrono::seconds longest_silence{10};

int watch_of(const std::string& directory) {
  const int fd = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd >= 0 && ::inotify_add_watch(fd, directory.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

writer_watch::writer_watch(const std::string& directory) : fd_(watch_of(directory)), said_(clock::now()) {}

writer_watch::~writer_watch() {
  if (fd_ >= 0) ::close(fd_);
}

void writer_watch::look_again() {
  const std::lock_guard<std::mutex> guard(lock_);
  again_ = true;
}

bool writer_watch::take_news() {
  const std::lock_guard<std::mutex> guard(lock_);
  bool news = std::exchange(again_, false);
  char events[4096];
  while (::read(fd_, events, sizeof events) > 0) news = true;
  if (const auto now = clock::now(); news || now - said_ >= longest_silence) {
    said_ = now;
    return true;
  }
  return false;
}

bool writer_watch::wait_until(clock::time_point end) {
  if (fd_ < 0) {
    std::this_thread::sleep_until(std::min(end, clock::now() + pause_without_watch));
    return true;
  }
  for (;;) {
    if (take_news()) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
    if (left.count() <= 0) return false;
    pollfd of{fd_, POLLIN, 0};
    if (::poll(&of, 1, static_cast<int>(std::min(left, std::chrono::milliseconds(longest_silence)).count())) < 0) return take_news();
  }
}

}  // namespace annals::log
