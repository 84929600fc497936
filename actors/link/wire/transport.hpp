// The socket under a connection: Unix or TLS over TCP. Completions call the link back on its worker's thread; each operation
// keeps the link alive until then. At most one read and one write are under way.
#pragma once

#include <boost/asio/buffer.hpp>
#include <memory>
#include <span>

#include "actors/link/wire/wire.hpp"

namespace annals::wire {

class link;
using link_ptr = std::shared_ptr<link>;

class transport {
 public:
  virtual ~transport() = default;
  virtual void handshake(const link_ptr& l) = 0;  // -> on_handshake
  // Into the link's space(), asked for when there may be something to put there. -> on_read
  virtual void read_some(const link_ptr& l) = 0;
  virtual void write_some(std::span<const boost::asio::const_buffer> parts, const link_ptr& l) = 0;  // -> on_written
  // Whether other threads may write, while nothing else is being written; and what the socket takes of it at once, in bytes.
  virtual bool can_write_at_once() const { return false; }
  virtual std::size_t write_at_once(std::span<const std::byte> /*header*/, std::span<const std::byte> /*body*/) { return 0; }
  // The peer reads the end after what was written.
  virtual void end_writing() = 0;
  // What is under way completes with an error.
  virtual void close() = 0;
  // Who the peer is; after the handshake. Throws wire_error: the certificate names nobody.
  virtual identity peer() = 0;
  // A remote host can vanish without a word; the kernel tells us about a local process.
  virtual bool needs_heartbeats() const = 0;
};

}  // namespace annals::wire
