// Which reservations keep which vnodes, so that a vnode's row costs what is kept of it and not what is reserved in all. Changed with each
// event of a reservation, which costs the places that it has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/reservation/reservation.hpp"

namespace annals::model {

class reserved_vnodes {
 public:
  using serials = std::set<std::uint64_t, std::greater<>>;  // the last one first

  void changed(const reservation_state& r);  // by an event that it has applied
  // Null: nobody keeps it.
  const serials* of(std::string_view vnode) const;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.vnodes_, self.by_vnode_);
  }

 private:
  std::map<std::uint64_t, std::vector<std::string>> vnodes_;  // by serial; each once, in order
  std::map<std::string, serials, std::less<>> by_vnode_;
};

}  // namespace annals::model
