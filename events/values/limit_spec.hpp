// Limit attributes: "[u:bob=2],[g:PBS_GENERIC=5],[o:PBS_ALL=10]". Parse, print and merge; what a limit means is
// elsewhere. Source: pbs guide, "limits".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/result.hpp"

namespace annals::values {

struct limit_entry {
  char kind = 'o';     // u, g, p or o
  std::string entity;  // a name, PBS_GENERIC, or PBS_ALL (with o only)
  std::string value;   // a count, or a value of the resource's type; empty in what `-=` takes
  bool same_entity(const limit_entry& other) const { return kind == other.kind && entity == other.entity; }
  bool operator==(const limit_entry&) const = default;
};
using limit_spec = std::vector<limit_entry>;  // sorted by the printed text of the entries

enum class limit_error : std::uint8_t { malformed,
                                        duplicate_entity,
                                        bad_value };

// Where the text breaks the grammar that qmgr checks: brackets, letters, PBS_ALL and o together, no sign before a value. Nothing: it does
// not; a name or a value may be missing all the same, which parse_limits says.
std::optional<std::size_t> limit_syntax_problem(std::string_view text);

// `need_values` false: entries may stand without "=N" (for -=).
result<limit_spec, limit_error> parse_limits(std::string_view text, bool need_values = true);
std::string print(const limit_entry& entry);  // "[u:bob=2]"
std::string print(const limit_spec& limits);  // joined by commas

void add_limits(limit_spec& limits, const limit_spec& more);     // += : adds or replaces
void remove_limits(limit_spec& limits, const limit_spec& gone);  // -= : with a value only when it is the same

}  // namespace annals::values
