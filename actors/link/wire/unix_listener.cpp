// The gateway's door: a Unix socket whose peers the kernel names (SO_PEERCRED), in numbers; the name service knows the names.
#include "actors/link/wire/unix_listener.hpp"

#include <sys/stat.h>
#include <sys/uio.h>

#include <boost/asio/dispatch.hpp>
#include <cerrno>
#include <optional>
#include <vector>

#include "actors/link/wire/acceptor.hpp"
#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/link.hpp"
#include "actors/link/wire/people.hpp"
#include "actors/link/wire/unix_transport.hpp"

namespace annals::wire {

namespace {

// Nobody answers at the path, so the socket there was left by a process that died.
void remove_if_dead(const std::string& path, const socket_address& address) {
  struct stat s {};
  if (::lstat(path.c_str(), &s) != 0) return;
  if (!S_ISSOCK(s.st_mode)) throw wire_error(path + ": exists and is not a socket");
  const unique_fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) throw wire_error(with_errno(path));
  const bool answered = ::connect(probe.get(), address.get(), address.size()) == 0 || errno == EAGAIN;
  if (answered) throw wire_error(path + ": Address already in use");
  if (errno == ECONNREFUSED) ::unlink(path.c_str());
}

std::optional<ucred> peer_of(int connected) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  return peer;
}

class unix_door final : public door, public std::enable_shared_from_this<unix_door> {
 public:
  unix_door(const rooms& r, const handler& h, const io_options& o)
      : rooms_(r), owner_(h), people_(o.who_is), complaints_(std::make_shared<complaints>(h.failed, o.complaint_ms)) {}

  std::shared_ptr<void> admit(int connected) override {
    const auto peer = peer_of(connected);
    if (!peer) return nullptr;
    const auto& places = peer->uid == 0 || peer->uid == ::getuid() ? rooms_.own : rooms_.ordinary;
    std::size_t has = 0;
    auto place = places->enter(peer->uid, has);
    if (place) return std::make_shared<visitor>(visitor{{}, *peer, std::move(place)});
    turn_away(connected, has > 0 ? "too many connections (limit " + std::to_string(has) + ")"
                                 : "too many connections of others (limit " + std::to_string(places->places()) + ")");
    return nullptr;
  }

  // What fits into the socket's buffer is read by the peer after we have closed our end.
  void turn_away(int connected, const std::string& why) override {
    const auto peer = peer_of(connected);
    if (!peer) return;
    const std::string who = "user " + people_.name_of(peer->uid);
    complaints_->add(who, who + " turned away: " + why, steady::now());
    if (!owner_.last_words) return;
    for (const auto& message : owner_.last_words(refusal::no_room, who + ": " + why)) {
      const auto body = message.bytes();
      const auto header = frame_header(body.size());
      iovec parts[2] = {{const_cast<std::byte*>(header.data()), header.size()}, {const_cast<std::byte*>(body.data()), body.size()}};
      msghdr what{};
      what.msg_iov = parts;
      what.msg_iovlen = 2;
      (void)::sendmsg(connected, &what, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }

  // The name service may take long to say who it is; all others are served meanwhile.
  void welcome(const std::shared_ptr<worker>& w, unique_fd connected, std::shared_ptr<void> place) override {
    const auto waiting = std::static_pointer_cast<visitor>(place);  // as admit() made him
    waiting->connected = std::move(connected);
    const bool asked =
        people_.ask(waiting->peer.uid, waiting->peer.gid, [self = weak_from_this(), to = std::weak_ptr(w), waiting](const person& who) {
          if (const auto there = to.lock())
            boost::asio::dispatch(there->io, [self, to, waiting, who] {
              const auto here = self.lock();
              const auto on = to.lock();
              if (here && on) here->let_in(on, *waiting, who);
            });
        });
    if (!asked)
      turn_away(waiting->connected.get(),
                "too many users wait to be looked up (limit " + std::to_string(limits::lookups_waiting_max) + ")");
  }

  void tick(steady::time_point now) override { complaints_->tick(now); }

 private:
  struct visitor {
    unique_fd connected;
    ucred peer;
    std::shared_ptr<void> place;
  };

  void let_in(const std::shared_ptr<worker>& w, visitor& v, const person& is) {
    identity who;
    who.name = is.user;
    who.group = is.group;
    who.uid = v.peer.uid;
    who.gid = v.peer.gid;
    who.pid = v.peer.pid;
    link_setup setup;
    setup.owner = owner_;
    setup.frame_bytes_max = w->options.client_frame_bytes_max;
    setup.place = std::move(v.place);
    setup.in_hand = rooms_.in_hand;
    setup.complaint_of = complaints_;
    try {
      std::make_shared<link>(w, unix_transport(*w, std::move(v.connected), std::move(who)), std::move(setup))->start();
    } catch (const boost::system::system_error&) {
      // The kernel has no room to watch one more descriptor: this connection is closed, the others live on.
    }
  }

  const rooms rooms_;
  const handler owner_;
  people people_;
  const std::shared_ptr<complaints> complaints_;
};

class unix_listener final : public listener {
 public:
  unix_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& path, unsigned mode, handler h)
      : path_(path) {
    unique_fd fd = bound(path, mode);
    struct stat s {};
    if (::lstat(path.c_str(), &s) == 0) inode_ = s.st_ino;
    auto d = std::make_shared<unix_door>(r, h, w->options);
    acceptor_ = std::make_shared<acceptor>(std::move(w), std::move(next), std::move(fd), std::move(d));
    acceptor_->start();
  }

  ~unix_listener() override {
    acceptor_->stop();
    struct stat s {};
    if (::lstat(path_.c_str(), &s) == 0 && s.st_ino == inode_) ::unlink(path_.c_str());  // not a successor's
  }

  std::uint16_t port() const override { return 0; }

 private:
  static unique_fd bound(const std::string& path, unsigned mode) {
    const socket_address address(path);
    remove_if_dead(path, address);
    unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd || ::bind(fd.get(), address.get(), address.size()) != 0) throw wire_error(with_errno(path));
    // Nobody gets in between these two: until listen() a connection is refused.
    if (::chmod(path.c_str(), mode) != 0 || ::listen(fd.get(), 4096) != 0) throw wire_error(with_errno(path));
    return fd;
  }

  std::string path_;
  ino_t inode_ = 0;
  std::shared_ptr<acceptor> acceptor_;
};

}  // namespace

std::unique_ptr<listener> make_unix_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& path,
                                             unsigned mode, handler h) {
  return std::make_unique<unix_listener>(std::move(w), std::move(next), r, path, mode, std::move(h));
}

}  // namespace annals::wire
