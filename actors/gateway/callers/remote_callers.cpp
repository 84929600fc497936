#include "actors/gateway/callers/remote_callers.hpp"

#include <utility>

#include "actors/link/wire/wire_limits.hpp"
#include "actors/server/replies.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

bool remote_callers::has_place(caller& c, const std::string& user) {
  std::size_t has = 0;
  c.place = places_->enter(user, has);
  if (!c.place)
    refuse(c, pbs_error::no_connections,
           "user " + user + ": too many commands on other hosts at once (limit " + std::to_string(has > 0 ? has : places_->places()) + ")");
  return static_cast<bool>(c.place);
}

void remote_callers::speaks_as(caller& c, std::shared_ptr<users_connection> user, const std::function<void(peer_frame&&)>& ask) {
  c.as_user = std::move(user);
  const auto peer = c.peer;
  for (auto& said : std::exchange(c.early, {})) for_peer(peer, [&] { ask(std::move(said)); });
}

bool remote_callers::may_ask(caller& c, peer_frame& said) {
  if (c.refused) return false;
  if (!c.as_user) return c.early.push_back(std::move(said)), false;
  if (said.message.bytes().size() <= limits::client_frame_bytes_max) return true;
  c.peer->close("a request above the limit of " + std::to_string(limits::client_frame_bytes_max) + " bytes");
  return false;
}

void remote_callers::refuse(caller& c, std::uint32_t code, const std::string& text) {
  c.refused = true;
  c.early.clear();
  c.peer->send(refusal_reply(0, board_.where().sequence(), {code, text}));
  c.peer->close(text);
}

}  // namespace annals::actors
