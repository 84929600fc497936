// Frames between processes: sockets, TLS, identity. No CAF, so that commands can use it too. The only folder that knows
// Boost.Asio and OpenSSL (both hidden behind these declarations). docs/design/0003-links.md is its contract.
//
// A frame on the wire is a u32 little-endian length and that many bytes of one flat Cap'n Proto message; length 0 is a
// heartbeat. Bounds: actors/link/wire/wire_limits.hpp. A bad frame ends its connection, never the process. A daemon is down
// when nothing came from it for limits::peer_silence_s, whatever TCP says; heartbeats are sent by the library. A local peer
// needs none: the kernel says at once when it is gone.
//
// Two libraries: annals_wire_client holds frames and blocking_client (no Asio, no OpenSSL), annals_wire the rest.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/link/wire/people.hpp"
#include "actors/link/wire/requests_in_hand.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "events/schema/message.hpp"

namespace annals::wire {

// Who is at the other end, as the kernel or a certificate says it; never the peer's own word.
struct identity {
  enum class kind { local,
                    mom,
                    scheduler,
                    server,
                    comm,
                    follower,
                    remote };
  static constexpr std::uint32_t nobody = UINT32_MAX;  // no uid and no gid is this
  kind what = kind::local;
  // local: user name (the uid in digits when it has none); mom, comm, follower: host name; scheduler: scheduler object's name; server: host
  // name; remote: user on another host: of a run there, by the word of its MoM and of the log, or of a login host, by that of its pbs_comm
  std::string name;
  std::uint32_t uid = 0;  // local; of a remote user `nobody`, as another host's numbers say nothing here
  std::uint32_t gid = 0;
  std::int64_t pid = 0;
  std::string address = {};  // "10.0.0.3:40312" for logs; empty for local
  std::string group = {};    // local and remote: name of the primary group (the gid in digits when it has none)
  std::string host = {};     // remote: where its command is, as the certificate of the MoM or pbs_comm names it
};
const char* word_of(identity::kind what);  // "local", "mom", "scheduler", "server", "comm", "follower", "remote"

// One open connection. Any thread may call; callbacks come on an I/O thread of the pool, one at a time per connection.
class connection {
 public:
  virtual ~connection() = default;
  virtual std::uint64_t id() const = 0;  // unique in the process, never reused
  virtual const identity& peer() const = 0;
  // Never blocks; dropped when closed. Frames arrive in the order of the calls. A message above
  // limits::daemon_frame_bytes_max closes the connection: no peer would take it.
  virtual void send(const schema::sealed_message& message) = 0;
  // What was sent before goes out first (a peer that takes nothing for limits::close_ms loses it); nothing is received after.
  virtual void close(const std::string& why) = 0;
  virtual bool is_open() const = 0;  // false: nothing more is taken
  virtual std::size_t unsent_bytes() const = 0;
  // Stops and restarts reading from the peer: back-pressure when the owner has too much of its work in hand.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;
  // Called in `received`, by an owner who answers requests: one of so many bytes is in hand until the last copy of what this returns is
  // gone. While too much is in hand, nothing more is read (requests_in_hand.hpp).
  virtual std::shared_ptr<void> take_in_hand(std::size_t /*bytes*/) { return nullptr; }
  // Whose requests come from now on, where the peer is a daemon that speaks for users; nobody's (""): its own.
  virtual void counts_for(const std::string& /*user*/) {}
};
using connection_ptr = std::shared_ptr<connection>;

// Why a listener does not want somebody: it has no place for the connection now, or a frame is above the limit.
enum class refusal { no_room,
                     frame_too_large };

struct handler {
  std::function<void(const connection_ptr&)> opened;  // after TLS and identity are known
  std::function<void(const connection_ptr&, schema::sealed_message)> received;
  // Optional: in place of received, of a frame that a read brought alone: perhaps nobody else wants anything.
  std::function<void(const connection_ptr&, schema::sealed_message)> received_alone;
  std::function<void(const connection_ptr&, const std::string& why)> closed;  // once; also after close()
  // Optional: more than unsent_pause_bytes waited for the peer, and now less does.
  std::function<void(const connection_ptr&)> drained;
  // Optional, for logs. A dialer's attempt failed (a reason that repeats is told once): "connect to q1:15001: Connection refused".
  // Or a listener turned somebody away, or cut a peer off that broke the rules: at most one line a minute of each user or address.
  std::function<void(const std::string& why)> failed;
  // Optional, of a Unix listener: what a peer is told before it is turned away, or cut off for what it sent. It may not have asked
  // anything yet.
  std::function<std::vector<schema::sealed_message>(refusal why, const std::string& text)> last_words;
};

// The CA's certificate, and the certificate and key of this process. Files are PEM; one file may hold all three.
// The key's file must be for its owner only (mode 600). A pool reads them once.
struct credentials {
  std::string ca_file, certificate_file, key_file;
  auto operator<=>(const credentials&) const = default;
  static credentials bundle(const std::string& file) { return {file, file, file}; }  // daemon.pem
};

// For whom the certificate in a PEM file is. Throws wire_error naming the file.
identity identity_in_file(const std::string& certificate_file);

// How many files this process may have open (RLIMIT_NOFILE).
std::size_t descriptors_of_process();

// The bounds of a pool's connections; tests make them small.
struct io_options {
  std::size_t client_frame_bytes_max = limits::client_frame_bytes_max;
  std::size_t daemon_frame_bytes_max = limits::daemon_frame_bytes_max;
  int heartbeat_ms = limits::heartbeat_ms;
  int peer_silence_ms = limits::peer_silence_s * 1000;
  int handshake_ms = limits::handshake_ms;
  std::size_t unsent_pause_bytes = limits::unsent_pause_bytes;
  std::size_t unread_bytes_max = limits::unread_bytes_max;
  int unread_ms = limits::unread_ms;
  std::size_t unsent_bytes_max = limits::unsent_bytes_max;
  int close_ms = limits::close_ms;
  int frame_ms = limits::frame_ms;
  int complaint_ms = limits::complaint_ms;
  in_hand_bounds in_hand = {};
  std::size_t descriptors = 0;  // that the process may have; 0: its RLIMIT_NOFILE
  int redial_ms_min = limits::redial_ms_min;
  int redial_ms_max = limits::redial_ms_max;
  look_up_person who_is = person_by_name_service;  // of peers of Unix sockets; called on threads of its own, may block
};

class listener {
 public:
  virtual ~listener() = default;  // stops listening; open connections stay
  virtual std::uint16_t port() const = 0;
};

// A few threads that run all sockets of the process. The handlers and what they use must outlive the pool.
class io_pool {
 public:
  explicit io_pool(unsigned threads = 1, io_options options = {});
  ~io_pool();  // closes everything, tells every `closed`, and joins the threads

