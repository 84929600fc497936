// Names of jobs and destinations as users type them, and how a command reports what the server refused
// (pbs guide: "commands"). Pure but for the printing functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "events/schema/client.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::client {

// A job named on a command line: "12", "12.q1", "12[]", "12[3]", "12[1-5]", each perhaps with "@server" behind.
struct job_name {
  std::string id;      // completed with the default server: "12.q1", "12[].q1"
  std::string server;  // what stood behind '@'; empty: the default server
};
// Nothing: illegally formed (also an id of a server that is not `default_server`, as PBS has it: "99999.other").
std::optional<job_name> parse_job_name(std::string_view text, std::string_view default_server);

// A queue named on a command line: "queue", "@server", "queue@server".
struct destination {
  std::string queue, server;
};
std::optional<destination> parse_destination(std::string_view text);  // nothing: illegally formed

// Exit status of a command that the server refused: the PBS error number modulo 256 (15001: 153).
constexpr int exit_status(std::uint32_t pbs_error) { return values::exit_code_of(pbs_error); }
namespace pbs_error = values::pbs_error;

// "<cmd>: <text>" or "<cmd>: <text> <object>". Some of PBS's texts end in a blank, which gives two before the object
// ("qdel: Unauthorized Request  11.q1"); a text that the server sent with its blank keeps it.
std::string refusal_line(std::string_view command, std::uint32_t code, std::string_view text,
                         std::string_view object = {});
// The text with the blank that PBS's own text has.
std::string refusal_text(schema::Rejection::Reader refusal);
// As refusal_line, on stderr; answers the exit status.
int print_refusal(std::string_view command, schema::Rejection::Reader refusal, std::string_view object = {});
int print_refusal(std::string_view command, const values::refusal& refusal, std::string_view object = {});
inline int print_refusal(std::string_view command, std::uint32_t code, std::string_view text,
                         std::string_view object = {}) {
  return print_refusal(command, values::refusal{code, std::string(text)}, object);
}

// Calls `each` for every well-formed id of the list and reports the others ("<cmd>: illegally formed job identifier:
// x", status 1). Goes on after errors; answers the last status that was not 0, else 0.
int for_each_job(std::string_view command, std::span<const std::string> texts, std::string_view default_server,
                 const std::function<int(const job_name&)>& each);

}  // namespace annals::client
