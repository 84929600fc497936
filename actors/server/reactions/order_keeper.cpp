#include "actors/server/reactions/order_keeper.hpp"

#include <limits>

namespace annals::reactions {

namespace {
constexpr std::int64_t not_by_time = std::numeric_limits<std::int64_t>::max();
}

std::vector<order_ptr> order_keeper::reconcile(const std::vector<order_ptr>& owed, std::int64_t now_ns) {
  std::vector<order_ptr> give;
  ++round_;
  next_ns_ = not_by_time;
  for (const auto& o : owed) {
    auto [at, fresh] = given_.try_emplace(o);
    auto& e = at->second;
    e.round = round_;
    if (fresh || now_ns >= e.again_ns) {
      e.given = o->given;
      e.pause_ns = o->again_ns;
      e.again_ns = e.given == order::repeat::until_folded ? now_ns + e.pause_ns : not_by_time;
      e.refused = false;
      give.push_back(o);
    }
    remind(e.again_ns);
  }
  if (given_.size() > owed.size()) std::erase_if(given_, [&](const auto& g) { return g.second.round != round_; });
  return give;
}

bool order_keeper::refused(const order_ptr& what, std::int64_t now_ns) {
  const auto at = given_.find(what);
  if (at == given_.end()) return false;
  at->second.refused = true;
  if (at->second.given != order::repeat::until_accepted) return false;
  at->second.again_ns = now_ns + at->second.pause_ns;
  remind(at->second.again_ns);
  return true;
}

void order_keeper::clock_went_back(std::int64_t to_ns) {
  next_ns_ = not_by_time;
  for (auto& [what, e] : given_) {
    if (e.again_ns != not_by_time) e.again_ns = std::min(e.again_ns, to_ns + e.pause_ns);
    remind(e.again_ns);
  }
}

void order_keeper::try_again() {
  for (auto& [what, e] : given_)
    if (e.refused) remind(e.again_ns = 0);
}

std::optional<std::int64_t> order_keeper::next_ns() const {
  return given_.empty() || next_ns_ == not_by_time ? std::nullopt : std::optional(next_ns_);
}

void order_keeper::remind(std::int64_t at_ns) { next_ns_ = std::min(next_ns_, at_ns); }

}  // namespace annals::reactions
