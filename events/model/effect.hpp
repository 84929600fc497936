// What names an effect for as long as a state owes it: the same after a restart, so that whoever is told twice knows it.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace annals::model {

struct effect_id {
  std::string_view name;     // what is to be done; a text of the program
  std::string object = {};   // to whom, or of what; empty: there is only one
  std::uint64_t number = 0;  // which one of several to the same
  auto operator<=>(const effect_id&) const = default;
};

/// "tell:n1:00000000000000000007": sorts by name, then by object, then by number.
inline std::string text_of(const effect_id& id) {
  char number[24];
  std::snprintf(number, sizeof number, "%020llu", static_cast<unsigned long long>(id.number));
  return std::string(id.name) + ":" + id.object + ":" + number;
}

}  // namespace annals::model
