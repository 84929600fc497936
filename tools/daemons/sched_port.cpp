#include "tools/daemons/sched_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "tools/daemons/sched_limits.hpp"

namespace annals::daemons {

namespace {

// -1, with errno. An address that is none means all of this host.
int listen_at(const std::string& address, std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1) at.sin_addr.s_addr = htonl(INADDR_ANY);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int yes = 1;  // connections of before, on their way out, do not keep the port
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  const int why = errno;
  close(fd);
  errno = why;
  return -1;
}

}  // namespace

sched_port::sched_port(int listener, std::uint16_t port, on_call called)
    : listener_(listener), port_(port), called_(std::move(called)) {
  if (listener_ < 0) throw std::runtime_error("port " + std::to_string(port) + ": " + std::strerror(errno));
  stop_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { take_calls(); });
}

sched_port::sched_port(const std::string& address, std::uint16_t port, on_call called)
    : sched_port(listen_at(address, port), port, std::move(called)) {}

std::unique_ptr<sched_port> sched_port::first_free(const std::string& address, std::uint16_t from, on_call called) {
  int listener = -1;
  std::uint16_t port = from;
  while ((listener = listen_at(address, port)) < 0 && errno == EADDRINUSE && port < UINT16_MAX) ++port;
  return std::unique_ptr<sched_port>(new sched_port(listener, port, std::move(called)));
}

sched_port::~sched_port() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(listener_);
  close(stop_);
}

void sched_port::take_calls() {
  constexpr std::chrono::milliseconds again(limits::scheduler_called_again_ms);
  auto last = std::chrono::steady_clock::now() - again;
  for (;;) {
    pollfd what[] = {{listener_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(what, 2, -1) < 0 && errno != EINTR) return;
    if (what[1].revents != 0) return;
    if (what[0].revents == 0) continue;
    if (const int caller = accept(listener_, nullptr, nullptr); caller >= 0) {
      close(caller);
      if (const auto now = std::chrono::steady_clock::now(); now - last >= again) {
        last = now;
        called_();
      }
    } else if (errno == EMFILE || errno == ENFILE) poll(&what[1], 1, 1000);  // there is room again later
  }
}

}  // namespace annals::daemons
