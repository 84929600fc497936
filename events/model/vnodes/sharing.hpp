// Whether a job has a vnode for itself: the job's place and the vnode's sharing decide it together (pbs guide: sharing).
#pragma once

#include <cstdint>
#include <string_view>

namespace annals::model {

enum class sharing_kind : std::uint8_t { by_place,
                                         ignores_place,
                                         always_exclusive,
                                         exclusive_unless_shared };
sharing_kind read_sharing(std::string_view sharing);

// What a place says of it: "scatter:excl".
struct place_sharing {
  bool exclusive = false, shared = false;
};
place_sharing read_place_sharing(std::string_view place);

enum class hold_kind : std::uint8_t { shared,
                                      exclusive };
hold_kind hold_of(place_sharing place, sharing_kind sharing);
inline hold_kind hold_of(std::string_view place, std::string_view sharing) {
  return hold_of(read_place_sharing(place), read_sharing(sharing));
}

}  // namespace annals::model
