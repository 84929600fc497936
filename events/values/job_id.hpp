// Job identifiers: 12, 12.borg, 12[].borg, 12[3].borg, 12[1-5]. Source: pbs guide, "commands".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

enum class id_form : std::uint8_t { job,
                                    array,
                                    subjob,
                                    range };

struct job_id {
  std::uint64_t number = 0;
  id_form form = id_form::job;
  std::string indices;  // "3" of a subjob, "1-5" or "1-9:2" of a range
  std::string server;   // after the dot; empty when it was left out
  std::string at;       // after an @: the server to ask; usually empty
  bool operator==(const job_id&) const = default;
};

// Nothing: "illegally formed job identifier". Whether the server part means this server is for the caller:
// id_for() does both.
std::optional<job_id> parse_job_id(std::string_view text);
std::string print(const job_id& id);  // with .server where there is one, without @server

// The full id ("12.borg") of what a user typed, when the server part is absent or names `server` (a longer host name
// whose first part is the server's counts). Nothing: illegally formed, as PBS says of a foreign server too.
std::optional<std::string> id_for(std::string_view text, std::string_view server);

}  // namespace annals::values
