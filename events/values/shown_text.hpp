// Text that users wrote, as people are shown it: it must not steer their terminal. Control characters but tabs are written as `cat -v`
// does, ^A and M-^A; other bytes stay, also those that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace annals::values {

// How many bytes of a character in UTF-8 the text begins with; 0: of none (RFC 3629: the shortest form, no surrogates).
std::size_t utf8_length(std::string_view text);
// Of a control character of the second half, U+0080 to U+009F in UTF-8, or one such byte alone; 0: none is at the front.
std::size_t high_control_length(std::string_view text);

bool has_controls(std::string_view text);
void put_shown(std::string& to, std::string_view text);              // a line end is ^J
void put_masked(std::string& to, std::string_view text, char mask);  // each control character, tabs too, is this one

}  // namespace annals::values