  // Throws wire_error naming the address and what is wrong (in use, permission). A socket left by a dead process is replaced.
  std::unique_ptr<listener> listen_unix(const std::string& path, unsigned mode, handler h);
  // Port 0: the system chooses one (listener::port). Who has a certificate of our CA gets in; the owner looks at peer().
  std::unique_ptr<listener> listen_tls(const std::string& address, std::uint16_t port, const credentials& c, handler h);

  // Keeps trying until destroyed: each loss of the connection is followed by a new attempt (0.1 s, doubling to 5 s).
  // The peer must present a certificate of the same CA for `expected` and, unless it is empty, `expected_name`.
  // Destroying the dialer closes its connection. Throws wire_error: the credentials can't be used.
  class dialer {
   public:
    virtual ~dialer() = default;
    virtual void now() = 0;  // one that pauses between attempts makes the next one
  };
  std::unique_ptr<dialer> dial_tls(const std::string& host, std::uint16_t port, const credentials& c,
                                   identity::kind expected, handler h, const std::string& expected_name = {});

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

struct wire_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The blocking client of the commands: plain system calls, no threads, no Asio; starts in microseconds. One thread.
class blocking_client {
 public:
  // Throws wire_error: connection refused, no such socket, no permission.
  static blocking_client connect_unix(const std::string& path);
  blocking_client(blocking_client&&) noexcept;
  blocking_client& operator=(blocking_client&&) noexcept;
  ~blocking_client();
  // Returns when the kernel has it. Takes in what comes meanwhile, so that both ends may send a lot without waiting for each
  // other. A server that closed, but said something before, is met by receive(). Throws wire_error: the server closed, or the
  // message is above limits::client_frame_bytes_max.
  void send(const schema::sealed_message& message);
  // The next frame; throws wire_error when the server closes or nothing comes for timeout_ms (-1: for ever).
  schema::sealed_message receive(int timeout_ms = -1);
  // For who waits for other things too: the socket to poll, and a frame if one has come (false: none). Throws wire_error: the server
  // closed.
  int descriptor() const;
  bool take(schema::sealed_message& message);

 private:
  struct state;
  explicit blocking_client(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

// The cluster's own certificate authority. Keys and the CA directory are for the owner only (600, 700).
// All throw wire_error naming the file and what is wrong.
class authority {
 public:
  // Makes dir with the CA's key and certificate unless they exist; what exists is never overwritten. Safe against a crash
  // and against another process doing the same. dir's parent must exist.
  static authority open_or_create(const std::string& dir);
  // The CA must exist.
  static authority open(const std::string& dir);

  // Certificate and key for one daemon, valid for this kind and name only; PEM texts. Names: 1-253 of [A-Za-z0-9._-].
  struct issued {
    std::string ca_pem, certificate_pem, key_pem;
    std::string bundle() const { return ca_pem + certificate_pem + key_pem; }  // the text of a daemon.pem
  };
  issued issue(identity::kind what, const std::string& name) const;
  const std::string& ca_file() const { return ca_file_; }

 private:
  explicit authority(std::string dir) : dir_(std::move(dir)), ca_file_(dir_ + "/ca.pem") {}
  std::string dir_, ca_file_;
};

// Writes a new file of mode 600 and syncs it; throws wire_error when it exists or can't be made.
void create_private_file(const std::string& path, const std::string& text);

}  // namespace annals::wire
