#include "tools/report/held.hpp"

#include <algorithm>
#include <cmath>

#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "tools/report/limits.hpp"

namespace annals::reporting {
namespace {

constexpr double number_max = 1e14;  // so that ten-thousandths have a place in 63 bits

std::optional<amount> size_of(std::string_view text) {
  const auto size = values::parse_size(text);
  if (!size) return std::nullopt;
  const unsigned shift = size->shift + (size->words ? 3u : 0u);
  if (shift > 60) return std::nullopt;
  return amount{amount_kind::size, times(static_cast<exact>(size->number), exact{1} << shift)};
}

}  // namespace

std::optional<amount> amount_of(std::string_view type, std::string_view text) {
  if (type == "size") return size_of(text);
  if (type == "long")
    if (const auto n = values::parse_integer(text)) return amount{amount_kind::number, times(*n, amount_scale)};
  if (type == "float")
    if (const auto n = values::parse_real(text); n && std::abs(*n) <= number_max)
      return amount{amount_kind::number, static_cast<exact>(std::llround(*n * static_cast<double>(amount_scale)))};
  return std::nullopt;
}

bool is_resource_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || name.size() > limits::resource_name_bytes_max || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

}  // namespace annals::reporting
