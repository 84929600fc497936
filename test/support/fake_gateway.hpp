// A server for tests of commands: answers client.capnp requests on a Unix socket in a directory of its own, the way a
// test says. It can break a connection before an answer leaves, which is what a restart of the server looks like.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::test {

// The first line of a command that finds no socket of a server elsewhere.
inline std::string no_login_host_of(const std::string& server) {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  std::string host = name;
  host.resize(std::min(host.size(), host.find('.')));
  return host + " is no login host of server " + server + ": `pbs_enroll --login " + host + "` on " + server +
         " begins that (pbs_enroll(8))";
}

class fake_gateway {
 public:
  using request = schema::sealed<schema::Request>;
  // Fills the reply (its id is set). False: close the connection without an answer.
  using answer = std::function<bool(schema::Request::Reader, schema::Reply::Builder)>;

  // What gets no answer at all, while the connection stays.
  using silence = std::function<bool(schema::Request::Reader)>;

  explicit fake_gateway(answer how, silence unanswered = {})
      : answer_(std::move(how)), unanswered_(std::move(unanswered)) {
    std::filesystem::create_directories(directory() + "/run");
    std::ofstream(directory() + "/pbs.conf") << "PBS_HOME=" << directory() << "\nPBS_SERVER=q1\n";
    start();
  }
  ~fake_gateway() { stop(); }
  fake_gateway(const fake_gateway&) = delete;

  void start() {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path().c_str(), sizeof address.sun_path - 1);
    ::unlink(address.sun_path);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 16) != 0) {
      throw std::runtime_error("cannot listen on " + socket_path());
    }
    ending_ = false;
    thread_ = std::thread([this] { serve(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    ending_ = true;
    thread_.join();
    ::close(listener_);
    ::unlink(socket_path().c_str());
  }

  const std::string& directory() const { return own_.path; }
  std::string socket_path() const { return directory() + "/run/server.sock"; }
  std::string conf_file() const { return directory() + "/pbs.conf"; }
  std::vector<request> requests() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  bool saw(schema::Request::Which which) const {
    const std::lock_guard lock(mutex_);
    return has_seen(which);
  }
  // False: nobody asked for this within a minute.
  bool wait_for(schema::Request::Which which) {
    std::unique_lock lock(mutex_);
    return asked_.wait_for(lock, std::chrono::minutes(1), [&] { return has_seen(which); });
  }

 private:
  struct client {
    int fd;
    std::string in;
  };

  bool has_seen(schema::Request::Which which) const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const request& r) { return (*r).which() == which; });
  }

  void serve() {
    std::vector<client> clients;
    while (!ending_) {
      std::vector<pollfd> fds{{listener_, POLLIN, 0}};
      for (const client& c : clients) fds.push_back({c.fd, POLLIN, 0});
      if (::poll(fds.data(), fds.size(), 20) <= 0) continue;
      std::vector<client> kept;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (fds[i + 1].revents == 0 || take(clients[i]))
          kept.push_back(std::move(clients[i]));
        else
          ::close(clients[i].fd);
      }
      clients = std::move(kept);
      if (fds[0].revents != 0) clients.push_back({::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), {}});
    }
    for (const client& c : clients) ::close(c.fd);
  }

  bool take(client& c) {
    char bytes[64 << 10];
    const ssize_t n = ::read(c.fd, bytes, sizeof bytes);
    if (n <= 0) return false;
    c.in.append(bytes, static_cast<std::size_t>(n));
    while (c.in.size() >= 4) {
      std::uint32_t size = 0;
      std::memcpy(&size, c.in.data(), 4);  // little-endian, as this machine is
      if (c.in.size() < 4 + size) break;
      const std::string frame = c.in.substr(4, size);
      c.in.erase(0, 4 + size);
      if (size > 0 && !reply_to(c.fd, frame)) return false;
    }
    return true;
  }

  bool reply_to(int fd, const std::string& frame) {
    auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(frame.data(), frame.size())));
    if (!message) return false;
    const request r(*message);
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(r);
    }
    asked_.notify_all();
    if (unanswered_ && unanswered_(*r)) return true;
    bool send = true;
    const auto reply = schema::make<schema::Reply>([&](schema::Reply::Builder out) {
      out.setId((*r).getId());
      send = answer_(*r, out);
    });
    if (!send) return false;
    const auto bytes = reply.bytes();
    const std::uint32_t size = static_cast<std::uint32_t>(bytes.size());
    std::string out(reinterpret_cast<const char*>(&size), 4);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return ::send(fd, out.data(), out.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(out.size());
  }

  answer answer_;
  silence unanswered_;
  const temporary_directory own_;
  int listener_ = -1;
  std::atomic<bool> ending_{false};
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<request> seen_;
};

}  // namespace annals::test
