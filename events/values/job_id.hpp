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

// -- the number of a job ----------------------------------------------------------------------------------------------------

// By which the server knows a job: 12 of 12.borg and of the array 12[].borg; a subjob's holds its array's and its index. So whatever finds
// jobs by number finds subjobs too.
constexpr unsigned number_bits = 40;                                     // 999999999999 is the highest one (pbs guide: max_job_sequence_id)
constexpr std::uint32_t largest_index = (1u << (64 - number_bits)) - 2;  // of a subjob
constexpr std::uint64_t subjob_number(std::uint64_t array, std::uint32_t index) {
  return (std::uint64_t{index} + 1) << number_bits | array;
}
constexpr bool is_subjob(std::uint64_t number) { return number >> number_bits != 0; }
constexpr std::uint64_t array_of(std::uint64_t number) { return number & ((std::uint64_t{1} << number_bits) - 1); }  // 12 of 12 too
constexpr std::uint32_t index_of(std::uint64_t subjob) { return static_cast<std::uint32_t>(subjob >> number_bits) - 1; }

// "12.borg", "12[3].borg"
std::string id_of_number(std::uint64_t number, std::string_view server);
std::string array_id(std::uint64_t number, std::string_view server);  // "12[].borg"
// Of a job, an array or a subjob; nothing: of a range.
std::optional<std::uint64_t> number_of(const job_id& id);

}  // namespace annals::values
