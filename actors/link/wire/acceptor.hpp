// The part that Unix and TLS listeners share: accepts what comes and gives each connection to a worker. Descriptors are made
// close-on-exec at once: this process starts others, and a job must not hold our connections.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "actors/link/wire/accepting.hpp"
#include "actors/link/wire/socket_path.hpp"

namespace annals::wire {

// Who may come in.
class door {
 public:
  virtual ~door() = default;
  // On the acceptor's thread. A place for who came; null: there is none, and he was told.
  virtual std::shared_ptr<void> admit(int connected) = 0;
  // The same: there is no descriptor for him.
  virtual void turn_away(int connected, const std::string& why) = 0;
  // Starts the link of a connection, now or later, on the thread of the worker that it will live on, which this is.
  virtual void welcome(const std::shared_ptr<worker>& w, unique_fd connected, std::shared_ptr<void> place) = 0;
  virtual void tick(steady::time_point now) = 0;
};

class acceptor final : public resident, public std::enable_shared_from_this<acceptor> {
 public:
  acceptor(std::shared_ptr<worker> w, next_worker next, unique_fd listening, std::shared_ptr<door> d);
  void start();
  void stop();  // any thread; nothing is accepted after it returned

  void tick(steady::time_point now) override;  // accepting failed (no descriptors left): tries again
  void begin_end() override { end_now(); }
  void end_now() override;

 private:
  void wait();
  void accept_waiting();
  unique_fd accept();
  bool turn_one_away(const std::string& why);
  void welcome(const std::shared_ptr<worker>& w, unique_fd connected, std::shared_ptr<void> place);

  std::shared_ptr<worker> worker_;
  next_worker next_;
  std::shared_ptr<door> door_;
  boost::asio::posix::stream_descriptor socket_;
  unique_fd spare_;  // given up for a moment to tell somebody that there are none
  bool ended_ = false, pausing_ = false;
};

}  // namespace annals::wire
