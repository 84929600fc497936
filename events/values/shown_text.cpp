#include "events/values/shown_text.hpp"

#include <algorithm>

namespace annals::values {

namespace {

bool is_ascii_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

// Calls plain(piece) and control(last byte of it) for what follows each other in the text.
template <class Plain, class Control>
void walk(std::string_view text, Plain&& plain, Control&& control) {
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    const bool ascii = static_cast<unsigned char>(rest[0]) < 0x80;
    const std::size_t length = ascii ? (is_ascii_control(rest[0]) ? 1 : 0) : high_control_length(rest);
    if (length > 0) control(rest[length - 1]);
    const std::size_t whole = length > 0 ? length : ascii ? 1
                                                          : std::max<std::size_t>(utf8_length(rest), 1);
    if (length == 0) plain(rest.substr(0, whole));
    at += whole;
  }
}

}  // namespace

std::size_t high_control_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
  return byte(0) >= 0x80 && byte(0) < 0xa0 ? 1 : 0;
}

std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (at(i) & 0xc0u) == 0x80u; };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1) && follows(2) && (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1) && follows(2) && follows(3) && (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90) ? 4 : 0;
  return 0;
}

bool has_controls(std::string_view text) {
  bool found = false;
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80 && !is_ascii_control(c); }))
    return false;
  walk(
      text, [](std::string_view) {}, [&](char) { found = true; });
  return found;
}

void put_shown(std::string& to, std::string_view text) {
  if (!has_controls(text)) {
    to += text;
    return;
  }
  walk(
      text, [&](std::string_view plain) { to += plain; },
      [&](char c) {
        const bool high = static_cast<unsigned char>(c) >= 0x80;
        to += high ? "M-^" : "^";
        to += static_cast<char>(high ? c ^ 0xc0 : c ^ 0x40);
      });
}

void put_masked(std::string& to, std::string_view text, char mask) {
  if (!has_controls(text) && text.find('\t') == std::string_view::npos) {
    to += text;
    return;
  }
  walk(
      text, [&](std::string_view plain) { plain == "\t" ? to += mask : to += plain; }, [&](char) { to += mask; });
}

}  // namespace annals::values
