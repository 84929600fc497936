// What one connection has to write next: messages become frames, small ones gathered in one piece so that thousands leave
// with one system call (or one TLS record), large ones written from where they are. One thread.
#pragma once

#include <boost/asio/buffer.hpp>
#include <span>
#include <vector>

#include "events/schema/message.hpp"

namespace annals::wire {

class outgoing {
 public:
  // Everything before must have been written.
  void take(std::vector<schema::sealed_message>& messages);  // leaves it empty, with its capacity for the next ones
  void take_heartbeat();

  bool empty() const { return at_ == parts_.size() && next_ == queue_.size(); }
  // The next pieces to write, at most a batch; valid until wrote().
  std::span<const boost::asio::const_buffer> parts();
  void wrote(std::size_t bytes);
  // So much of what was just taken has left already.
  void skip(std::size_t bytes) {
    (void)parts();
    wrote(bytes);
  }

 private:
  void gather();

  std::vector<schema::sealed_message> queue_;
  std::size_t next_ = 0;   // first of queue_ that is not in parts_
  std::size_t first_ = 0;  // first of queue_ that parts_ refers to
  std::vector<std::byte> gathered_;
  std::vector<boost::asio::const_buffer> parts_;
  std::size_t at_ = 0;  // first of parts_ that is not written
};

}  // namespace annals::wire
