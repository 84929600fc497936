// Letters and digits, as formulas have them in names and numbers.
#pragma once

namespace annals::values {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace annals::values
