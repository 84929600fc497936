// The port that a scheduler listens at (sched_port; MS-07, MS-31). Nothing is said over it: the scheduler connects to the server, and
// who comes here is let go at once. It is there because sites look for it, and because one port can't be two schedulers'.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace annals::daemons {

class sched_port {
 public:
  // Listens at the port of this address. Throws std::runtime_error that names the port: "port 15051: Address already in use".
  sched_port(const std::string& address, std::uint16_t port);
  // At the first one from `from` on that is free (MS-07).
  static std::unique_ptr<sched_port> first_free(const std::string& address, std::uint16_t from);
  ~sched_port();
  sched_port(const sched_port&) = delete;
  sched_port& operator=(const sched_port&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  sched_port(int listener, std::uint16_t port);
  void let_go();

  int listener_ = -1, stop_ = -1;  // stop_: an eventfd
  std::uint16_t port_;
  std::thread thread_;
};

}  // namespace annals::daemons
