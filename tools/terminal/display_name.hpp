// DISPLAY, and the cookie that `xauth list` shows for it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace annals::terminal {

struct display_name {
  std::string host;               // empty: this one, over a Unix socket
  unsigned number = 0;            // the socket X0, the TCP port 6000
  std::string authority() const;  // what xauth calls it
};
// "host:number" or "host:number.screen"; nothing: neither.
std::optional<display_name> parse_display(std::string_view text);

// The bytes of the first cookie of a kind that X servers take; nothing: the list has none.
std::optional<std::string> cookie_in(std::string_view xauth_list);
std::string hexadecimal(std::string_view bytes);

}  // namespace annals::terminal
