#include "events/model/vnodes/sharing.hpp"

#include <algorithm>

namespace annals::model {

sharing_kind read_sharing(std::string_view sharing) {
  if (sharing == "ignore_excl") return sharing_kind::ignores_place;
  if (sharing.starts_with("force_excl")) return sharing_kind::always_exclusive;
  return sharing.starts_with("default_excl") ? sharing_kind::exclusive_unless_shared : sharing_kind::by_place;
}

place_sharing read_place_sharing(std::string_view place) {
  place_sharing says;
  for (std::size_t at = 0; at <= place.size();) {
    const auto end = std::min(place.find(':', at), place.size());
    const auto word = place.substr(at, end - at);
    says.exclusive |= word == "excl" || word == "exclhost";
    says.shared |= word == "shared";
    at = end + 1;
  }
  return says;
}

hold_kind hold_of(place_sharing place, sharing_kind sharing) {
  const auto kind = [](bool exclusive) { return exclusive ? hold_kind::exclusive : hold_kind::shared; };
  switch (sharing) {
    case sharing_kind::by_place: return kind(place.exclusive);
    case sharing_kind::ignores_place: return hold_kind::shared;
    case sharing_kind::always_exclusive: return hold_kind::exclusive;
    case sharing_kind::exclusive_unless_shared: return kind(!place.shared);
  }
  return hold_kind::shared;
}

}  // namespace annals::model
