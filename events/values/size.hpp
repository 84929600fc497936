// Sizes as PBS writes them: a whole number and a unit, kept as given ("2gb" stays 2gb, "2048mb" stays 2048mb).
// Source: pbs guide, "size normal form" and "sums".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace annals::values {

struct size_value {
  std::uint64_t number = 0;
  std::uint8_t shift = 0;  // 0, 10, 20, 30, 40 or 50: the number counts 2^shift bytes or words
  bool words = false;      // a word is 8 bytes

  // The amount that counts, rounded up: plain words to whole kilo-words (1w is 8kb). UINT64_MAX when it does not fit.
  std::uint64_t to_kb() const;
  bool operator==(const size_value&) const = default;  // number and unit; see compare for the amount
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.number, self.shift, self.words);
  }
};

// "<digits>[k|m|g|t|p][b|w]", letters of any case, no unit: bytes. No sign, no fraction. Nothing: not a size, or one
// that does not fit 64 bits of bytes.
std::optional<size_value> parse_size(std::string_view text);
std::string print_size(const size_value& size);  // "2gb", "1b", "3kw"

// The amounts, whatever the units.
std::strong_ordering compare(const size_value& a, const size_value& b);

// The sum in the smaller of the two units; an operand in plain bytes or words is rounded up to the unit of the other
// (1w + 1kw is 2kw, 2gb + 512mb is 2560mb). Saturates.
size_value add(const size_value& a, const size_value& b);
// The sum of many sizes, each as often as it is counted. It does not depend on their order: it is in the smallest of their units, and plain
// bytes and words beside a larger unit are rounded up to it, each by itself. Saturates.
struct counted_size {
  size_value size;
  std::uint64_t count = 0;
};
size_value sum_of(std::span<const counted_size> sizes);
// The difference in the smaller unit, rounded up; never below zero.
size_value subtract(const size_value& a, const size_value& b);
size_value multiply(const size_value& a, std::uint64_t factor);
// The bytes in kb, rounded up: 1w is 1kb, as sums in hooks have it.
size_value in_kb(const size_value& size);

}  // namespace annals::values
