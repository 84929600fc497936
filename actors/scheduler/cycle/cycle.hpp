// One scheduling cycle: which queued jobs should run where, and why the others do not. A function of view, policy and the time it
// is asked for. Governed by docs/design/0005-scheduling.md.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

struct proposed_run {
  std::uint64_t job = 0;
  std::string exec_vnode, exec_host;
  std::vector<std::string> hosts;  // each once, primary first; none: a suspended job goes on where it is
};

struct job_reason {
  std::uint64_t job = 0;
  index at = none;            // of the view
  std::uint32_t comment = 0;  // index into result::comments
};

// A line of the scheduler's log (pbs guide: logs). Object and text live as long as the result and the view's jobs.
struct log_line {
  std::uint16_t event = 0;  // bit
  const char* log_class = "";
  std::string_view object;
  std::string_view text;
};

struct result {
  std::vector<proposed_run> runs;       // in the order decided
  std::deque<std::string> comments;     // each different one once, whole: "Not Running: ..."
  std::deque<std::string> other_texts;  // that log lines point at
  std::vector<job_reason> reasons;      // of every job considered that does not run
  std::vector<log_line> log;
  std::uint32_t considered = 0;
};

// One job that somebody asked for by name (qrun), whatever its queue, its holds and its place in the order say. `job_at`: of
// view::take_asked. Nothing: there is no room; `why` says it.
std::optional<proposed_run> run_asked(view& v, const policy& p, moment now, index job_at, std::string& why);

// Afterwards the view holds a claim for each proposed job, and each job that does not run has its new comment only once
// the caller says so (view::set_comment).
result run_cycle(view& v, const policy& p, moment now);

}  // namespace annals::cycle
