// What names an effect for as long as a state owes it: the same after a restart, so that whoever is told twice knows it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace annals::model {

struct effect_id {
  std::string_view name;                               // what is to be done; a text of the program
  std::string object = {};                             // to whom, or of what; empty: there is only one
  std::uint64_t number = 0;                            // which one of several to the same
  auto operator<=>(const effect_id&) const = default;  // to be found by; which comes first is said by who owes them
};

}  // namespace annals::model
