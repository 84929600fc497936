// Who gets what at the least cost in all, when each gets one and not everything will do for everybody: an assignment problem, with
// equal things counted together. Those who ask are served one after the other by the cheapest way that serves all so far, for which
// some may get another thing than before. So the first who gets nothing is the first for whom there is none, whatever the others get.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace annals::model {

// A price of giving a thing to somebody. Prices are compared from the front.
using price = std::array<std::int64_t, 4>;
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

class cheapest_match {
 public:
  // `things`: of each kind the numbers of those there are, rising; they are used in this order. `cost(who, kind)`: nullptr where it
  // will not do. Costs are not negative, their last entry is 0: there the number of a thing counts.
  using cost_of = std::function<const price*(std::size_t who, std::size_t kind)>;
  cheapest_match(std::size_t kinds_of_who, std::vector<std::vector<std::uint32_t>> things, cost_of cost);

  // One more for someone of this kind: false, and nothing changed, if that can't be.
  bool serve(std::size_t who);

  struct use {
    std::size_t who = 0;
    std::uint32_t count = 0;
  };
  // Who uses how many of the things of this kind: of the first numbers.
  const std::vector<use>& users(std::size_t kind) const { return kinds_[kind].users; }

 private:
  struct thing_kind {
    std::vector<std::uint32_t> numbers;
    std::vector<use> users;  // each once
    std::size_t used = 0;
    price potential{};
  };
  struct way;  // one search for the cheapest way
  void look_from(std::size_t who, const price& at, way& w) const;
  bool go(std::size_t who, way& w) const;
  void change(std::size_t kind, std::size_t who, int by);

  std::vector<thing_kind> kinds_;
  std::vector<price> who_potential_;  // with these and those of the things no step of a way costs less than nothing
  cost_of cost_;
};

}  // namespace annals::model
