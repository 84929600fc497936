// One mail: where in the log it comes from, and what the mailer gets.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace annals::projections {

// A record may cause several mails; they are counted from 0. This orders all mails there will ever be.
struct mail_place {
  std::uint64_t sequence = 0;
  std::uint32_t number = 0;
  auto operator<=>(const mail_place&) const = default;
};

struct mail {
  mail_place place;
  std::string about;         // "12.borg", "R5.borg"
  std::string mailer, from;  // as the server's attributes said then
  std::string to;            // one argument, addresses with blanks between
  std::string text;          // headers and body
  std::string mailer_by;     // "x@borg", a manager who set the mailer when managers still could; empty: root did, or nobody
};

}  // namespace annals::projections
