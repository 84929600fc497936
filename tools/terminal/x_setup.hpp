// What an X client says first: which cookie it has. Programs of the job have one that is made for the session; only who shows it is let
// through, with the user's own in its place, which so never leaves the user's host. Pure.
// The form: byte order, version, lengths of two texts, and the two, each filled up to four bytes (X protocol, "Connection Setup").
#pragma once

#include <string>
#include <string_view>

namespace annals::terminal {

inline constexpr std::string_view x_cookie_kind = "MIT-MAGIC-COOKIE-1";

class x_setup {
 public:
  // `real`: empty, when the user's X server lets its user in without.
  x_setup(std::string expected, std::string real) : expected_(std::move(expected)), real_(std::move(real)) {}

  // What goes on to the X server of what the client said. After is_refused() nothing does.
  std::string pass(std::string_view said);
  bool is_refused() const { return at_ == place::refused; }

 private:
  enum class place { header,
                     passed,
                     refused };
  std::string with_real_cookie() const;

  std::string expected_, real_, said_;
  place at_ = place::header;
};

}  // namespace annals::terminal
