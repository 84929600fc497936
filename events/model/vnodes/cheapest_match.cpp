#include "events/model/vnodes/cheapest_match.hpp"

#include <algorithm>
#include <limits>

namespace annals::model {

namespace {
constexpr auto nobody = std::numeric_limits<std::size_t>::max();
}  // namespace

// Dijkstra's search over those who ask and the kinds of things: from who asks to what will do, from there to who has one, who
// would have to take another, and so on to a thing that nobody has.
struct cheapest_match::way {
  struct step {
    std::optional<price> at;    // the least cost so far of coming here
    std::size_t from = nobody;  // a thing: for whom; someone: which thing is taken away
    bool done = false;
  };
  explicit way(std::size_t who, std::size_t kinds) : people(who), things(kinds) {}
  std::vector<step> people, things;
  std::optional<price> end;
  std::size_t last = nobody;  // the kind of the thing that nobody has
};

cheapest_match::cheapest_match(std::size_t kinds_of_who, std::vector<std::vector<std::uint32_t>> things, cost_of cost)
    : who_potential_(kinds_of_who), cost_(std::move(cost)) {
  for (auto& numbers : things) kinds_.push_back({std::move(numbers), {}, 0, {}});
}

void cheapest_match::look_from(std::size_t who, const price& at, way& w) const {
  w.people[who].at = at;
  w.people[who].done = true;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    auto& step = w.things[k];
    const auto* cost = step.done ? nullptr : cost_(who, k);
    if (!cost) continue;
    const auto there = at + *cost + who_potential_[who] - kinds_[k].potential;
    if (step.at && !(there < *step.at)) continue;
    step.at = there;
    step.from = who;
  }
}

bool cheapest_match::go(std::size_t who, way& w) const {
  look_from(who, {}, w);
  for (;;) {
    std::size_t next = nobody;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (!w.things[k].done && w.things[k].at && (next == nobody || *w.things[k].at < *w.things[next].at)) next = k;
    if (next == nobody || (w.end && !(*w.things[next].at < *w.end))) return w.end.has_value();
    w.things[next].done = true;
    const auto at = *w.things[next].at;
    const auto& kind = kinds_[next];
    if (kind.used < kind.numbers.size()) {
      auto end = at + kind.potential;
      end.back() += kind.numbers[kind.used];
      if (!w.end || end < *w.end) {
        w.end = end;
        w.last = next;
      }
    }
    for (const auto& u : kind.users)
      if (!w.people[u.who].done) {
        w.people[u.who].from = next;
        look_from(u.who, at, w);
      }
  }
}

void cheapest_match::change(std::size_t kind, std::size_t who, int by) {
  auto& users = kinds_[kind].users;
  auto at = std::find_if(users.begin(), users.end(), [&](const use& u) { return u.who == who; });
  if (at == users.end()) at = users.insert(at, {who, 0});
  at->count += static_cast<std::uint32_t>(by);
  if (at->count == 0) users.erase(at);
}

bool cheapest_match::serve(std::size_t who) {
  way w(who_potential_.size(), kinds_.size());
  if (!go(who, w)) return false;
  const auto shift = [&](price& potential, const way::step& s) {
    if (s.done && *s.at < *w.end) potential += *s.at - *w.end;
  };
  for (std::size_t i = 0; i < who_potential_.size(); ++i) shift(who_potential_[i], w.people[i]);
  for (std::size_t k = 0; k < kinds_.size(); ++k) shift(kinds_[k].potential, w.things[k]);
  ++kinds_[w.last].used;
  for (auto kind = w.last;;) {
    const auto taker = w.things[kind].from;
    change(kind, taker, 1);
    if (taker == who) return true;
    kind = w.people[taker].from;
    change(kind, taker, -1);
  }
}

}  // namespace annals::model
