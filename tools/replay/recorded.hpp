// The scheduling cycles that a log tells of, with what came of each: what a repetition is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/event/scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::replay {

// "(n1:ncpus=2)", and of a shrink-to-fit job "(n1:ncpus=2) for 00:14:59".
std::string place_text(std::string exec_vnode, std::uint64_t walltime_seconds);

struct recorded_reason {
  std::string comment, behind;
  bool operator==(const recorded_reason&) const = default;
};

struct recorded_refusal {
  std::string exec_vnode, why;
};
using refusals = std::map<std::uint64_t, recorded_refusal>;  // by job

struct recorded_cycle {
  std::string scheduler;
  std::uint64_t sequence = 0;  // of its CycleBegan
  std::int64_t wall_ns = 0;    // of that record
  schema::sealed<schema::CycleBegan> began;
  bool first = false;   // since the scheduler came
  bool before = false;  // the range, and the last one there: it tells what its scheduler had said by then
  bool ended = false;
  bool last = false;                             // of its scheduler: the log may end before its starts are written
  std::uint32_t proposed = 0;                    // as CycleEnded says
  std::map<std::uint64_t, std::string> started;  // jobs (job_key) that got vnodes before the next cycle looked: place_text
  refusals refused;                              // proposals
  // What was refused before of jobs that have not run since: the same refusal is not written again.
  std::shared_ptr<const refusals> refused_before;
  std::set<std::uint64_t> without;                   // jobs that it did not consider
  std::map<std::uint64_t, recorded_reason> reasons;  // that it said, by job
  std::map<std::uint64_t, std::string> answers;      // about reservations, those that were taken: words_of
};

// The job's stream; of a subjob that begins its array's and its index (values::subjob_number).
std::uint64_t job_key(schema::ProposeRun::Reader run);

// What a scheduler said about a reservation: where it is, when; or why not.
std::string words_of(capnp::List<schema::OccurrencePlace>::Reader places);
std::string words_of_refusal(std::string_view reason);

struct range {
  std::uint64_t from = 1, to = 0;  // sequences, both included
};

// Those that began within the range and of each scheduler the last one before it, in the order of their views. Reads the log from its
// beginning.
ports::store_status read_cycles(const log::log_reader& reader, const range& within, const std::function<bool()>& go_on,
                                std::vector<recorded_cycle>& into);

}  // namespace annals::replay
