#include "actors/server/reactions/reaction_set.hpp"

#include <algorithm>
#include <span>

#include "events/log/place.hpp"

namespace annals::reactions {

std::string command_id_of(std::string_view reaction, const order& what) {
  const auto text = std::string(reaction) + " " + std::to_string(what.cause) + " " + what.target;
  return log::content_hash(std::as_bytes(std::span(text))).substr(0, 16);
}

reaction_set::reaction_set(std::string home, std::vector<named_reaction> reactions) : settings_(std::move(home)) {
  for (auto& r : reactions) reactions_.push_back({std::move(r)});
}

void reaction_set::fold(const log::record& record) {
  const auto event = record.event();
  const bool settings = (event.isServer() || event.isQueue() || event.isScheduler()) && settings_.fold(log::place_of(record), event);
  for (auto& k : reactions_) k.differs |= k.reaction.what->fold(record) || settings;
  if (schema::is(event, schema::LogEvent::CLOCK_STEPPED_BACK)) clock_went_back(record.get().getWallNs());
}

void reaction_set::clock_went_back(std::int64_t to_ns) {
  for (auto& k : reactions_) {
    k.reaction.what->clock_went_back(to_ns);
    k.keeper.clock_went_back(to_ns);
    k.differs = true;
  }
}

bool reaction_set::is_due(const kept& k, std::int64_t now_ns) const {
  const auto repeat = k.keeper.next_ns();
  return k.differs || (k.next_ns && now_ns >= *k.next_ns) || (repeat && now_ns >= *repeat);
}

std::vector<reaction_set::given> reaction_set::due(std::int64_t now_ns) {
  std::vector<given> orders;
  const moment now{now_ns, *settings_.settings()};
  for (std::size_t i = 0; i < reactions_.size(); ++i) {
    auto& k = reactions_[i];
    if (!is_due(k, now_ns)) continue;
    k.differs = false;
    for (auto& o : k.keeper.reconcile(k.reaction.what->owed(now), now_ns)) {
      auto id = o->remembered ? command_id_of(k.reaction.name, *o) : std::string();
      orders.push_back({o, std::move(id), {i, o}});
    }
    k.next_ns = k.reaction.what->next_ns(now);
  }
  return orders;
}

bool reaction_set::refused(const order_name& name, std::int64_t now_ns) {
  return reactions_[name.reaction].keeper.refused(name.what, now_ns);
}

void reaction_set::try_again() {
  for (auto& k : reactions_) k.keeper.try_again();
}

std::optional<std::int64_t> reaction_set::next_ns(std::int64_t now_ns) const {
  std::optional<std::int64_t> next;
  const auto earlier = [&](const std::optional<std::int64_t>& at) {
    if (at && (!next || *at < *next)) next = at;
  };
  for (const auto& k : reactions_) {
    if (k.differs) return now_ns;
    earlier(k.next_ns);
    earlier(k.keeper.next_ns());
  }
  return next;
}

void reaction_set::store(stored::writer& to) const {
  to(settings_);
  to.number(reactions_.size());
  for (const auto& k : reactions_) {
    to.bytes(k.reaction.name);
    k.reaction.what->store(to);
  }
}

void reaction_set::restore(stored::reader& from) {
  from(settings_);
  if (from.count() != reactions_.size()) throw stored::state_unreadable("a state has more or fewer reactions than the server");
  for (auto& k : reactions_) {
    const auto name = from.bytes();
    if (name != k.reaction.name)
      throw stored::state_unreadable("a state has the reaction " + std::string(name) + " in place of " + std::string(k.reaction.name));
    k = {std::move(k.reaction)};
    k.reaction.what->restore(from);
  }
}

}  // namespace annals::reactions
