// What stands around a command and an event: who, when, where in the log.
#pragma once

#include <cstdint>
#include <string>

#include "events/schema/common.capnp.h"

namespace annals::model {

// Who asks. The role was derived by the gateway from the kernel's or a certificate's word.
struct requester {
  std::string user;
  std::string host;
  schema::Role role = schema::Role::SERVER;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.user, self.host, self.role);
  }

  std::string at_host() const { return user + "@" + host; }
  bool is_manager() const { return role == schema::Role::MANAGER || role == schema::Role::ROOT || is_daemon(); }
  bool is_operator() const { return role == schema::Role::OPERATOR || is_manager(); }
  bool is_daemon() const { return role >= schema::Role::SERVER; }
};

// Time and person of a command; whoever receives the command stamps it.
struct stamp {
  std::int64_t wall_ns = 0;
  requester by;
  std::int64_t seconds() const { return wall_ns / 1'000'000'000; }
};

// Where an event stands in the log; apply() needs it for times and versions.
struct event_place {
  std::uint64_t sequence = 0;
  std::uint64_t stream = 0;
  std::uint64_t version = 0;
  std::int64_t wall_ns = 0;
  requester by;
  std::int64_t seconds() const { return wall_ns / 1'000'000'000; }
};

}  // namespace annals::model
