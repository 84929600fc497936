#include "actors/relay/user_commands.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "events/schema/daemon.capnp.h"

namespace annals::actors {

namespace {

class users {
 public:
  explicit users(const user_commands_parts& parts) : passages_(parts.host, parts.dial, parts.unsent_pause_bytes) {}
  passages& ways() { return passages_; }

  void on_opened(const peer_opened& o) { passages_.add(o.peer); }

  // Who connects and asks nothing costs the server no connection.
  void on_frame(peer_frame& f) {
    const auto id = f.peer->id();
    if (passages_.may_be_dialed(id)) passages_.dial(id, introduction_of(f.peer->peer()));
    passages_.hand_on(id, std::move(f.message));
  }

  void on_closed(const peer_closed& p) { passages_.remove(p.peer->id()); }

 private:
  static schema::sealed_message introduction_of(const wire::identity& who) {
    return schema::make<schema::FromComm>([&](schema::FromComm::Builder m) { m.setUser(who.name); });
  }

  passages passages_;
};

}  // namespace

caf::behavior user_commands(caf::event_based_actor* self, user_commands_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      if (stop) stop(std::string("what hands on commands failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  auto u = std::make_shared<users>(parts);
  return {
      [u](const peer_opened& o) { u->on_opened(o); },
      [u](peer_frame& f) { u->on_frame(f); },
      [u](const peer_closed& c) { u->on_closed(c); },
      [u](const peer_taken& t) { u->ways().on_taken(t); },
      [u](const server_opened& o) { u->ways().on_opened(o); },
      [u](const server_frame& f) { u->ways().on_frame(f); },
      [u](const server_taken& t) { u->ways().on_taken(t); },
      [u](const server_closed& c) { u->ways().on_closed(c); },
      [u](const server_failed& f) { u->ways().on_failed(f); },
  };
}

}  // namespace annals::actors
