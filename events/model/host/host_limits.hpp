// The limits of what a host does for a job, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace annals::limits {

// Files that come to a run, or go from it, have this long altogether: a copy that never ends would hold the run's vnodes
// for ever. At 100 MB/s it is 8 TB, and most sites end a job's whole life sooner.
constexpr std::uint32_t copying_s_max = 24 * 60 * 60;
// What a copy program says, of which the end is kept: why it failed is a line or two, progress may be any number.
constexpr std::size_t copy_text_bytes_max = 16u << 10;
// An answer of a process that acted as the user; what was delivered fits, and texts are cut so that they do.
constexpr std::size_t user_answer_bytes_max = 1u << 20;
static_assert(copy_text_bytes_max * 4 <= user_answer_bytes_max);

// What a task wrote elsewhere is tried to be put into the job's file so often, a second apart: a minute bridges a restart of
// a file server. Until then the task's end waits, and the run's vnodes; a user over his quota should not hold them longer.
constexpr unsigned output_tries_max = 60;

}  // namespace annals::limits
