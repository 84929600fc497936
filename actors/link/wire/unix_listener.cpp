// The gateway's door: a Unix socket whose peers the kernel names (SO_PEERCRED).
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <vector>

#include "actors/link/wire/acceptor.hpp"

namespace annals::wire {

namespace {

// Names of users, as getpwuid_r says. Looking one up may ask a directory service, so an answer is kept for a while.
class user_names {
 public:
  std::string of(uid_t uid) {
    const auto now = steady::now();
    {
      std::lock_guard lock(mutex_);
      const auto at = known_.find(uid);
      if (at != known_.end() && now - at->second.since < std::chrono::minutes(1)) return at->second.name;
    }
    std::string name = look_up(uid);
    std::lock_guard lock(mutex_);
    known_[uid] = {name, now};
    return name;
  }

 private:
  struct entry { std::string name; steady::time_point since; };

  static std::string look_up(uid_t uid) {
    passwd user{};
    passwd* found = nullptr;
    std::vector<char> memory(16384);
    while (getpwuid_r(uid, &user, memory.data(), memory.size(), &found) == ERANGE) memory.resize(2 * memory.size());
    return found ? found->pw_name : std::to_string(uid);
  }

  std::mutex mutex_;
  std::map<uid_t, entry> known_;
};

// Nobody answers at the path, so the socket there was left by a process that died.
void remove_if_dead(const std::string& path, const socket_address& address) {
  struct stat s{};
  if (::lstat(path.c_str(), &s) != 0) return;
  if (!S_ISSOCK(s.st_mode)) throw wire_error(path + ": exists and is not a socket");
  const unique_fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) throw wire_error(with_errno(path));
  const bool answered = ::connect(probe.get(), address.get(), address.size()) == 0 || errno == EAGAIN;
  if (answered) throw wire_error(path + ": Address already in use");
  if (errno == ECONNREFUSED) ::unlink(path.c_str());
}

class unix_listener final : public listener {
 public:
  unix_listener(std::shared_ptr<worker> w, next_worker next, const std::string& path, unsigned mode, handler h)
      : path_(path) {
    unique_fd fd = bound(path, mode);
    struct stat s{};
    if (::lstat(path.c_str(), &s) == 0) inode_ = s.st_ino;
    auto names = std::make_shared<user_names>();
    acceptor_ = std::make_shared<acceptor>(std::move(w), std::move(next), std::move(fd),
                                           [h = std::move(h), names](const std::shared_ptr<worker>& to, unique_fd connected) {
                                             return make_link(to, std::move(connected), h, *names);
                                           });
    acceptor_->start();
  }

  ~unix_listener() override {
    acceptor_->stop();
    struct stat s{};
    if (::lstat(path_.c_str(), &s) == 0 && s.st_ino == inode_) ::unlink(path_.c_str());   // not a successor's
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

  static link_ptr make_link(const std::shared_ptr<worker>& w, unique_fd connected, const handler& h, user_names& names) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return nullptr;
    identity who;
    who.name = names.of(peer.uid);
    who.uid = peer.uid;
    who.gid = peer.gid;
    who.pid = peer.pid;
    link_setup setup;
    setup.owner = h;
    setup.frame_bytes_max = w->options.client_frame_bytes_max;
    return std::make_shared<link>(w, unix_transport(*w, std::move(connected), std::move(who)), std::move(setup));
  }

  std::string path_;
  ino_t inode_ = 0;
  std::shared_ptr<acceptor> acceptor_;
};

}  // namespace

std::unique_ptr<listener> make_unix_listener(std::shared_ptr<worker> w, next_worker next, const std::string& path,
                                             unsigned mode, handler h) {
  return std::make_unique<unix_listener>(std::move(w), std::move(next), path, mode, std::move(h));
}

}  // namespace annals::wire
