// Addresses of Unix sockets and the descriptors that name them: shared by the blocking client and the listener.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace annals::wire {

// Owns a file descriptor.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(other.release()) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~unique_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// The kernel takes paths of at most 107 bytes; a longer one is named by way of its open directory in /proc/self/fd.
// Use the address while this lives. Throws wire_error: the directory can't be opened, or the file name alone is too long.
class socket_address {
 public:
  explicit socket_address(const std::string& path);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return sizeof address_; }

 private:
  sockaddr_un address_{};
  unique_fd directory_;
};

// "PATH: No such file or directory", for errno as it is now.
std::string with_errno(const std::string& what);

}  // namespace annals::wire
