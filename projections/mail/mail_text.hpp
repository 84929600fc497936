// What mails are made of. A mail goes to a program that runs as root and to other people's mailboxes: control characters in users'
// words are shown as a question mark, so that nobody writes headers of his own, and an address that would be an option of the
// mailer is left out.
#pragma once

#include <string>
#include <string_view>

namespace annals::projections {

// "pbsuser@vm" alone; of a list "a@x.org b@y.org ", as PBS writes it. Empty: there is nobody to write to.
std::string recipients(std::string_view list, std::string_view owner);

// `what`: "JOB" or "RESERVATION"; `id_line` and `name_line` as "PBS Job Id: " and "Job Name:   ".
struct mail_subject {
  std::string_view what, id_line, name_line;
};
std::string mail_text(const mail_subject& subject, std::string_view to, std::string_view id, std::string_view name, std::string_view body);

std::string printable(std::string_view text);

}  // namespace annals::projections
