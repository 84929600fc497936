// Which events a daemon logs, as its option -e names them (pbs guide: event classes).
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace annals::daemons {

constexpr std::uint32_t default_log_mask = 511;

// Decimal, or with 0x. Nullopt: it is no number.
inline std::optional<std::uint32_t> log_mask_of(const std::string& text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  const char* begin = text.data() + (base == 16 ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint32_t mask = 0;
  const auto [at, error] = std::from_chars(begin, end, mask, base);
  if (error != std::errc() || at != end) return std::nullopt;
  return mask;
}

}  // namespace annals::daemons
