// The commands' end of a Unix socket. Commands start hundreds of times a second, so this file and what it links know neither
// Asio nor OpenSSL.
#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>

#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/socket_path.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::wire {

namespace {

using clock = std::chrono::steady_clock;

// Waits until the socket can be read or (when asked) written; -1 for ever. False: the time is over.
bool wait_for(int fd, short what, int timeout_ms) {
  pollfd p{fd, what, 0};
  const auto end = clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    int left = timeout_ms;
    if (timeout_ms >= 0) {
      const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
      left = rest > 0 ? static_cast<int>(rest) : 0;
    }
    const int n = ::poll(&p, 1, left);
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) throw wire_error(with_errno("poll"));
  }
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

struct blocking_client::state {
  unique_fd fd;
  frame_buffer in{limits::daemon_frame_bytes_max};
  std::deque<schema::sealed_message> received;  // came in while something was sent

  // Takes what has come, without waiting. False: nothing was there.
  bool read_some() {
    const auto space = in.space();
    const ssize_t n = ::recv(fd.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (n == 0) throw wire_error(in.left() ? "the server closed the connection in the middle of a frame"
                                           : "the server closed the connection");
    if (n < 0 && (would_block() || errno == EINTR)) return false;
    if (n < 0) throw wire_error(with_errno("the connection to the server is lost"));
    in.filled(static_cast<std::size_t>(n));
    return true;
  }

  // A whole frame among what was read; heartbeats are nothing to the caller.
  bool next(schema::sealed_message& message) {
    std::string why;
    while (true) {
      switch (in.next(message, why)) {
        case frame_buffer::found::message: return true;
        case frame_buffer::found::heartbeat: continue;
        case frame_buffer::found::nothing: return false;
        case frame_buffer::found::garbage: throw wire_error("the server sent garbage: " + why);
      }
    }
  }

  void take_in() {
    schema::sealed_message message;
    while (read_some())
      while (next(message)) received.push_back(std::move(message));
  }

  // Takes in what has come. False: the server has closed, and said something before.
  bool goes_on() {
    try {
      take_in();
      return true;
    } catch (const wire_error&) {
      if (received.empty()) throw;
      return false;
    }
  }
};

blocking_client::blocking_client(std::unique_ptr<state> s) : state_(std::move(s)) {}
blocking_client::blocking_client(blocking_client&&) noexcept = default;
blocking_client& blocking_client::operator=(blocking_client&&) noexcept = default;
blocking_client::~blocking_client() = default;

blocking_client blocking_client::connect_unix(const std::string& path) {
  const socket_address address(path);
  auto s = std::make_unique<state>();
  s->fd = unique_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!s->fd) throw wire_error(with_errno("socket"));
  while (::connect(s->fd.get(), address.get(), address.size()) != 0) {
    if (errno != EINTR) throw wire_error(with_errno("connect to " + path));
  }
  return blocking_client(std::move(s));
}

void blocking_client::send(const schema::sealed_message& message) {
  const auto body = message.bytes();
  if (body.size() > limits::client_frame_bytes_max)
    throw wire_error("a request of " + std::to_string(body.size()) + " bytes is larger than the limit of " +
                     std::to_string(limits::client_frame_bytes_max) + " bytes");
  auto header = frame_header(body.size());
  iovec parts[2] = {{header.data(), header.size()}, {const_cast<std::byte*>(body.data()), body.size()}};
  msghdr what{};
  what.msg_iov = parts;
  what.msg_iovlen = 2;
  for (std::size_t left = header.size() + body.size(); left > 0;) {
    const ssize_t n = ::sendmsg(state_->fd.get(), &what, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && would_block()) {
      wait_for(state_->fd.get(), POLLIN | POLLOUT, -1);
      if (!state_->goes_on()) return;
    } else if (n < 0 && errno != EINTR) {
      const wire_error lost(with_errno("the connection to the server is lost"));
      if (!state_->goes_on()) return;
      throw lost;
    }
    if (n <= 0) continue;
    left -= static_cast<std::size_t>(n);
    for (std::size_t done = static_cast<std::size_t>(n); auto& part : parts) {
      const std::size_t here = std::min(done, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + here;
      part.iov_len -= here;
      done -= here;
    }
  }
}

int blocking_client::descriptor() const { return state_->fd.get(); }

bool blocking_client::take(schema::sealed_message& message) {
  if (!state_->received.empty()) {
    message = std::move(state_->received.front());
    state_->received.pop_front();
    return true;
  }
  while (!state_->next(message))
    if (!state_->read_some()) return false;
  return true;
}

schema::sealed_message blocking_client::receive(int timeout_ms) {
  schema::sealed_message message;
  if (!state_->received.empty()) {
    message = std::move(state_->received.front());
    state_->received.pop_front();
    return message;
  }
  const auto end = clock::now() + std::chrono::milliseconds(timeout_ms);
  while (!state_->next(message)) {
    if (state_->read_some()) continue;
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    if (!wait_for(state_->fd.get(), POLLIN, timeout_ms < 0 ? -1 : static_cast<int>(std::max<long>(rest, 0))))
      throw wire_error("nothing came from the server for " + std::to_string(timeout_ms) + " ms");
  }
  return message;
}

}  // namespace annals::wire
