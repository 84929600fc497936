#include "actors/gateway/login_callers.hpp"

#include <algorithm>
#include <utility>

#include "actors/link/wire/wire_limits.hpp"
#include "actors/server/replies.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

// What the kernel of his host could have said: it stands in logs and in Job_Owner.
bool is_user_name(const std::string& name) {
  const auto good = [](char c) { return c > ' ' && c < '\x7f' && c != '@' && c != ',' && c != ':'; };
  return !name.empty() && name.size() <= limits::user_name_bytes_max && std::all_of(name.begin(), name.end(), good);
}

}  // namespace

void login_callers::on_frame(peer_frame& f) {
  if (const auto at = callers_.find(f.peer->id()); at != callers_.end()) return request(at->second, std::move(f.message));
  auto& c = callers_[f.peer->id()];
  c.peer = f.peer;
  const schema::sealed<schema::FromComm> said(std::move(f.message));
  auto user = schema::is_readable(said) ? schema::str(said.get().getUser()) : std::string();
  if (!is_user_name(user)) return refuse(c, pbs_error::bad_credential, "pbs_comm of host " + f.peer->peer().name + " names no user");
  open(c, std::move(user));
}

// Nothing more is read until the group is known.
void login_callers::open(caller& c, std::string user) {
  if (model::winding_up(*board_.settings())) return refuse(c, pbs_error::system_error, "Connection refused");
  c.user = std::move(user);
  std::size_t has = 0;
  c.place = places_->enter(c.user, has);
  if (!c.place)
    return refuse(c, pbs_error::no_connections,
                  "user " + c.user + ": too many commands on other hosts at once (limit " +
                      std::to_string(has > 0 ? has : places_->places()) + ")");
  c.peer->pause_reading();
  const bool asked = board_.names().ask([this, look_up = board_.parts().groups_of, user = c.user, connection = c.peer->id()] {
    auto groups = look_up(user, wire::identity::nobody);
    return [this, connection, groups = std::move(groups)] { on_groups(connection, groups); };
  });
  if (!asked)
    refuse(c, pbs_error::no_connections, "the names of " + std::to_string(board_.names().waiting_max()) + " others are being looked up");
}

void login_callers::on_groups(std::uint64_t connection, const std::vector<std::string>& groups) {
  const auto at = callers_.find(connection);
  if (at == callers_.end() || at->second.refused) return;
  auto& c = at->second;
  if (groups.empty())
    return refuse(c, pbs_error::unauthorized,
                  "user " + c.user + " of host " + c.peer->peer().name + " has no account on the server's host");
  c.as_user = as_user(c.peer, c.user, groups.front());
  c.peer->resume_reading();
  const auto peer = c.peer;
  for (auto& message : std::exchange(c.early, {})) for_peer(peer, [&] { request(c, std::move(message)); });
}

void login_callers::request(caller& c, schema::sealed_message message) {
  if (c.refused) return;
  if (!c.as_user) return c.early.push_back(std::move(message));
  if (message.bytes().size() > limits::client_frame_bytes_max)
    return c.peer->close("a request above the limit of " + std::to_string(limits::client_frame_bytes_max) + " bytes");
  take_(c.as_user, schema::sealed<schema::Request>(std::move(message)));
}

// The reply is to no request: nothing follows it.
void login_callers::refuse(caller& c, std::uint32_t code, const std::string& text) {
  c.refused = true;
  c.early.clear();
  c.peer->send(refusal_reply(0, board_.where().sequence(), {code, text}));
  c.peer->close(text);
}

}  // namespace annals::actors
