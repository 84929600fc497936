#include "events/values/shown_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace annals::values {

namespace {

struct code_range {
  std::uint32_t first, last;
};

// Behind U+009F; in order.
constexpr code_range unshown[] = {
    {0xad, 0xad},
    {0x61c, 0x61c},
    {0x180e, 0x180e},
    {0x200b, 0x200b},
    {0x200e, 0x200f},
    {0x2028, 0x202e},
    {0x2060, 0x2064},
    {0x2066, 0x206f},
    {0xfeff, 0xfeff},
    {0xfff9, 0xfffb},
    {0xe0000, 0xe007f},
};

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_ascii_control(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }

// The code of a whole character in UTF-8, or of a byte alone.
std::uint32_t code_point(std::string_view character) {
  if (character.size() == 1) return byte_at(character, 0);
  std::uint32_t code = byte_at(character, 0) & (0xffu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte_at(character, i) & 0x3fu);
  return code;
}

bool is_unshown(std::uint32_t code) {
  if (code < 0xa0) return code >= 0x80;
  const auto at = std::ranges::find_if(unshown, [&](const code_range& r) { return code <= r.last; });
  return at != std::end(unshown) && code >= at->first;
}

bool is_plain_ascii(char c) { return c == '\t' || (c >= 0x20 && c < 0x7f); }

constexpr std::uint64_t in_each_byte(std::uint8_t value) { return value * 0x0101010101010101u; }

// The bytes that are this one become plain ones.
std::uint64_t without(std::uint64_t bytes, std::uint8_t value) {
  const auto others = bytes ^ in_each_byte(value);
  const auto found = ~(((others & in_each_byte(0x7f)) + in_each_byte(0x7f)) | others | in_each_byte(0x7f));
  return bytes | found >> 2;  // 0x20 where there is 0x80
}

// Eight bytes at a time, since all that a command prints comes by here.
bool are_plain_ascii(std::string_view text, bool also_line_ends) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    bytes = without(bytes, '\t');
    if (also_line_ends) bytes = without(bytes, '\n');
    // A byte below 0x20 borrows, 0x7f carries, and others than ASCII have their highest bit anyway.
    if (((bytes - in_each_byte(0x20)) | bytes | (bytes + in_each_byte(1))) & in_each_byte(0x80)) return false;
  }
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                     [&](char c) { return is_plain_ascii(c) || (also_line_ends && c == '\n'); });
}

// Calls plain(piece) and control(character) for what follows each other in the text.
template <class Plain, class Control>
void walk(std::string_view text, Plain&& plain, Control&& control) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain_ascii);
    if (const auto length = static_cast<std::size_t>(end - text.begin()); length > 0) {
      plain(text.substr(0, length));
      text.remove_prefix(length);
      continue;
    }
    const std::size_t length = unshown_length(text);
    const std::size_t whole = length > 0 ? length : std::max<std::size_t>(utf8_length(text), 1);
    if (length > 0) control(text.substr(0, whole));
    else plain(text.substr(0, whole));
    text.remove_prefix(whole);
  }
}

void put_one(std::string& to, std::string_view character) {
  const std::uint32_t code = code_point(character);
  if (code < 0xa0) {
    to += code >= 0x80 ? "M-^" : "^";
    to += static_cast<char>(code >= 0x80 ? code ^ 0xc0 : code ^ 0x40);
    return;
  }
  char text[16];
  std::snprintf(text, sizeof text, "<U+%04X>", code);
  to += text;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? byte_at(text, i) : 0u; };
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

std::size_t unshown_length(std::string_view text) {
  if (text.empty()) return 0;
  if (byte_at(text, 0) < 0x80) return is_ascii_control(byte_at(text, 0)) ? 1 : 0;
  const auto length = utf8_length(text);
  if (length == 0) return byte_at(text, 0) < 0xa0 ? 1 : 0;  // a byte alone: a control character, or of another encoding
  return is_unshown(code_point(text.substr(0, length))) ? length : 0;
}

std::string_view front_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  for (std::size_t back = 1; back <= std::min<std::size_t>(bytes_max, 3); ++back) {
    const auto begin = bytes_max - back;
    if (utf8_length(text.substr(begin)) > back) return text.substr(0, begin);
  }
  return text.substr(0, bytes_max);
}

bool has_controls(std::string_view text) {
  if (are_plain_ascii(text, false)) return false;
  bool found = false;
  walk(
      text, [](std::string_view) {}, [&](std::string_view) { found = true; });
  return found;
}

bool has_unshown_lines(std::string_view text) {
  if (are_plain_ascii(text, true)) return false;
  bool found = false;
  walk(
      text, [](std::string_view) {}, [&](std::string_view control) { found |= control != "\n"; });
  return found;
}

void put_shown(std::string& to, std::string_view text) {
  walk(
      text, [&](std::string_view plain) { to += plain; }, [&](std::string_view control) { put_one(to, control); });
}

void put_lines(std::string& to, std::string_view text) {
  walk(
      text, [&](std::string_view plain) { to += plain; },
      [&](std::string_view control) { control == "\n" ? static_cast<void>(to += '\n') : put_one(to, control); });
}

void put_masked(std::string& to, std::string_view text, char mask) {
  const auto begin = to.size();
  walk(
      text, [&](std::string_view plain) { to += plain; }, [&](std::string_view) { to += mask; });
  std::replace(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), '\t', mask);
}

void put_hex(std::string& to, std::string_view text) {
  const auto put = [&](std::string_view bytes) {
    for (const char c : bytes) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      to += escaped;
    }
  };
  walk(
      text,
      [&](std::string_view plain) {
        for (auto tab = plain.find('\t'); tab != std::string_view::npos; tab = plain.find('\t')) {
          to += plain.substr(0, tab);
          put("\t");
          plain.remove_prefix(tab + 1);
        }
        to += plain;
      },
      put);
}

void put_json_escape(std::string& to, std::string_view character) {
  const std::uint32_t code = code_point(character);
  char text[16];
  if (code < 0x10000) std::snprintf(text, sizeof text, "\\u%04x", code);
  else std::snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
  to += text;
}

std::string json_escaped(std::string_view json) {
  std::string to;
  to.reserve(json.size());
  walk(
      json, [&](std::string_view plain) { to += plain; },
      [&](std::string_view control) { control == "\n" ? static_cast<void>(to += '\n') : put_json_escape(to, control); });
  return to;
}

}  // namespace annals::values
