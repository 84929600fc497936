#include "tools/terminal/display_sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace annals::terminal {

namespace {

bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == EINPROGRESS || errno == ENOTCONN; }

// How much of it went out; nothing: nobody takes it any more.
std::optional<std::size_t> written(int fd, std::string_view bytes) {
  const auto n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (n >= 0) return static_cast<std::size_t>(n);
  if (would_wait()) return 0;
  return std::nullopt;
}

void close_all(const std::vector<int>& fds) {
  for (const int fd : fds) close(fd);
}

// -1: not in this family, or the port is taken (errno).
int listen_at(int family, unsigned port) {
  const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(static_cast<std::uint16_t>(port));
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = four.sin_port;
  six.sin6_addr = in6addr_loopback;
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  const auto* address = family == AF_INET ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
  const socklen_t size = family == AF_INET ? sizeof four : sizeof six;
  if (bind(fd, address, size) == 0 && ::listen(fd, SOMAXCONN) == 0) return fd;
  const int why = errno;
  close(fd);
  errno = why;
  return -1;
}

int connect_unix(unsigned number) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = "/tmp/.X11-unix/X" + std::to_string(number);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// One that neither takes nor refuses us in a while may still do so later. -1: it refused.
int connect_tcp(const addrinfo& to) {
  const int fd = socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int wrong = connect(fd, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (wrong == EINPROGRESS) {
    pollfd done{fd, POLLOUT, 0};
    poll(&done, 1, limits::display_connect_ms);
    socklen_t size = sizeof wrong;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &wrong, &size);
  }
  if (wrong == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

// -- both ends ---------------------------------------------------------------------------------------------------------------------

display_sockets::~display_sockets() {
  for (const auto& [id, c] : connections_) close(c.fd);
}

void display_sockets::add(display_channels::channel_id id, int fd, std::optional<x_setup> setup) {
  connections_.insert_or_assign(id, connection{fd, std::move(setup), {}});
}

void display_sockets::add_to(std::vector<pollfd>& waits) const {
  for (const auto& [id, c] : connections_) {
    const bool reads = channels_.room(id) > 0, writes = !c.passed.empty() || !channels_.for_socket(id).empty();
    const auto events = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    if (events != 0) waits.push_back({c.fd, events, 0});
  }
}

void display_sockets::move() {
  for (auto at = connections_.begin(); at != connections_.end();) {
    auto& [id, c] = *at;
    if (write_to(id, c) && read_from(id, c) && !(channels_.is_over(id) && c.passed.empty())) {
      ++at;
      continue;
    }
    close(c.fd);
    channels_.closed(id);
    at = connections_.erase(at);
  }
}

// Both: false, when there is nothing left to do with this connection.
bool display_sockets::read_from(display_channels::channel_id id, connection& c) {
  const auto room = channels_.room(id);
  if (room == 0) return true;
  char bytes[limits::display_piece_bytes];  // one piece each time, so that all have their turn
  const auto n = recv(c.fd, bytes, room, 0);
  if (n < 0) return would_wait();
  channels_.received(id, {bytes, static_cast<std::size_t>(n)});
  return n > 0;
}

bool display_sockets::write_to(display_channels::channel_id id, connection& c) {
  for (;;) {
    if (c.setup && c.passed.empty()) {
      const auto said = channels_.for_socket(id);
      c.passed = c.setup->pass(said);
      channels_.wrote(id, said.size());
      if (c.setup->is_refused()) return false;
    }
    const auto bytes = c.setup ? std::string_view(c.passed) : channels_.for_socket(id);
    if (bytes.empty()) return true;
    const auto done = written(c.fd, bytes);
    if (!done) return false;
    if (*done == 0) return true;
    if (c.setup) c.passed.erase(0, *done);
    else channels_.wrote(id, *done);
  }
}

// -- the job's end -------------------------------------------------------------------------------------------------------------------

offered_display::~offered_display() { close_all(listeners_); }

// With both families, so that nobody else answers under the name localhost.
unsigned offered_display::listen() {
  for (unsigned number = limits::display_first; number <= limits::display_last; ++number) {
    const int four = listen_at(AF_INET, limits::x_port + number);
    if (four < 0) continue;
    const int six = listen_at(AF_INET6, limits::x_port + number);
    if (six < 0 && errno == EADDRINUSE) {
      close(four);
      continue;
    }
    listeners_.push_back(four);
    if (six >= 0) listeners_.push_back(six);
    return number;
  }
  return 0;
}

void offered_display::add_to(std::vector<pollfd>& waits) const {
  if (channels_.may_open())
    for (const int fd : listeners_) waits.push_back({fd, POLLIN, 0});
  display_sockets::add_to(waits);
}

void offered_display::move() {
  for (const int listener : listeners_)
    while (channels_.may_open()) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) break;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      add(channels_.open(), fd, std::nullopt);
    }
  display_sockets::move();
}

// -- the user's end ------------------------------------------------------------------------------------------------------------------

users_display::users_display(display_channels& channels, std::string host, unsigned number, std::string made_cookie,
                             std::string real_cookie)
    : display_sockets(channels),
      host_(std::move(host)),
      made_cookie_(std::move(made_cookie)),
      real_cookie_(std::move(real_cookie)),
      number_(number) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const auto port = std::to_string(limits::x_port + number_);
  if (!host_.empty() && getaddrinfo(host_.c_str(), port.c_str(), &hints, &addresses_) != 0) addresses_ = nullptr;  // nobody is found there
}

users_display::~users_display() {
  if (addresses_ != nullptr) freeaddrinfo(addresses_);
}

int users_display::connect_to_server() const {
  if (host_.empty()) return connect_unix(number_);
  for (const auto* a = addresses_; a != nullptr; a = a->ai_next)
    if (const int fd = connect_tcp(*a); fd >= 0) return fd;
  return -1;
}

void users_display::move() {
  for (const auto id : channels_.opened()) {
    const int fd = connect_to_server();
    if (fd >= 0) add(id, fd, x_setup(made_cookie_, real_cookie_));
    else channels_.closed(id);
  }
  display_sockets::move();
}

}  // namespace annals::terminal
