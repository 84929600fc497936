#include "actors/relay/passages.hpp"

#include <utility>

#include "actors/link/wire/cut_handshake.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

bool passages::may_be_dialed(std::uint64_t caller) const {
  const auto at = callers_.find(caller);
  return at != callers_.end() && !at->second.refused && !at->second.dialer;
}

// Nothing more is read until the server is there.
void passages::dial(std::uint64_t id, const dial_server& dial, schema::sealed_message first) {
  const auto at = callers_.find(id);
  if (at == callers_.end() || at->second.refused) return;
  auto& c = at->second;
  c.first = std::move(first);
  try {
    c.dialer = dial(id);
  } catch (const wire::wire_error& e) {
    return refuse(c, pbs_error::system_error, "host " + host_ + " can't reach the server: " + e.what());
  }
  if (auto server = c.dialer->is_open()) return connect(c, std::move(server));
  c.peer->pause_reading();
}

void passages::connect(caller& c, wire::connection_ptr server) {
  c.server = std::move(server);
  if (c.first) c.server->send(c.first);
  for (const auto& message : std::exchange(c.early, {})) c.server->send(message);
}

void passages::hand_on(std::uint64_t id, schema::sealed_message message) {
  const auto at = callers_.find(id);
  if (at == callers_.end() || at->second.refused) return;
  auto& c = at->second;
  if (!c.server) return c.early.push_back(std::move(message));
  c.server->send(message);
  if (c.server->unsent_bytes() > unsent_pause_bytes_) c.peer->pause_reading();
}

void passages::refuse(std::uint64_t id, std::uint32_t code, const std::string& text) {
  if (const auto at = callers_.find(id); at != callers_.end()) refuse(at->second, code, text);
}

// The reply is to no request.
void passages::refuse(caller& c, std::uint32_t code, const std::string& text) {
  c.refused = true;
  c.peer->send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    auto rejected = r.initRejected();
    rejected.setCode(code);
    rejected.setText(text);
  }));
  c.peer->close(text);
}

void passages::on_taken(const peer_taken& t) {
  if (const auto at = callers_.find(t.caller); at != callers_.end() && at->second.server) at->second.server->resume_reading();
}

void passages::on_opened(const server_opened& o) {
  const auto at = callers_.find(o.caller);
  if (at == callers_.end()) return;
  auto& c = at->second;
  connect(c, o.server);
  if (c.server->unsent_bytes() <= unsent_pause_bytes_) c.peer->resume_reading();
}

void passages::on_frame(const server_frame& f) {
  const auto at = callers_.find(f.caller);
  if (at == callers_.end()) return;
  auto& c = at->second;
  c.peer->send(f.message);
  if (c.peer->unsent_bytes() > unsent_pause_bytes_) c.server->pause_reading();
}

void passages::on_taken(const server_taken& t) {
  if (const auto at = callers_.find(t.caller); at != callers_.end()) at->second.peer->resume_reading();
}

void passages::on_closed(const server_closed& s) {
  const auto at = callers_.find(s.caller);
  if (at == callers_.end()) return;
  at->second.peer->close("the server: " + s.why);
  callers_.erase(at);
}

void passages::on_failed(const server_failed& f) {
  const auto at = callers_.find(f.caller);
  if (at == callers_.end()) return;
  // A server without a place for one more has it in a moment: the command comes again.
  const auto code = f.why.ends_with(wire::cut_handshake) ? pbs_error::no_connections : pbs_error::system_error;
  refuse(at->second, code, "host " + host_ + " can't reach the server: " + f.why);
  at->second.dialer.reset();
}

}  // namespace annals::actors
