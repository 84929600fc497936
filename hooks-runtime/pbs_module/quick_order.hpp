// An order of names for looking them up only, never to be seen: most names differ in their length already.
#pragma once

#include <string_view>

namespace annals::hooks {

// Below, at or above zero.
inline int quick_order(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace annals::hooks
