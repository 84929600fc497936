// The place specification: arrangement, sharing and group, in any order, each at most once.
// Source: pbs guide, "select, place: grammar".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

enum class arrangement : std::uint8_t { unset,
                                        free,
                                        pack,
                                        scatter,
                                        vscatter };
enum class sharing : std::uint8_t { unset,
                                    shared,
                                    excl,
                                    exclhost };

struct place_spec {
  arrangement arrange = arrangement::unset;  // unset means free
  sharing share = sharing::unset;            // unset: the vnode decides
  std::string group;                         // resource name, empty for none
  bool operator==(const place_spec&) const = default;
};

std::optional<place_spec> parse_place(std::string_view text);
std::string print(const place_spec& place);  // "scatter:excl:group=switch"

}  // namespace annals::values
