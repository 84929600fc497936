#include "actors/gateway/callers/login_callers.hpp"

#include <algorithm>
#include <utility>

#include "actors/link/wire/connection_ids.hpp"
#include "actors/link/wire/line_limits.hpp"
#include "actors/server/replies.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

constexpr std::int64_t group_memory_ns = limits::name_memory_s * 1'000'000'000LL;

// What the kernel of his host could have said: it stands in logs and in Job_Owner.
bool is_user_name(const std::string& name) {
  const auto good = [](char c) { return c > ' ' && c < '\x7f' && c != '@' && c != ',' && c != ':'; };
  return !name.empty() && name.size() <= limits::user_name_bytes_max && std::all_of(name.begin(), name.end(), good);
}

}  // namespace

login_callers::login_callers(actor_registry& board, take_request take, forget_caller forget, remote_places places)
    : remote_callers(board, std::move(take), places),
      forget_(std::move(forget)),
      idle_(std::make_shared<wire::room<std::string>>(std::max<std::size_t>(places->places() / limits::idle_lines_of_callers, 1))) {}

void login_callers::on_frame(peer_frame& f) {
  auto& c = callers_[f.peer->id()];
  c.peer = f.peer;
  if (c.refused) return;
  const schema::sealed<schema::CommWord> word(f.message);
  if (!schema::is_readable(word))
    return refuse(c, pbs_error::bad_credential, "a word of pbs_comm of host " + c.peer->peer().name + " can't be read");
  hear(c, word.get(), f);
}

void login_callers::hear(login_caller& c, schema::CommWord::Reader word, const peer_frame& said) {
  if (word.hasBegins()) begin(c, schema::str(word.getBegins().getUser()));
  if (word.hasRequest() && !c.refused) request(c, schema::bytes_of(word.getRequest()), said);
  if (word.getEnded() != 0 && !c.refused) end(c, word.getEnded());
}

// Nothing more is read until the group is known.
void login_callers::begin(login_caller& c, std::string user) {
  const auto& host = c.peer->peer().name;
  if (c.id != 0) return refuse(c, pbs_error::bad_credential, "pbs_comm of host " + host + " speaks for two commands at once");
  if (!is_user_name(user)) return refuse(c, pbs_error::bad_credential, "pbs_comm of host " + host + " names no user");
  if (model::winding_up(*board_.settings())) return refuse(c, pbs_error::system_error, "Connection refused");
  c.waits.reset();
  if (!has_place(c, user)) return;
  c.id = wire::next_connection_id();
  c.user = std::move(user);
  if (const auto* group = known_group_of(c.user)) return speaks(c, *group);
  c.peer->pause_reading();
  const bool asked = board_.names().ask([this, look_up = board_.parts().groups_of, user = c.user, connection = c.peer->id(), id = c.id] {
    const auto groups = look_up(user, wire::identity::nobody);
    return [this, connection, id, group = groups.empty() ? std::string() : groups.front()] { on_groups(connection, id, group); };
  });
  if (!asked)
    refuse(c, pbs_error::no_connections, "the names of " + std::to_string(board_.names().waiting_max()) + " others are being looked up");
}

void login_callers::on_groups(std::uint64_t connection, std::uint64_t id, const std::string& group) {
  const auto at = callers_.find(connection);
  if (at == callers_.end() || at->second.refused || at->second.id != id) return;
  auto& c = at->second;
  if (group.empty())
    return refuse(c, pbs_error::unauthorized,
                  "user " + c.user + " of host " + c.peer->peer().name + " has no account on the server's host");
  remember(c.user, group);
  c.peer->resume_reading();
  speaks(c, group);
}

void login_callers::speaks(login_caller& c, const std::string& group) {
  speaks_as(c, std::make_shared<users_connection>(c.peer, c.user, group, c.id),
            [&](peer_frame&& said) { take(c, std::move(said)); });
}

// Of who passes on what users say the bytes inside were not looked at yet.
void login_callers::request(login_caller& c, schema::byte_span bytes, const peer_frame& said) {
  if (c.id == 0) return refuse(c, pbs_error::bad_credential, "pbs_comm of host " + c.peer->peer().name + " speaks for nobody");
  std::string why;
  const schema::read_bounds bounds{2 * bytes.size() / sizeof(std::uint64_t) + 64, limits::frame_nesting_max};
  auto message = schema::sealed_message::from_bytes(bytes, bounds, &why);
  if (!message) return c.peer->close("a message that can't be read: " + why);
  peer_frame inside{c.peer, std::move(*message), said.in_hand};
  if (may_ask(c, inside)) take(c, std::move(inside));
}

// What is still done for the command tells nobody. A connection that has no place to wait in is closed.
void login_callers::end(login_caller& c, std::uint64_t number) {
  leave(c);
  std::size_t has = 0;
  c.waits = idle_->enter(c.peer->peer().name, has);
  if (!c.waits) {
    c.refused = true;
    return c.peer->close("enough connections of login hosts wait for commands");
  }
  c.peer->send(done_reply(number, board_.where().sequence(), ""));
}

void login_callers::leave(login_caller& c) {
  if (const auto user = std::exchange(c.as_user, nullptr)) {
    user->leave();
    forget_(user);
  } else {
    c.peer->resume_reading();
  }
  c.id = 0;
  c.early.clear();
  c.place.reset();
}

void login_callers::on_closed(const peer_closed& closed) {
  const auto at = callers_.find(closed.peer->id());
  if (at == callers_.end()) return;
  leave(at->second);
  callers_.erase(at);
}

const std::string* login_callers::known_group_of(const std::string& user) const {
  const auto at = groups_.find(user);
  return at != groups_.end() && at->second.is_fresh(board_.parts().base.clock->now_ns()) ? &at->second.group : nullptr;
}

void login_callers::remember(const std::string& user, const std::string& group) {
  const auto now = board_.parts().base.clock->now_ns();
  if (groups_.size() >= limits::names_known_max) std::erase_if(groups_, [&](const auto& known) { return !known.second.is_fresh(now); });
  if (groups_.size() >= limits::names_known_max) groups_.clear();
  groups_[user] = {group, now};
}

// A clock that was set back makes it too old.
bool login_callers::known_group::is_fresh(std::int64_t now) const { return now >= since_ns && now - since_ns < group_memory_ns; }

}  // namespace annals::actors
