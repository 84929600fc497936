// Finds the numbers of vnodes by their names, many at a time: a large table does not fit into the processor's caches, so the
// places of the next names are fetched while one is looked at. The names themselves stay with whoever gives the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace annals::model {

class name_table {
 public:
  using number = std::uint32_t;
  static constexpr number none = UINT32_MAX;

  struct key {
    std::uint64_t hash;
  };
  static key key_of(std::string_view name) { return {std::hash<std::string_view>()(name)}; }
  void expect(key of) const {
    if (!places_.empty()) __builtin_prefetch(&places_[of.hash & mask()]);
  }
  // is_it(number): whether that number's name is the one looked for.
  template <class IsIt>
  number find(key of, IsIt&& is_it) const {
    if (places_.empty()) return none;
    for (auto at = of.hash & mask();; at = (at + 1) & mask()) {
      const auto& p = places_[at];
      if (p.what == none) return none;
      if (p.hash == of.hash && is_it(p.what)) return p.what;
    }
  }
  void add(key of, number what) {  // which is not there yet
    if (2 * (count_ + 1) > places_.size()) grow();
    put({of.hash, what});
    ++count_;
  }

 private:
  struct place {
    std::uint64_t hash = 0;
    number what = none;
  };  // half of the places are free at least
  std::size_t mask() const { return places_.size() - 1; }
  void put(place p) {
    auto at = p.hash & mask();
    while (places_[at].what != none) at = (at + 1) & mask();
    places_[at] = p;
  }
  void grow() {
    std::vector<place> before(places_.empty() ? 16 : 2 * places_.size());
    before.swap(places_);
    for (const auto& p : before)
      if (p.what != none) put(p);
  }

  std::vector<place> places_;  // a power of two of them
  std::size_t count_ = 0;
};

}  // namespace annals::model
