#include "actors/link/wire/acceptor.hpp"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>

namespace annals::wire {

acceptor::acceptor(std::shared_ptr<worker> w, next_worker next, unique_fd listening, make_link make)
    : worker_(std::move(w)), next_(std::move(next)), make_(std::move(make)), socket_(worker_->io, listening.release()) {}

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

// A few at a time, so that a crowd at the door does not keep those inside from being served.
void acceptor::accept_waiting() {
  for (int n = 0; n < 64; ++n) {
    auto connected = std::make_shared<unique_fd>(
        ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!*connected) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      if (errno == EINTR || errno == ECONNABORTED) continue;
      pausing_ = true;   // EMFILE, ENFILE, ENOBUFS, ENOMEM: tick tries again
      return;
    }
    const auto to = next_();
    boost::asio::post(to->io, [weak = std::weak_ptr(to), connected, self = shared_from_this()] {
      if (const auto there = weak.lock()) self->welcome(there, std::move(*connected));
    });
  }
  wait();
}

void acceptor::welcome(const std::shared_ptr<worker>& w, unique_fd connected) {
  try {
    if (const auto l = make_(w, std::move(connected))) l->start();
  } catch (const boost::system::system_error&) {
    // The kernel has no room to watch one more descriptor: this connection is closed, the others live on.
  }
}

void acceptor::tick(steady::time_point) {
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
