// The part that Unix and TLS listeners share: accepts what comes and gives each connection to a worker. Descriptors are made
// close-on-exec at once: this process starts others, and a job must not hold our connections.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "actors/link/wire/accepting.hpp"

namespace annals::wire {

class acceptor final : public resident, public std::enable_shared_from_this<acceptor> {
 public:
  // Makes the link of a connection on the worker that it will live on; that worker's thread. Nothing: turned away.
  using make_link = std::function<link_ptr(const std::shared_ptr<worker>&, unique_fd)>;

  acceptor(std::shared_ptr<worker> w, next_worker next, unique_fd listening, make_link make);
  void start();
  void stop();                                     // any thread; nothing is accepted after it returned

  void tick(steady::time_point now) override;      // accepting failed (no descriptors left): tries again
  void begin_end() override { end_now(); }
  void end_now() override;

 private:
  void wait();
  void accept_waiting();
  void welcome(const std::shared_ptr<worker>& w, unique_fd connected);

  std::shared_ptr<worker> worker_;
  next_worker next_;
  make_link make_;
  boost::asio::posix::stream_descriptor socket_;
  bool ended_ = false, pausing_ = false;
};

}  // namespace annals::wire
