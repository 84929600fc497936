// What texts of a job and of a reservation may look like (pbs guide: job attributes). Commands ask before they send one, the server before
// it takes one.
#pragma once

#include <cstddef>
#include <string_view>

namespace annals::values {

// pbs guide: 230 visible characters.
constexpr std::size_t job_name_chars_max = 230;
// Letters, digits and "-_+."; not empty. The length is judged apart, since qsub has another message for it.
bool is_job_name(std::string_view name);
// n, or of a b c e.
bool is_reservation_mail_points(std::string_view text);
// Of the next ones no name has control characters or what is no UTF-8: they come to logs, mailers and other programs.
bool is_mail_users(std::string_view text);  // user[@host],... with blanks before each
bool is_user_list(std::string_view text);   // user[@host],...: at most one without a host
bool is_shell_list(std::string_view text);  // path[@host],...: absolute, at most one without a host

}  // namespace annals::values
