#include "tools/daemons/sched_call.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "tools/daemons/sched_limits.hpp"

namespace annals::daemons {

namespace {

bool is_connected(int fd, const addrinfo& to) {
  if (connect(fd, to.ai_addr, to.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd waits{fd, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  return poll(&waits, 1, limits::scheduler_call_ms) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

bool call_scheduler(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> kept(found, freeaddrinfo);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const bool there = is_connected(fd, *found);
  close(fd);
  return there;
}

}  // namespace annals::daemons
