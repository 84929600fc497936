#include "events/values/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace annals::values {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t bytes_per_line = 512;  // as PBS prints them
constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
  std::array<std::uint8_t, 256> d{};
  d.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) d[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return d;
}();

void put_line(std::string& out, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out.push_back(k <= n ? alphabet[group >> (18 - 6 * k) & 63] : '=');
  }
  out.push_back('\n');
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A line may end in one or two '='; what it stands for is added to out.
bool take_line(std::string_view line, std::string& out) {
  std::uint32_t group = 0;
  std::size_t count = 0, padding = 0;
  for (const char c : line) {
    if (is_blank(c)) continue;
    const auto digit = c == '=' ? std::uint8_t{0} : digit_values[static_cast<unsigned char>(c)];
    if (digit == no_digit || (c != '=' && padding > 0)) return false;
    padding += c == '=';
    group = group << 6 | digit;
    if (++count % 4 != 0) continue;
    if (padding > 2) return false;
    for (std::size_t k = 0; k < 3 - padding; ++k) out.push_back(static_cast<char>(group >> (16 - 8 * k) & 0xff));
    group = 0;
  }
  return count % 4 == 0;
}

}  // namespace

std::string base64_lines(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + bytes.size() / bytes_per_line + 8);
  for (std::size_t at = 0; at < bytes.size(); at += bytes_per_line)
    put_line(out, bytes.subspan(at, std::min(bytes_per_line, bytes.size() - at)));
  return out;
}

std::optional<std::string> from_base64(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    if (!take_line(lines.substr(0, end), out)) return std::nullopt;
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return out;
}

}  // namespace annals::values
