// The runs that a report counts, read from a database that pbs_export wrote.
//
// Promise: a run counts in the period in which its record E, R or C was written (runs.closed_at), whole, with what that record says,
// so that the sums of days are those of the accounting files of these days. What it held of a resource is, phase by phase, its amount times
// the walltime of the phase: of ncpus as resources_used has it, of all others as Resource_List; a run that released no vnodes is one phase.
// Governed by docs/design/0071-reports.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/export/row_source.hpp"
#include "tools/report/held.hpp"

namespace annals::reporting {

// From its first moment on, until the last one, which belongs to the next. Nanoseconds since 1970.
struct period {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min(), until_ns = std::numeric_limits<std::int64_t>::max();
};

// What runs.* says by whom, for whom and where a run was.
enum class whose : std::uint8_t { user,
                                  group,
                                  project,
                                  account,
                                  queue,
                                  reservation };
constexpr std::size_t whose_count = 6;

struct held_sum {
  std::optional<amount_kind> kind;  // nothing: it held none
  exact amount_s = 0;               // amounts times seconds
};

struct counted_run {
  std::int64_t job = 0, run = 0;
  std::array<std::optional<std::string>, whose_count> of;
  std::int64_t closed_ns = 0;
  bool start_failed = false;
  std::optional<std::int64_t> wait_s;
  std::int64_t cput_s = 0, walltime_s = 0, suspended_s = 0, mem_bytes = 0;  // of memory the highest
  exact core_s = 0, mem_byte_s = 0;
  std::vector<held_sum> held;  // for each resource that was asked for
};

// In the order of jobs and their runs, until take says false. Throws exporting::target_trouble, report_trouble and too_large.
using take_run = std::function<bool(const counted_run&)>;
void each_run(exporting::row_source& from, const period& in, const std::vector<std::string>& resources, const take_run& take);

}  // namespace annals::reporting
