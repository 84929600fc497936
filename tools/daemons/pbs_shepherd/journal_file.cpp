#include "tools/daemons/pbs_shepherd/journal_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace annals::shepherd {

bool journal_file::claim(const char* directory) {
  const std::string path = std::string(directory) + "/run";
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0) return false;
  while (flock(fd_, LOCK_EX) != 0) if (errno != EINTR) return false;
  // A MoM that locked it between our open and our lock has written that the run will not begin.
  struct stat st{};
  return fstat(fd_, &st) == 0 && st.st_size == 0;
}

bool journal_file::append(std::string_view line) const {
  ssize_t n;
  while ((n = write(fd_, line.data(), line.size())) < 0 && errno == EINTR) {}
  return n == static_cast<ssize_t>(line.size());
}

bool journal_file::sync() const { return fdatasync(fd_) == 0; }

bool journal_file::sync_directory(const char* directory) const {
  const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = fsync(fd) == 0;
  close(fd);
  return good;
}

}  // namespace annals::shepherd
