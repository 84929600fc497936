// Durations: "[[hours:]minutes:]seconds[.milliseconds]". Source: pbs guide, "values".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

// Whole seconds, a fraction rounded up. Minutes and seconds may be larger than 59. Nothing: not a duration.
std::optional<std::int64_t> parse_duration(std::string_view text);
// "HH:MM:SS" with at least two digits of hours; a negative one with a leading minus.
std::string print_duration(std::int64_t seconds);

}  // namespace annals::values
