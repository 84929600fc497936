// Subjobs as users see them. One that has begun is a job, and shows its own attributes; what is to be known of any other is read off
// its array. Pure. Governed by docs/design/0057-job-arrays.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "events/values/job_indices.hpp"
#include "projections/status/effort.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

struct subjob_view {
  const model::job_state& array;
  std::uint32_t index;
  const model::job_state* own;                                          // its stream; nullptr: it has none
  const model::job_state& shown() const { return own ? *own : array; }  // whose attributes are shown for it
};

// Subjobs of one array, the lowest index first, in parts: all of them, or those of a set.
class subjob_walk {
 public:
  explicit subjob_walk(const model::job_state& array) : subjob_walk(array, values::index_set::all(array.array->indices())) {}
  subjob_walk(const model::job_state& array, values::index_set wanted) : array_(array.number), wanted_(std::move(wanted)) {}
  // Goes on while effort is left. False: that was the last one, or the array is gone.
  bool go_on(const status& from, const std::function<void(const subjob_view&)>& visit, effort& left);

 private:
  std::uint64_t array_;
  values::index_set wanted_;
  std::uint32_t next_ = 0;
};

std::string id_of(const status& from, const subjob_view& s);
// Q, X and F of those that have no stream; X, too, of one that has ended before its array has.
char letter_of(const subjob_view& s);
attributes::attribute_set subjob_row(const status& from, const subjob_view& s, std::int64_t now_s);

// "Queued:2 Running:2 Exiting:0 Expired:0". What it costs depends on how many run, not on how many there are.
std::string array_state_count(const status& from, const model::job_state& array);

}  // namespace annals::projections
