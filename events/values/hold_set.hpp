// Hold types of a job: letters s o u p. Bit n stands for schema::HoldType n (user, operator, system, bad password).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

struct hold_set {
  static constexpr std::uint8_t user = 1, operator_ = 2, system = 4, bad_password = 8;
  std::uint8_t bits = 0;

  bool empty() const { return bits == 0; }
  bool has(std::uint8_t hold) const { return (bits & hold) != 0; }
  bool operator==(const hold_set&) const = default;
};

// Letters in any order, repeated or not; "n" alone is the empty set. Nothing: another letter, an empty text, n with
// others.
std::optional<hold_set> parse_hold_set(std::string_view text);
std::string print(hold_set holds);  // order s o u p; "n" for none

}  // namespace annals::values
