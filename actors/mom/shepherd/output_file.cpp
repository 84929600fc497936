#include "actors/mom/shepherd/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "actors/mom/host/open_path.hpp"

namespace annals::shepherd {
namespace {

// 0, or the error of a file that will not do.
int wrong_with(int fd, const output_rule& rule) {
  struct stat st {};
  if (fstat(fd, &st) != 0) return errno;
  if (S_ISREG(st.st_mode)) return rule.shared && st.st_uid != geteuid() ? EPERM : 0;
  return S_ISCHR(st.st_mode) && (rule.terminal || !isatty(fd)) ? 0 : ENXIO;  // as when nobody reads from a pipe
}

}  // namespace

int open_output(const std::string& path, const output_rule& rule) {
  const int flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | (rule.make ? O_CREAT : 0) | (rule.shared ? O_NOFOLLOW : 0);
  const int fd = mom::open_path(path, flags, 0666);
  if (fd < 0) return -1;
  int error = wrong_with(fd, rule);
  if (!error && rule.make && ftruncate(fd, 0) != 0 && errno != EINVAL) error = errno;  // EINVAL: a device
  if (!error && !isatty(fd) && fcntl(fd, F_SETFL, O_APPEND) != 0) error = errno;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

int make_spool_file(const std::string& path, const identity& owner) {
  const auto make = [&] { return mom::open_path(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0666); };
  int fd = make();
  if (fd < 0 && errno == EEXIST) {
    // Of a release that let everybody write there, even a directory with something in it may be left.
    if (unlink(path.c_str()) != 0 && errno == EISDIR && rmdir(path.c_str()) != 0)
      rename(path.c_str(), (path + ".old." + std::to_string(getpid())).c_str());
    fd = make();
  }
  if (fd < 0 || !owner.change || fchown(fd, owner.uid, owner.gid) == 0) return fd;
  const int error = errno;
  close(fd);
  unlink(path.c_str());
  errno = error;
  return -1;
}

}  // namespace annals::shepherd
