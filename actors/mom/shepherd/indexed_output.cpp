#include "actors/mom/shepherd/indexed_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "actors/mom/host/open_path.hpp"
#include "actors/mom/shepherd/reaping.hpp"

namespace annals::shepherd {
namespace {

constexpr useconds_t look_us = 2'000;  // a small record takes less

class open_file {
 public:
  explicit open_file(int fd) : fd_(fd) {}
  open_file(const open_file&) = delete;
  ~open_file() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// To append to, made with this mode if it is missing. A plain file of the user's; no link is followed. -1: errno says why.
int open_shared(const std::string& path, mode_t mode) {
  constexpr int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int fd = mom::open_path(path, flags);  // it is there, but for the first record
  if (fd < 0 && errno == ENOENT && (fd = mom::open_path(path, flags | O_CREAT | O_EXCL, 0600)) >= 0) {
    fchmod(fd, mode);
    return fd;
  }
  if (fd < 0 && errno == EEXIST) fd = mom::open_path(path, flags);
  if (fd < 0) return -1;
  struct stat st {};
  int error = fstat(fd, &st) != 0 ? errno : 0;
  if (!error && !S_ISREG(st.st_mode)) error = EINVAL;
  if (!error && st.st_uid != geteuid()) error = EPERM;
  if (!error) return fd;
  close(fd);
  errno = error;
  return -1;
}

bool lock_until(int fd, std::int64_t until_ms) {
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (monotonic_ms() >= until_ms) return false;
    usleep(look_us);
  }
  return true;
}

bool write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// Exactly so many bytes. sendfile(2) does not append.
bool append_bytes(int from, int to, std::uint64_t bytes) {
  char buffer[65536];
  while (bytes > 0) {
    const ssize_t n = read(from, buffer, static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sizeof buffer)));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;  // it was cut meanwhile
    if (n <= 0 || !write_all(to, buffer, static_cast<std::size_t>(n))) return false;
    bytes -= static_cast<std::uint64_t>(n);
  }
  return true;
}

// The end of what is whole. A record that was cut short stays, and the next one begins on a line of its own.
bool find_end(int data, std::uint64_t& end) {
  struct stat st {};
  if (fstat(data, &st) != 0) return false;
  end = static_cast<std::uint64_t>(st.st_size);
  char last = '\n';
  if (end > 0 && pread(data, &last, 1, st.st_size - 1) != 1) return false;
  return last == '\n' || (write_all(data, "\n", 1) && ++end > 0);
}

bool put_record(int from, int data, const values::output_record& record) {
  const std::string line = values::output_headline(record);
  return write_all(data, line.data(), line.size()) && append_bytes(from, data, record.length) && write_all(data, "\n", 1) &&
         (record.length == 0 || fdatasync(data) == 0);
}

// An entry that was cut short goes.
bool put_entry(int index, const values::output_record& record) {
  const auto entry = values::print_output_entry(record);
  struct stat st {};
  if (!entry) errno = EFBIG;
  if (!entry || fstat(index, &st) != 0) return false;
  const off_t whole = st.st_size - st.st_size % static_cast<off_t>(values::output_entry_bytes);
  if (whole != st.st_size && ftruncate(index, whole) != 0) return false;
  if (write_all(index, entry->data(), entry->size()) && (record.length == 0 || fdatasync(index) == 0)) return true;
  const int error = errno;
  if (ftruncate(index, whole) != 0) return false;
  errno = error;
  return false;
}

bool append_locked(int from, int data, int index, values::output_record record) {
  struct stat st {};
  if (fstat(from, &st) != 0) return false;
  if (!S_ISREG(st.st_mode)) {
    errno = EINVAL;
    return false;
  }
  record.length = static_cast<std::uint64_t>(st.st_size);
  if (!find_end(data, record.offset)) return false;
  if (put_record(from, data, record) && put_entry(index, record)) return true;
  const int error = errno;
  if (ftruncate(data, static_cast<off_t>(record.offset)) != 0) return false;  // a disk that is full has room for others' records again
  errno = error;
  return false;
}

std::string problem(const std::string& file) { return file + ": " + strerror(errno); }

}  // namespace

std::string shared_file(const mom::record_task& to) {
  struct stat st {};
  const bool directory = !to.path.empty() && (to.path.back() == '/' || (stat(to.path.c_str(), &st) == 0 && S_ISDIR(st.st_mode)));
  return to.path + (directory && to.path.back() != '/' ? "/" : "") + (directory ? to.inner : "") + '.' + to.host;
}

std::string append_record(const std::string& from, const mom::record_task& to, std::int64_t until_ms) {
  const std::string file = shared_file(to), index_file = file + std::string(values::output_index_suffix);
  const open_file in(mom::open_path(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat st {};
  if (!in || fstat(in.fd(), &st) != 0) return problem(from);
  const open_file data(open_shared(file, st.st_mode & 0777));
  if (!data) return problem(file);
  if (!lock_until(data.fd(), until_ms)) return problem(file);
  const open_file index(open_shared(index_file, st.st_mode & 0777));
  if (!index) return problem(index_file);
  return append_locked(in.fd(), data.fd(), index.fd(), to.record) ? std::string() : problem(file);
}

}  // namespace annals::shepherd
