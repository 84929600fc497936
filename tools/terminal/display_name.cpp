#include "tools/terminal/display_name.hpp"

#include <algorithm>
#include <cctype>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/x_setup.hpp"

namespace annals::terminal {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':'; }) &&
         !text.ends_with(':') && !text.starts_with('-');
}

std::optional<unsigned> small_number(std::string_view text, unsigned most) {
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
    return std::nullopt;
  unsigned value = 0;
  for (const char c : text) value = 10 * value + static_cast<unsigned>(c - '0');
  if (value > most) return std::nullopt;
  return value;
}

// The next word of a line, which it takes away.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::string> bytes_of_hexadecimal(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0 || text.size() > 2 * limits::display_cookie_bytes) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text[i]))));
    const auto low = digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text[i + 1]))));
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

}  // namespace

// An X server that is reached through another forwarding is one of this host for xauth.
std::string display_name::authority() const {
  return (host.empty() || host == "localhost" ? "unix" : host) + ':' + std::to_string(number);
}

std::optional<display_name> parse_display(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto dot = text.find('.', colon);
  const auto number = small_number(text.substr(colon + 1, dot == text.npos ? dot : dot - colon - 1), 65535 - limits::x_port);
  if (!number || (dot != text.npos && !small_number(text.substr(dot + 1), 65535))) return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!is_host(host)) return std::nullopt;
  return display_name{host == "unix" ? "" : std::string(host), *number};
}

std::optional<std::string> cookie_in(std::string_view list) {
  while (!list.empty()) {
    auto line = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(line.size() + 1, list.size()));
    next_word(line);
    if (next_word(line) != x_cookie_kind) continue;
    if (auto bytes = bytes_of_hexadecimal(next_word(line))) return bytes;
  }
  return std::nullopt;
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const unsigned char c : bytes) {
    text += digits[c / 16];
    text += digits[c % 16];
  }
  return text;
}

}  // namespace annals::terminal
