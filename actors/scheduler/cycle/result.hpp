// What a cycle decided.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/reservation.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// A running job that is to make room.
struct preempt_victim {
  enum class method : std::uint8_t { suspend,
                                     checkpoint,
                                     requeue,
                                     remove };
  std::uint64_t job = 0;
  index at = none;  // of the view
  method by = method::suspend;
};

struct proposed_run {
  std::uint64_t job = 0;
  std::string exec_vnode, exec_host;
  std::vector<std::string> hosts;  // each once, primary first; none: a suspended job goes on where it is
  std::vector<preempt_victim> victims = {};
  std::int64_t walltime = 0;                 // seconds, of a shrink-to-fit job; 0: its own
  std::optional<std::uint32_t> subjob = {};  // the job is an array: this one of it
};

struct job_reason {
  std::uint64_t job = 0;
  index at = none;            // of the view
  std::uint32_t comment = 0;  // index into result::comments
  std::uint32_t behind = 0;   // index into result::blockers, from 1; 0: it waits behind nothing
};

// When and where a top job will run (pbs guide: estimated). Only what differs from what the job shows.
struct job_estimate {
  std::uint64_t job = 0;
  index at = none;   // of the view
  moment start = 0;  // 0: there is none any more
  std::string exec_vnode;
  bool former = false;  // it is no top job any more, and keeps what it shows otherwise
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
  std::deque<std::string> comments;     // whole: "Not Running: ..."; each once with the same data
  std::vector<why_data> whys;           // beside comments
  std::vector<std::string> blockers;    // ids of jobs and reservations, each once
  std::deque<std::string> other_texts;  // that log lines point at
  std::vector<job_reason> reasons;      // of every job considered that does not run
  std::vector<job_estimate> estimates;
  std::vector<reservation_answer> answers;  // in the order decided
  std::vector<log_line> log;
  std::uint32_t considered = 0;
  bool left_questions = false;  // about reservations: the next cycle answers them
};

}  // namespace annals::cycle
