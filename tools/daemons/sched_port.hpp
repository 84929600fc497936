// The port that a scheduler listens at (sched_port; MS-07, MS-31). The server calls there to be connected to at once (MS-88): nothing is
// said, and who comes is let go.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace annals::daemons {

class sched_port {
 public:
  using on_call = std::function<void()>;  // from a thread of its own
  // Listens at the port of this address. Throws std::runtime_error that names the port: "port 15051: Address already in use".
  sched_port(const std::string& address, std::uint16_t port, on_call called);
  // At the first one from `from` on that is free (MS-07).
  static std::unique_ptr<sched_port> first_free(const std::string& address, std::uint16_t from, on_call called);
  ~sched_port();
  sched_port(const sched_port&) = delete;
  sched_port& operator=(const sched_port&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  sched_port(int listener, std::uint16_t port, on_call called);
  void take_calls();

  int listener_ = -1, stop_ = -1;  // stop_: an eventfd
  std::uint16_t port_;
  on_call called_;
  std::thread thread_;
};

}  // namespace annals::daemons
