// Booleans, integers and decimals as PBS reads and prints them. Source: pbs guide, "values".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

// true t y 1 / false f n 0 and their spellings in capitals.
std::optional<bool> parse_boolean(std::string_view text);
inline const char* print_boolean(bool value) { return value ? "True" : "False"; }

// Signed 64 bits: decimal, or hexadecimal behind 0x. 010 is 10: a leading 0 says nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

// A finite decimal number.
std::optional<double> parse_real(std::string_view text);
// As many decimals as needed, at most 4: 5, 5.25, 0.3333.
std::string print_real(double value);

}  // namespace annals::values
