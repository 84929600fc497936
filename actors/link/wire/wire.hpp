// Frames between processes: sockets, TLS, identity. No CAF, so that commands can use it too. The only folder that knows
// Boost.Asio and OpenSSL (both hidden behind these declarations).
//
// A frame on the wire is a u32 little-endian length and that many bytes of one flat Cap'n Proto message; length 0 is a
// heartbeat. Bounds: actors/link/wire/wire_limits.hpp. A bad frame ends its connection, never the process. A peer is down when
// nothing came from it for limits::peer_silence_s, whatever TCP says; heartbeats are sent by the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "events/schema/message.hpp"

namespace annals::wire {

// Who is at the other end, as the kernel or a certificate says it; never the peer's own word.
struct identity {
  enum class kind { local, mom, scheduler, server };
  kind what = kind::local;
  std::string name;            // local: user name; mom: host name; scheduler: scheduler object's name; server: host name
  std::uint32_t uid = 0;       // local only
  std::uint32_t gid = 0;
  std::int64_t pid = 0;
};

// One open connection. Any thread may call; callbacks come on an I/O thread of the pool, one at a time per connection.
class connection {
 public:
  virtual ~connection() = default;
  virtual std::uint64_t id() const = 0;               // unique in the process, never reused
  virtual const identity& peer() const = 0;
  virtual void send(const schema::sealed_message& message) = 0;   // never blocks; dropped when closed
  virtual void close(const std::string& why) = 0;
  virtual std::size_t unsent_bytes() const = 0;
  // Stops and restarts reading from the peer: back-pressure when the owner has too much of its work in hand.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;
};
using connection_ptr = std::shared_ptr<connection>;

struct handler {
  std::function<void(const connection_ptr&)> opened;                                  // after TLS and identity are known
  std::function<void(const connection_ptr&, schema::sealed_message)> received;
  std::function<void(const connection_ptr&, const std::string& why)> closed;          // once; also after close()
};

// The CA's certificate, and the certificate and key of this process. Files are PEM.
struct credentials { std::string ca_file, certificate_file, key_file; };

class listener {
 public:
  virtual ~listener() = default;      // stops listening; open connections stay
  virtual std::uint16_t port() const = 0;
};

// A few threads that run all sockets of the process.
class io_pool {
 public:
  explicit io_pool(unsigned threads = 1);
  ~io_pool();                          // closes everything and joins the threads

  // Throws wire_error naming the address and what is wrong (in use, permission).
  std::unique_ptr<listener> listen_unix(const std::string& path, unsigned mode, handler h);
  std::unique_ptr<listener> listen_tls(const std::string& address, std::uint16_t port, const credentials& c, handler h);

  // Keeps trying until stopped: each loss of the connection is followed by a new attempt (0.1 s, doubling to 5 s).
  // The peer must present a certificate of the same CA for `expected`.
  class dialer { public: virtual ~dialer() = default; };
  std::unique_ptr<dialer> dial_tls(const std::string& host, std::uint16_t port, const credentials& c,
                                   identity::kind expected, handler h);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

struct wire_error : std::runtime_error { using std::runtime_error::runtime_error; };

// The blocking client of the commands: plain system calls, no threads, no Asio; starts in microseconds.
class blocking_client {
 public:
  // Throws wire_error: connection refused, no such socket, no permission.
  static blocking_client connect_unix(const std::string& path);
  blocking_client(blocking_client&&) noexcept;
  ~blocking_client();
  void send(const schema::sealed_message& message);
  // The next frame; throws wire_error when the server closes or nothing comes for timeout_ms (-1: for ever).
  schema::sealed_message receive(int timeout_ms = -1);

 private:
  explicit blocking_client(int fd) : fd_(fd) {}
  int fd_;
};

// The cluster's own certificate authority. Keys and the CA directory are for the owner only (600, 700).
class authority {
 public:
  // Makes CA key and certificate in dir unless they exist.
  static authority open_or_create(const std::string& dir);
  // Certificate and key for one daemon, valid for this kind and name only; PEM texts.
  struct issued { std::string ca_pem, certificate_pem, key_pem; };
  issued issue(identity::kind what, const std::string& name) const;
  const std::string& ca_file() const { return ca_file_; }

 private:
  std::string dir_, ca_file_;
};

}  // namespace annals::wire
