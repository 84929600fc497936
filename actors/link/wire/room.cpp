#include "actors/link/wire/room.hpp"

#include <algorithm>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::wire {

namespace {

// Two at least: whoever comes gets in.
std::size_t share(std::size_t descriptors, std::size_t of, std::size_t most) {
  return std::clamp<std::size_t>(descriptors / of, 2, most);
}

}  // namespace

rooms::rooms(std::size_t descriptors, in_hand_bounds bounds)
    : ordinary(std::make_shared<room<std::uint32_t>>(share(descriptors, limits::ordinary_share, limits::ordinary_connections_max))),
      own(std::make_shared<room<std::uint32_t>>(share(descriptors, limits::own_share, limits::own_connections_max))),
      unproven(std::make_shared<room<std::string>>(share(descriptors, 2 * limits::unproven_share, limits::unproven_connections_max / 2))),
      unproven_root(std::make_shared<room<std::string>>(unproven->places())),
      in_hand(std::make_shared<requests_in_hand>(bounds)) {}

}  // namespace annals::wire
