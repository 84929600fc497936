#include "actors/mom/host/recycled_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "actors/mom/host/run_files.hpp"

namespace annals::mom {
namespace {

// As many as may end between two starts on a busy host; each keeps a block or two of the disk.
constexpr std::size_t kept_max = 1024;

// Writes into an old file and gives it its new name, under the lock that a shepherd of its old name would want.
int rewrite(const std::string& old_name, const std::string& path, std::string_view bytes, unsigned mode) {
  const int fd = open(old_name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = flock(fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
  for (std::size_t done = 0; !error && done < bytes.size();) {
    const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno != EINTR)
      error = errno;
    else if (n > 0)
      done += static_cast<std::size_t>(n);
  }
  if (!error && ftruncate(fd, static_cast<off_t>(bytes.size())) != 0) error = errno;
  if (!error && fchmod(fd, mode) != 0) error = errno;
  if (!error && rename(old_name.c_str(), path.c_str()) != 0) error = errno;
  close(fd);
  return error;
}

}  // namespace

recycled_files::recycled_files(std::string directory, std::string_view kind) : stem_(directory + "/.free." + std::string(kind) + '.') {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    if (entry.path().native().starts_with(stem_)) unlink(entry.path().c_str());
}

int recycled_files::write(const std::string& path, std::string_view bytes, unsigned mode) {
  while (!free_.empty()) {
    const std::string old_name = name(free_.back());
    free_.pop_back();
    if (rewrite(old_name, path, bytes, mode) == 0) return 0;
    unlink(old_name.c_str());  // somebody holds it, or the disk is full
  }
  return write_file(path, bytes, mode);
}

void recycled_files::remove(const std::string& path) {
  if (free_.size() < kept_max && rename(path.c_str(), name(next_).c_str()) == 0)
    free_.push_back(next_++);
  else
    unlink(path.c_str());
}

}  // namespace annals::mom
