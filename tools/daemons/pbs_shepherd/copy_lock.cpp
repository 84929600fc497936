#include "tools/daemons/pbs_shepherd/copy_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "tools/daemons/pbs_shepherd/text_file.hpp"

namespace annals::shepherd {

bool copy_lock::take(const std::string& path) {
  if (path.empty()) return true;
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  if (fd_ < 0) return false;
  while (flock(fd_, LOCK_EX) != 0)
    if (errno != EINTR) return false;
  const std::string text = read_text(fd_);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) break;  // a line that was cut
    if (text.compare(at, 4, "out ") == 0) done_.push_back(std::strtoul(text.c_str() + at + 4, nullptr, 10));
    at = end + 1;
  }
  dprintf(fd_, "%spid %ld\n", text.empty() || text.back() == '\n' ? "" : "\n", static_cast<long>(getpgrp()));
  return true;
}

bool copy_lock::is_done(std::size_t number) const { return std::find(done_.begin(), done_.end(), number) != done_.end(); }

void copy_lock::set_done(std::size_t number) {
  if (fd_ < 0) return;
  dprintf(fd_, "out %lu\n", static_cast<unsigned long>(number));
  fdatasync(fd_);  // what follows removes files
}

}  // namespace annals::shepherd
