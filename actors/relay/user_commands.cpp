#include "actors/relay/user_commands.hpp"

#include <caf/actor_clock.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <random>
#include <utility>

#include "actors/link/wire/line_limits.hpp"
#include "actors/relay/server_lines.hpp"

namespace annals::actors {

namespace {

using look_atom = caf::atom_constant<caf::atom("look")>;

class users {
 public:
  users(caf::event_based_actor* self, const user_commands_parts& parts)
      : self_(self), lines_(parts.dial, [this] { return secret(); }), passages_(parts.host, parts.unsent_pause_bytes) {}

  void on_opened(const peer_opened& o) { passages_.add(o.peer); }

  // Who connects and asks nothing costs the server no connection.
  void on_frame(peer_frame& f) {
    const auto id = f.peer->id();
    if (passages_.may_be_dialed(id))
      passages_.dial(id, [&](std::uint64_t caller) { return lines_.lend(caller, f.peer->peer().name); });
    passages_.hand_on(id, std::move(f.message));
  }

  void on_closed(const peer_closed& p) {
    passages_.remove(p.peer->id());
    look_later();
  }
  void on_taken(const peer_taken& t) { passages_.on_taken(t); }

  void on_server(const server_opened& o) {
    if (const auto mine = lines_.on_opened(o)) passages_.on_opened(*mine);
  }
  void on_server(const server_frame& f) {
    if (const auto mine = lines_.on_frame(f, now())) passages_.on_frame(*mine);
  }
  void on_server(const server_taken& t) {
    if (const auto mine = lines_.on_taken(t)) passages_.on_taken(*mine);
  }
  void on_server(const server_closed& c) {
    if (const auto mine = lines_.on_closed(c)) passages_.on_closed(*mine);
  }
  void on_server(const server_failed& f) {
    if (const auto mine = lines_.on_failed(f)) passages_.on_failed(*mine);
  }

  void on_look() {
    looks_ = false;
    lines_.drop_idle(now(), std::chrono::seconds(limits::idle_line_s));
    look_later();
  }

 private:
  std::uint64_t secret() { return (std::uint64_t{chance_()} << 32) | chance_() | 1; }  // 0 is none
  server_lines::time_point now() const { return self_->clock().now(); }
  void look_later() {
    if (lines_.size() == lines_.lent() || std::exchange(looks_, true)) return;
    self_->delayed_send(self_, std::chrono::seconds(limits::idle_look_s), look_atom::value);
  }

  caf::event_based_actor* self_;
  std::random_device chance_;  // kept: it costs more to open than to ask
  server_lines lines_;
  passages passages_;  // has loans of the lines
  bool looks_ = false;
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
  auto u = std::make_shared<users>(self, parts);
  return {
      [u](const peer_opened& o) { u->on_opened(o); },
      [u](peer_frame& f) { u->on_frame(f); },
      [u](const peer_closed& c) { u->on_closed(c); },
      [u](const peer_taken& t) { u->on_taken(t); },
      [u](const server_opened& o) { u->on_server(o); },
      [u](const server_frame& f) { u->on_server(f); },
      [u](const server_taken& t) { u->on_server(t); },
      [u](const server_closed& c) { u->on_server(c); },
      [u](const server_failed& f) { u->on_server(f); },
      [u](look_atom) { u->on_look(); },
  };
}

}  // namespace annals::actors
