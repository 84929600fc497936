#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "events/values/shown_text.hpp"

using namespace annals::values;

namespace {
std::string shown(std::string_view text) {
  std::string out;
  put_shown(out, text);
  BOOST_TEST(has_controls(text) == (out != text));
  return out;
}

// As RFC 3629 has it; also of what it forbids.
std::string utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  const auto rest = [&](int shift) { return byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | code >> 6), rest(0)};
  if (code < 0x10000) return {byte(0xe0 | code >> 12), rest(6), rest(0)};
  return {byte(0xf0 | code >> 18), rest(12), rest(6), rest(0)};
}

std::string named(std::uint32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", code);
  return text;
}

// The list once more, character by character.
std::vector<std::uint32_t> never_shown() {
  std::vector<std::uint32_t> all;
  const auto put = [&](std::uint32_t first, std::uint32_t last) {
    for (auto code = first; code <= last; ++code)
      if (code != '\t') all.push_back(code);
  };
  put(0, 0x1f), put(0x7f, 0x9f), put(0xad, 0xad), put(0x61c, 0x61c), put(0x180e, 0x180e), put(0x200b, 0x200b), put(0x200e, 0x200f);
  put(0x2028, 0x202e), put(0x2060, 0x2064), put(0x2066, 0x206f), put(0xfeff, 0xfeff), put(0xfff9, 0xfffb), put(0xe0000, 0xe007f);
  return all;
}

std::string with(void (*put)(std::string&, std::string_view), std::string_view text) {
  std::string out;
  put(out, text);
  return out;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(shown_text)

BOOST_AUTO_TEST_CASE(control_characters_are_written_as_cat_does) {
  BOOST_TEST(shown("plain\ttext") == "plain\ttext");
  BOOST_TEST(shown(std::string_view("\0\x01\x1b[2J\r\n\x7f", 9)) == "^@^A^[[2J^M^J^?");
  BOOST_TEST(shown("\xc2\x9b"
                   "31m") == "M-^[31m");                // U+009B is ESC [ for some terminals
  BOOST_TEST(shown("a\x9bz") == "aM-^[z");              // in a Latin-1 terminal
  BOOST_TEST(shown("\xe2\x82\x9b") == "\xe2\x82\x9b");  // the same byte within a character
}

BOOST_AUTO_TEST_CASE(other_bytes_stay) {
  for (const char* text : {"", "Z\xc3\xbcrich", "\xf0\x9f\x9a\x80",
                           "a\xff\xfe"
                           "b",
                           "\xc3", "\xc2\xa0"}) BOOST_TEST(shown(text) == text);
}

BOOST_AUTO_TEST_CASE(each_of_the_list_is_changed_by_all_and_nothing_else_is) {
  const auto list = never_shown();
  auto next = list.begin();
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const bool listed = next != list.end() && *next == code;
    if (listed) ++next;
    const auto character = utf8(code), text = "a" + character + "z";
    const bool stays = shown(text) == text;
    if (stays == listed || (unshown_length(character) != 0) != listed) BOOST_ERROR(named(code));
    if (!listed) continue;
    BOOST_TEST(unshown_length(character) == character.size(), named(code));
    for (const auto& out : {with(put_shown, text), with(put_hex, text)})
      if (out.find(character) != std::string::npos) BOOST_ERROR(named(code) + " in " + out);
    for (const auto& out : {with(put_lines, text), json_escaped(text)})
      if ((out.find(character) != std::string::npos) != (code == '\n')) BOOST_ERROR(named(code) + " in " + out);
  }
  BOOST_TEST((next == list.end()));
}

BOOST_AUTO_TEST_CASE(each_byte_is_found_wherever_it_stands) {
  for (unsigned byte = 0; byte < 0x80; ++byte) {
    const bool plain = byte == '\t' || (byte >= 0x20 && byte < 0x7f);
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, '~');
      text[at] = static_cast<char>(byte);
      BOOST_REQUIRE(has_controls(text) == !plain);
      BOOST_REQUIRE(has_unshown_lines(text) == (!plain && byte != '\n'));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_byte_of_c1_alone_is_changed) {
  for (int byte = 0x80; byte < 0x100; ++byte) {
    const std::string alone(1, static_cast<char>(byte));
    BOOST_TEST((shown(alone) == alone) == (byte >= 0xa0), byte);
    BOOST_TEST((shown("\xe2" + alone + "a") == "\xe2" + alone + "a") == (byte >= 0xa0), byte);  // no whole character
  }
}

BOOST_AUTO_TEST_CASE(what_turns_or_hides_text_is_named) {
  BOOST_TEST(shown("a\u202egpj.exe") == "a<U+202E>gpj.exe");
  BOOST_TEST(shown("\u2066x\u2069\ufeff\u200b") == "<U+2066>x<U+2069><U+FEFF><U+200B>");
  BOOST_TEST(shown("\u2028\U000e0041") == "<U+2028><U+E0041>");
  BOOST_TEST(with(put_hex, "\t\x1b\u009b\u202e\xff") == "\\x09\\x1b\\xc2\\x9b\\xe2\\x80\\xae\xff");
  BOOST_TEST(with(put_lines, "a\r\n\tb\u202e") == "a^M\n\tb<U+202E>");
  BOOST_TEST(!has_unshown_lines("a\n\tb\xc3\xbc"));
  BOOST_TEST(has_unshown_lines("a\n\rb"));
  BOOST_TEST(has_unshown_lines("a\n\u202e"));
}

BOOST_AUTO_TEST_CASE(json_keeps_what_was_meant) {
  BOOST_TEST(json_escaped("{\n\t\"a\": \"\x7f\u0085\u202e\U000e0041\xc3\xbc\"}") ==
             "{\n\t\"a\": \"\\u007f\\u0085\\u202e\\udb40\\udc41\xc3\xbc\"}");
}

BOOST_AUTO_TEST_CASE(what_is_written_in_any_language_stays) {
  for (const char* text : {"Z\u00fcrich", "\u5b98\u8a71", "\u0627\u0644\u0639", "\u05e9\u05dc", "\u0915\u094d\u200d\u0937",
                           "\u0645\u06cc\u200c\u062e", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "\u00a0"}) {
    BOOST_TEST(shown(text) == text);
    BOOST_TEST(json_escaped(text) == text);
    BOOST_TEST(with(put_hex, text) == text);
  }
}

BOOST_AUTO_TEST_CASE(no_character_is_cut_in_two) {
  const std::string text = "a\u00fc\u20ac\U0001f680z";  // 1, 2, 3, 4 and 1 bytes
  const std::size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < std::size(whole); ++bytes) BOOST_TEST(front_of(text, bytes).size() == whole[bytes], bytes);
  BOOST_TEST(front_of("ab\xff\xff", 3) == "ab\xff");
  BOOST_TEST(front_of("\x80\x80\x80\x80", 2) == "\x80\x80");
}

BOOST_AUTO_TEST_CASE(each_is_masked_by_one_character) {
  const auto masked = [](std::string_view text) {
    std::string out;
    put_masked(out, text, '?');
    return out;
  };
  BOOST_TEST(masked("plain") == "plain");
  BOOST_TEST(masked("a\tb\n\x1b\x7f") == "a?b???");
  BOOST_TEST(masked("\xc2\x9b z\xe2\x82\x9b\xff") == "? z\xe2\x82\x9b\xff");
  BOOST_TEST(masked("a\u202e\u2028b") == "a??b");
}

BOOST_AUTO_TEST_SUITE_END()
