// What pbs_rsub and pbs_ralter make of their options (pbs guide: pbs_rsub, pbs_ralter, "reservations"). Every check that PBS's
// commands make themselves is here; what only the server can know it refuses itself. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/client/assignments.hpp"
#include "tools/client/job_options.hpp"
#include "tools/client/options.hpp"
#include "tools/client/submission.hpp"

namespace annals::client {

extern const command rsub_command, ralter_command;
// The lines of pbs_rsub --help about the options that are no letters.
extern const char* const rsub_long_help;

// A reservation named on a command line: "R12", "S12.q1", each perhaps with "@server" behind.
struct reservation_name {
  std::string id;      // completed with the default server: "R12.q1"
  std::string server;  // what stood behind '@'; empty: the default server
};
// Nothing: illegally formed.
std::optional<reservation_name> parse_reservation_name(std::string_view text, std::string_view default_server);
// "<cmd>: illegally formed reservation identifier: x" on stderr; answers 1, the exit status.
int print_ill_formed_reservation(std::string_view command, std::string_view text);
// The server that -q names ("@server"; empty without -q).
std::string server_of(const command_line& line);

// "[[[[CC]YY]MM]DD]hhmm[.SS]" as -a has it (events/values/date_time.hpp), but an hhmm that is not later than the current minute
// means the next day (month, year) even when the seconds are still ahead.
std::optional<std::int64_t> parse_reservation_time(std::string_view text, std::int64_t now);

// As options.hpp's judge, for either command.
std::optional<std::string> judge_reservation_option(const command& c, const given& g, std::int64_t now);

// --hosts h1 h2 ... and --job id of pbs_rsub, which getopt's letters can't say.
struct long_options {
  std::vector<std::string> hosts;
  bool has_hosts = false;
  std::optional<std::string> job;
};
// Takes them out of the arguments, wherever they stand.
long_options take_long_options(std::vector<std::string>& arguments);

// Who asks, and with what environment.
struct reservation_asker {
  std::int64_t now = 0;
  std::string user, group, host;
  environment_lookup environment_value = nullptr;
  std::string server;  // the default one
};

// The environment of a reservation: of the asker's only what says who asked from where, and a rule's time zone.
std::string reservation_variables(const reservation_asker& who);
std::optional<std::string> own_environment(const std::string& name);  // this process's

struct reservation_request {
  std::vector<job_attribute> attributes;
  std::vector<std::string> hosts;
  bool force = false;
};
// For options without problems.
std::variant<reservation_request, complaint> make_reservation(const command_line& line, const long_options& longs,
                                                              const reservation_asker& who);
std::variant<reservation_request, complaint> make_alteration(const command_line& line, std::int64_t now);

// "UNCONFIRMED", "CONFIRMED", "DENIED", "ALTER REQUESTED".
std::string_view answer_word(schema::ReservationAnswer::State state);

}  // namespace annals::client
