#include "events/model/vnodes/fewest_parts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace annals::model {

namespace {

// How many with `each` are enough; more than there can be if none are.
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
std::int64_t enough(std::int64_t needed, std::int64_t each) {
  if (needed <= 0) return 0;
  return each <= 0 ? endless : (needed - 1) / each + 1;
}

std::int64_t saturated(std::int64_t n, std::int64_t each) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(n, each, &product) ? endless : product;
}

price times(std::int64_t n, price each) {
  for (auto& amount : each) amount *= n;
  return each;
}

// Takes as many as are of use of the largest kind first, then ever fewer: the first way that it finds has few vnodes already.
class search {
 public:
  search(std::span<const vnode_kind> kinds, std::span<const std::int64_t> needed, std::size_t tries)
      : kinds_(kinds), tries_(tries), order_(kinds.size()), taken_(kinds.size()), most_behind_(kinds.size() + 1) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return std::ranges::lexicographical_compare(kinds_[b].amounts, kinds_[a].amounts);
    });
    most_behind_.back().assign(needed.size(), 0);
    for (auto i = kinds.size(); i-- > 0;) {
      most_behind_[i] = most_behind_[i + 1];
      for (std::size_t c = 0; c < needed.size(); ++c) most_behind_[i][c] = std::max(most_behind_[i][c], of(i).amounts[c]);
    }
  }

  std::optional<picked_vnodes> best(std::span<const std::int64_t> needed) {
    look(0, {needed.begin(), needed.end()}, 0, {});
    return std::move(best_);
  }

 private:
  const vnode_kind& of(std::size_t i) const { return kinds_[order_[i]]; }

  void look(std::size_t i, const std::vector<std::int64_t>& missing, std::int64_t used, const price& cost) {
    if (best_ && tries_ == 0) return;
    tries_ -= tries_ > 0;
    std::int64_t more = used > 0 ? 0 : 1;  // vnodes that are needed at least
    for (std::size_t c = 0; c < missing.size(); ++c) more = std::max(more, enough(missing[c], most_behind_[i][c]));
    if (more == 0) {
      if (!best_ || cost < best_->cost) best_ = picked_vnodes{taken_, cost};
      return;
    }
    if (i == kinds_.size() || more == endless) return;
    if (best_ && (used + more > best_->cost[0] || !(cost < best_->cost))) return;
    std::int64_t of_use = used > 0 ? 0 : 1;
    for (std::size_t c = 0; c < missing.size(); ++c)
      if (of(i).amounts[c] > 0) of_use = std::max(of_use, enough(missing[c], of(i).amounts[c]));
    for (auto n = std::min<std::int64_t>(of_use, of(i).count); n >= 0; --n) {
      auto left = missing;
      for (std::size_t c = 0; c < left.size(); ++c) left[c] = std::max<std::int64_t>(left[c] - saturated(n, of(i).amounts[c]), 0);
      taken_[order_[i]] = static_cast<std::uint32_t>(n);
      look(i + 1, left, used + n, cost + times(n, of(i).cost));
    }
    taken_[order_[i]] = 0;
  }

  std::span<const vnode_kind> kinds_;
  std::size_t tries_;
  std::vector<std::size_t> order_;                      // kinds, those with most first
  std::vector<std::uint32_t> taken_;                    // of each kind, on the way to here
  std::vector<std::vector<std::int64_t>> most_behind_;  // the most that one vnode of the kinds from here on has
  std::optional<picked_vnodes> best_;
};

}  // namespace

std::optional<picked_vnodes> fewest_parts(std::span<const vnode_kind> kinds, std::span<const std::int64_t> needed, std::size_t tries) {
  for (std::size_t c = 0; c < needed.size(); ++c) {  // else the search would look at every combination to find that none is enough
    auto missing = needed[c];
    for (const auto& kind : kinds)
      missing -= std::min(missing, saturated(kind.count, kind.amounts[c]));
    if (missing > 0) return std::nullopt;
  }
  if (kinds.size() == 1) {  // most chunks: nothing to choose
    std::int64_t count = 1;
    for (std::size_t c = 0; c < needed.size(); ++c) count = std::max(count, enough(needed[c], kinds[0].amounts[c]));
    return picked_vnodes{{static_cast<std::uint32_t>(count)}, times(count, kinds[0].cost)};
  }
  return search(kinds, needed, tries).best(needed);
}

}  // namespace annals::model
