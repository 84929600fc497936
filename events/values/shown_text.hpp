// Text that others wrote, as people are shown it: it must not steer a terminal, hide what is in it, or look like a line of ours. This is
// the one list of what never comes out as it is; whatever prints or writes a log asks here:
//
//   C0 but tabs, DEL and C1 (U+0080 to U+009F, as UTF-8 or as a byte alone)          they steer terminals
//   U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069                        they turn the order of what is read
//   U+2028, U+2029                                                                    they end lines
//   U+00AD, U+180E, U+200B, U+2060 to U+2064, U+206A to U+206F, U+FEFF,
//   U+FFF9 to U+FFFB, U+E0000 to U+E007F                                              nobody sees them
//
// The joiners U+200C and U+200D are not in it: scripts and emojis are written with them. Bytes that are no UTF-8 stay, as in PBS.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace annals::values {

// How many bytes of a character in UTF-8 the text begins with; 0: of none (RFC 3629: the shortest form, no surrogates).
std::size_t utf8_length(std::string_view text);
// How many bytes at the front of the text are one character of the list above; 0: none is there. A tab is none, a line end is one.
std::size_t unshown_length(std::string_view text);
// The beginning of the text, of at most so many bytes: no character of it is cut in two.
std::string_view front_of(std::string_view text, std::size_t bytes_max);

bool has_controls(std::string_view text);
bool has_unshown_lines(std::string_view text);  // besides line ends
// As `cat -v` shows them, ^A and M-^A, and <U+202E>.
void put_shown(std::string& to, std::string_view text);              // a line end is ^J
void put_lines(std::string& to, std::string_view text);              // line ends stay: for whole messages and pages
void put_masked(std::string& to, std::string_view text, char mask);  // each control character, tabs too, is this one
void put_hex(std::string& to, std::string_view text);                // each byte of a control character, tabs too, is \x1b
// In what is JSON already, as \u202e: a reader gets what was meant. Line ends and tabs stay, they are its layout.
std::string json_escaped(std::string_view json);
// The same for one character, of which the text begins with these bytes.
void put_json_escape(std::string& to, std::string_view character);

}  // namespace annals::values
