#include "actors/link/wire/acceptor.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>

namespace annals::wire {

namespace {

unique_fd spare_descriptor() { return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

acceptor::acceptor(std::shared_ptr<worker> w, next_worker next, unique_fd listening, std::shared_ptr<door> d)
    : worker_(std::move(w)),
      next_(std::move(next)),
      door_(std::move(d)),
      socket_(worker_->io, listening.release()),
      spare_(spare_descriptor()) {}

void acceptor::start() {
  boost::asio::post(worker_->io, [self = shared_from_this()] {
    self->worker_->add(self);
    if (!self->ended_) self->wait();
  });
}

void acceptor::stop() {
  worker_->run_and_wait([this] { end_now(); });
}

void acceptor::wait() {
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [self = shared_from_this()](error_code ec) {
    if (!ec && !self->ended_) self->accept_waiting();
  });
}

unique_fd acceptor::accept() {
  return unique_fd(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

// A few at a time, so that a crowd at the door does not keep those inside from being served.
void acceptor::accept_waiting() {
  for (int n = 0; n < 64; ++n) {
    auto connected = std::make_shared<unique_fd>(accept());
    if (!*connected) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (errno == EINTR || errno == ECONNABORTED) continue;
      const bool none_left = errno == EMFILE || errno == ENFILE;
      if (none_left && turn_one_away(errno == EMFILE ? "no file descriptors are left" : "the host has no file descriptors left")) continue;
      pausing_ = true;  // ENOBUFS, ENOMEM: tick tries again
      return;
    }
    auto place = door_->admit(connected->get());
    if (!place) continue;
    const auto to = next_(worker_);
    if (to == worker_) {
      welcome(to, std::move(*connected), std::move(place));
      continue;
    }
    ++to->connections;
    boost::asio::post(to->io, [weak = std::weak_ptr(to), connected, place = std::move(place), self = shared_from_this()]() mutable {
      const auto there = weak.lock();
      if (!there) return;
      self->welcome(there, std::move(*connected), std::move(place));
      --there->connections;
    });
  }
  wait();
}

// A connection that nobody accepts would wait for ever, and its peer would not know why.
bool acceptor::turn_one_away(const std::string& why) {
  if (!spare_) spare_ = spare_descriptor();
  if (!spare_) return false;
  spare_ = unique_fd();
  const unique_fd connected = accept();
  if (connected) door_->turn_away(connected.get(), why);
  return static_cast<bool>(connected);
}

void acceptor::welcome(const std::shared_ptr<worker>& w, unique_fd connected, std::shared_ptr<void> place) {
  try {
    door_->welcome(w, std::move(connected), std::move(place));
  } catch (const boost::system::system_error&) {
    // The kernel has no room to watch one more descriptor: this connection is closed, the others live on.
  }
}

void acceptor::tick(steady::time_point now) {
  door_->tick(now);
  if (!spare_) spare_ = spare_descriptor();
  if (!pausing_) return;
  pausing_ = false;
  wait();
}

void acceptor::end_now() {
  if (ended_) return;
  ended_ = true;
  error_code ignored;
  socket_.close(ignored);
  worker_->remove(shared_from_this());
}

}  // namespace annals::wire
