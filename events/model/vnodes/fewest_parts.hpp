// Which vnodes of a chunk are kept when it has more than is needed: as few as are enough, and of those the ones with the least.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace annals::model {

// What keeping something costs, compared from the front: vnodes first, then amounts, last the place in the original order.
inline constexpr std::size_t price_amounts_max = 6;
using price = std::array<std::int64_t, price_amounts_max + 2>;
inline price& operator+=(price& a, const price& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
inline price& operator-=(price& a, const price& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}
inline price operator+(price a, const price& b) { return a += b; }
inline price operator-(price a, const price& b) { return a -= b; }

// Vnodes of the chunk that have the same of everything. Neither the amounts nor what keeping one costs is negative.
struct vnode_kind {
  std::span<const std::int64_t> amounts;
  price cost;  // of keeping one
  std::uint32_t count = 0;
};
struct picked_vnodes {
  std::vector<std::uint32_t> counts;  // of each kind
  price cost;
};

// The cheapest vnodes, one at least, that have together what is needed; nothing if all of them have not. A chunk of many kinds has
// more combinations than can be looked at: after `tries` it is the cheapest of those that were, which is never nothing.
std::optional<picked_vnodes> fewest_parts(std::span<const vnode_kind> kinds, std::span<const std::int64_t> needed, std::size_t tries);

}  // namespace annals::model
