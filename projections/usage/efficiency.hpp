// How much of what it was given and asked for each run made use of: a fold over the whole log, for all jobs at once.
//
// Promise: a run is told of once, when it is over and hooks can say no more of it, with what the job showed then. Of a job that goes
// on only some numbers are kept. Needs no sound history: a job whose beginning can't be read is passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/usage.hpp"
#include "events/values/efficiency.hpp"

namespace annals::projections {

using values::efficiency_sum;

struct run_efficiency : values::efficiency {
  std::string job, user, queue;
  std::uint32_t run = 0;
  std::int64_t assigned_ns = 0, ended_ns = 0;  // ended_ns 0: it goes on
  std::uint64_t ended_sequence = 0;
  bool operator==(const run_efficiency&) const = default;
};

class job_efficiency {
 public:
  // Which jobs to follow, by id and name of the owner ("alice"), asked once for each job; empty: all.
  using wanted = std::function<bool(std::string_view id, std::string_view user)>;
  job_efficiency() = default;
  explicit job_efficiency(wanted which) : wanted_(std::move(which)) {}

  // The run that is over with this record.
  std::optional<run_efficiency> fold(const log::record& record);
  // Runs that go on, and those that have ended and are not over, in the order in which their jobs were submitted.
  std::vector<run_efficiency> open() const;

 private:
  using by_resource = std::map<std::string, std::string, std::less<>>;
  struct job {
    run_efficiency run;                       // run 0: none goes on
    by_resource asked;                        // of Resource_List
    std::optional<by_resource> asked_before;  // it was reduced: what the next run asks again
    model::usage_set used;
  };

  void queue(const log::record& record);
  static void begin(job& of, const log::record& record);
  static void take_changes(job& of, capnp::List<schema::Attribute>::Reader changes);
  static void take_usage(job& of, schema::Usage::Reader usage);
  static run_efficiency told(const job& of);
  static std::optional<run_efficiency> close(job& of);

  wanted wanted_;
  std::map<std::uint64_t, job> jobs_;  // by stream
};

}  // namespace annals::projections
