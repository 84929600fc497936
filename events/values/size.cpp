#include "events/values/size.hpp"

#include <charconv>
#include <limits>

namespace annals::values {
namespace {

// A number of 64 bits times a unit of at most 2^53 bytes fits.
__extension__ using wide = unsigned __int128;

constexpr wide bytes_max = std::numeric_limits<std::uint64_t>::max();

wide unit_of(const size_value& size) { return wide{size.words ? 8u : 1u} << size.shift; }
wide bytes_of(const size_value& size) { return size.number * unit_of(size); }

// The amount that it counts as: plain words are whole kilo-words, 1w is 8kb.
wide counted_bytes_of(const size_value& size) {
  return size.words && size.shift == 0 ? (wide{size.number} + 1023) / 1024 * 8192 : bytes_of(size);
}

// That many bytes in the unit of `like`, rounded up, at most what 64 bits of bytes hold.
size_value in_unit_of(const size_value& like, wide bytes) {
  const wide unit = unit_of(like);
  size_value out = like;
  out.number = static_cast<std::uint64_t>(bytes > bytes_max ? bytes_max / unit : (bytes + unit - 1) / unit);
  if (bytes_of(out) > bytes_max) out.number = static_cast<std::uint64_t>(bytes_max / unit);
  return out;
}

// Whose unit a sum or difference is printed in: the smaller one, but never plain bytes or words beside a larger unit.
const size_value& unit_for_both(const size_value& a, const size_value& b) {
  if ((a.shift == 0) != (b.shift == 0)) return a.shift == 0 ? b : a;
  return unit_of(a) <= unit_of(b) ? a : b;
}

std::optional<std::uint8_t> shift_of(char letter) {
  switch (letter) {
    case 'k':
    case 'K':
      return 10;
    case 'm':
    case 'M':
      return 20;
    case 'g':
    case 'G':
      return 30;
    case 't':
    case 'T':
      return 40;
    case 'p':
    case 'P':
      return 50;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<size_value> parse_size(std::string_view text) {
  size_value size;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, size.number);
  if (error != std::errc()) return std::nullopt;
  const char* at = after;
  if (at != end) {
    if (const auto shift = shift_of(*at)) {
      size.shift = *shift;
      ++at;
    }
  }
  if (at != end) {
    if (*at == 'w' || *at == 'W')
      size.words = true;
    else if (*at != 'b' && *at != 'B')
      return std::nullopt;
    ++at;
  }
  if (at != end || bytes_of(size) > bytes_max) return std::nullopt;
  return size;
}

std::string print_size(const size_value& size) {
  static constexpr const char* prefix[] = {"", "k", "m", "g", "t", "p"};
  return std::to_string(size.number) + prefix[size.shift / 10] + (size.words ? "w" : "b");
}

std::uint64_t size_value::to_kb() const {
  const wide kb = (counted_bytes_of(*this) + 1023) / 1024;
  return kb > bytes_max ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(kb);
}

std::strong_ordering compare(const size_value& a, const size_value& b) {
  const wide x = bytes_of(a), y = bytes_of(b);
  return x < y ? std::strong_ordering::less : x > y ? std::strong_ordering::greater
                                                    : std::strong_ordering::equal;
}

size_value add(const size_value& a, const size_value& b) {
  const size_value& unit = unit_for_both(a, b);
  // Each operand is rounded by itself, so that 1kb + 1b + 1b is 3kb whatever the order.
  return in_unit_of(unit, bytes_of(in_unit_of(unit, bytes_of(a))) + bytes_of(in_unit_of(unit, bytes_of(b))));
}

size_value sum_of(std::span<const counted_size> sizes) {
  if (sizes.empty()) return {};
  size_value unit = sizes.front().size;
  for (const auto& s : sizes) unit = unit_for_both(unit, s.size);
  wide sum = 0;
  for (const auto& s : sizes) {
    // Both factors have 64 bits, so the product fits.
    sum += bytes_of(in_unit_of(unit, bytes_of(s.size))) * s.count;
    if (sum > bytes_max) return in_unit_of(unit, sum);
  }
  return in_unit_of(unit, sum);
}

size_value subtract(const size_value& a, const size_value& b) {
  const wide x = bytes_of(a), y = bytes_of(b);
  return in_unit_of(unit_for_both(a, b), x > y ? x - y : 0);
}

size_value multiply(const size_value& a, std::uint64_t factor) {
  const wide bytes = bytes_of(a);
  // Saturates before the product could exceed 128 bits.
  if (factor != 0 && bytes > bytes_max / factor) return in_unit_of(a, bytes_max + 1);
  return in_unit_of(a, bytes * factor);
}

size_value in_kb(const size_value& size) { return in_unit_of({0, 10, false}, bytes_of(size)); }

}  // namespace annals::values
