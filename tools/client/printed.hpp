// What a program prints on its own: each text passes here, so that nothing that it repeats steers the reader's terminal
// (events/values/shown_text.hpp). Line ends and tabs stay. Programs in tools print with these and with output
// (tools/client/query/output.hpp); a test sees to it.
#pragma once

#include <string_view>

namespace annals::client {

[[gnu::format(printf, 1, 2)]] void print_error(const char* format, ...);  // on stderr
[[gnu::format(printf, 1, 2)]] void print_text(const char* format, ...);   // on stdout
bool print_whole(std::string_view text);                                  // on stdout; false: it does not take it
void print_whole_error(std::string_view text);                            // on stderr

}  // namespace annals::client
