#include "events/values/hold_set.hpp"

namespace annals::values {
namespace {

// In the order of printing.
constexpr struct {
  char letter;
  std::uint8_t hold;
} letters[] = {
    {'s', hold_set::system}, {'o', hold_set::operator_}, {'u', hold_set::user}, {'p', hold_set::bad_password}};

}  // namespace

std::optional<hold_set> parse_hold_set(std::string_view text) {
  if (text == "n") return hold_set{};
  hold_set out;
  for (const char c : text) {
    const std::uint8_t before = out.bits;
    bool known = false;
    for (const auto& l : letters)
      if (l.letter == c) {
        out.bits = static_cast<std::uint8_t>(before | l.hold);
        known = true;
      }
    if (!known) return std::nullopt;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::string print(hold_set holds) {
  std::string out;
  for (const auto& l : letters)
    if (holds.has(l.hold)) out += l.letter;
  return out.empty() ? "n" : out;
}

}  // namespace annals::values
