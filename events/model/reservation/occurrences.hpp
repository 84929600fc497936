// The windows of a reservation: those that have vnodes or are asked for, and of a standing one those that are further ahead, which are
// only known to come. Part of reservation_state (reservation.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace annals::model {

// One window of time; `exec_vnode` is empty until a scheduler has found a place.
struct occurrence {
  std::uint32_t index = 0;  // from 1
  std::int64_t start_ns = 0, end_ns = 0;
  std::string exec_vnode;
  bool operator==(const occurrence&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.index, self.start_ns, self.end_ns, self.exec_vnode);
  }
};

// The occurrences after `before`, in four bytes each: a rule may give thousands, and every fold of the server keeps them.
struct later_occurrences {
  std::vector<std::uint32_t> gaps_s;  // from start to start; the next one is the last of the list
  occurrence before;

  bool empty() const { return gaps_s.empty(); }
  occurrence next() const {
    const auto start = before.start_ns + std::int64_t{gaps_s.back()} * 1'000'000'000;
    return {before.index + 1, start, start + (before.end_ns - before.start_ns), {}};
  }
  occurrence take() {
    before = next();
    gaps_s.pop_back();
    return before;
  }
  bool operator==(const later_occurrences&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.gaps_s, self.before);
  }
};

}  // namespace annals::model
