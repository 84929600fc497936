// pbs.select.increment_chunks, without Python: which items grow by how much (RS-75 to RS-83).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "events/values/select.hpp"

namespace annals::hooks {

struct increment {
  std::uint64_t number = 0;  // chunks to add, or
  bool percent = false;      // millionths of a percent of what is there, rounded up: "23.5%" is 23500000
};
// "3", "23.5%", "50 %". Nothing: negative, or no number.
std::optional<increment> parse_increment(std::string_view text);

// One increment for every item, or some for items by their index from 0.
using increments = std::variant<increment, std::map<std::int64_t, increment>>;

// The first chunk of the first item goes to the job's primary host and is not counted, unless `first_chunk` says so.
// Nothing: an index that is no item's, or more chunks than a select may have. The result has every count written.
std::optional<values::select_spec> increment_chunks(values::select_spec select, const increments& by, bool first_chunk);

}  // namespace annals::hooks
