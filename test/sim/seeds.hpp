// Stories run from seeds: a third of those that a story names. ANNALS_SIM_SEEDS=all runs all of them, ANNALS_SIM_SEEDS=n the first n of
// each story, ANNALS_SIM_SEED=s just one: what a failing run prints. One that fails then tells its whole story.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "test/sim/world.hpp"

namespace annals::sim {

inline std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

inline std::uint64_t last_seed(std::uint64_t named) {
  const char* wanted = std::getenv("ANNALS_SIM_SEEDS");
  if (!wanted) return (named + 2) / 3;
  return std::string_view(wanted) == "all" ? named : number_of("ANNALS_SIM_SEEDS", named);
}

// Every seed must end with every check held; `options_of(seed)` says what its world is like.
template <class OptionsOf>
void holds_for_each_seed(std::uint64_t seeds, OptionsOf&& options_of) {
  const auto one = number_of("ANNALS_SIM_SEED", 0);
  const auto first = one ? one : 1, last = one ? one : last_seed(seeds);
  BOOST_REQUIRE_MESSAGE(first <= last, "ANNALS_SIM_SEEDS must be \"all\" or a number from 1 on");
  for (auto seed = first; seed <= last; ++seed) {
    options o = options_of(seed);
    o.seed = seed;
    world w(o);
    const auto why = w.run();
    if (one && !why.empty()) std::cerr << w.story();
    BOOST_REQUIRE_MESSAGE(why.empty(), why);
  }
}

inline void holds_for_seeds(const options& o, std::uint64_t seeds) {
  holds_for_each_seed(seeds, [&](std::uint64_t) { return o; });
}

// Per step of the world; a world takes some thousand steps.
constexpr double often = 0.005, sometimes = 0.002, seldom = 0.0005;

}  // namespace annals::sim
