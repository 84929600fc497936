#include "actors/mom/shepherd/copy_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "actors/mom/host/open_path.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "actors/mom/shepherd/text_file.hpp"

namespace annals::shepherd {

namespace {

constexpr std::int64_t patience_ms = 5000;
constexpr unsigned look_us = 10'000;

// The MoM has killed who held it before. Who is left was a child of the user's programs: he may hold up his own copies
// for so long and no longer.
void wait_for(int fd) {
  const auto until = monotonic_ms() + patience_ms;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0 && monotonic_ms() < until) usleep(look_us);
}

}  // namespace

void copy_lock::release() {
  for (int* const fd : {&fd_, &held_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

bool copy_lock::take(const std::string& path) {
  if (path.empty()) return true;
  fd_ = mom::open_path(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  held_ = open(path.c_str(), O_RDONLY | O_NOFOLLOW);  // open in the copy programs too, which may not write
  if (fd_ < 0 || held_ < 0) return false;
  wait_for(held_);
  const std::string text = read_text(fd_);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) break;  // a line that was cut
    if (text.compare(at, 4, "out ") == 0) done_.push_back(std::strtoul(text.c_str() + at + 4, nullptr, 10));
    at = end + 1;
  }
  const auto us = mom::read_process(getpgrp());
  dprintf(fd_, "%spid %ld %llu\n", text.empty() || text.back() == '\n' ? "" : "\n", static_cast<long>(getpgrp()),
          static_cast<unsigned long long>(us ? us->start_ticks : 0));
  return true;
}

bool copy_lock::is_done(std::size_t number) const { return std::find(done_.begin(), done_.end(), number) != done_.end(); }

void copy_lock::set_done(std::size_t number, bool synced) {
  if (fd_ < 0) return;
  dprintf(fd_, "out %lu\n", static_cast<unsigned long>(number));
  if (synced) fdatasync(fd_);  // what follows removes files
}

}  // namespace annals::shepherd
