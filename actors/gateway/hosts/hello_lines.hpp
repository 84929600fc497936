// What MoMs say is heard in the order in which it came, though a hello may have to wait until another thread has read for it: what
// comes of the same host meanwhile waits behind it, other hosts don't. That a connection has ended stands in the same line. Part of
// the gateway's actor. Governed by docs/design/0034-the-gateway.md.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "actors/link/peer_messages.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

class hello_lines {
 public:
  struct said {
    wire::connection_ptr peer;
    schema::sealed<schema::FromMom> message;
  };
  using item = std::variant<said, peer_closed>;
  explicit hello_lines(std::function<void(item&&)> hear) : hear_(std::move(hear)) {}

  // Heard now, or when the hello before it is decided. Who waits is not read from meanwhile: a line stays short.
  void put(item what);
  // Called while a hello of this peer is heard: it is decided later, with go_on.
  void hold(const wire::connection_ptr& peer);
  void go_on(const std::string& host);
  std::size_t hosts_waiting() const { return lines_.size(); }

 private:
  struct line {
    std::deque<item> items;
    std::set<wire::connection_ptr> paused;
  };
  static void pause(line& of, const wire::connection_ptr& peer);

  std::function<void(item&&)> hear_;
  std::map<std::string, line> lines_;  // of hosts whose hello waits
};

}  // namespace annals::actors
