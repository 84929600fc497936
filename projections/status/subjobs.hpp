// Subjobs as users see them. One that has begun is a job, and shows its own attributes; what is to be known of any other is read off
// its array. Pure. Governed by docs/design/0057-job-arrays.md.
#pragma once

#include <cstdint>
#include <string>

#include "projections/status/status.hpp"

namespace annals::projections {

struct subjob_view {
  const model::job_state& array;
  std::uint32_t index;
  const model::job_state* own;                                          // its stream; nullptr: it has none
  const model::job_state& shown() const { return own ? *own : array; }  // whose attributes are shown for it
};

std::string id_of(const status& from, const subjob_view& s);
// Q, X and F of those that have no stream; X, too, of one that has ended before its array has.
char letter_of(const subjob_view& s);
attributes::attribute_set subjob_row(const status& from, const subjob_view& s, std::int64_t now_s);

// "Queued:2 Running:2 Exiting:0 Expired:0". What it costs depends on how many run, not on how many there are.
std::string array_state_count(const status& from, const model::job_state& array);

}  // namespace annals::projections
