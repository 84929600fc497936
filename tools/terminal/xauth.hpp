// xauth, which keeps the cookies of X displays for their users: it is run as the user, and cookies go through pipes only, since anybody
// can see the arguments of a program.
#pragma once

#include <optional>
#include <string>

namespace annals::terminal {

// What `xauth list` prints of a display; empty: it has no cookie. Nothing: xauth can't be run, and errno says why.
std::optional<std::string> xauth_list(const std::string& authority);
// Gives a display a cookie. Who fails says so on standard error.
void xauth_add(const std::string& authority, const std::string& hexadecimal_cookie);

}  // namespace annals::terminal
