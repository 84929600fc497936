// What one job used, per run, per host and over time: a fold of the job's stream. It answers for jobs that run and for
// jobs the server has forgotten, because the log keeps both. What hooks set stands beside what was measured, or in its place, as
// the job shows it (docs/design/0035-usage-per-host.md).
//
// Promise: the same records give the same series, whoever folds them and when. A series never holds more than
// limits::usage_samples_max samples: a MoM reports the less often the older a run is (model::worth_reporting), and a series
// that is full all the same loses every other sample.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/usage.hpp"

namespace annals::projections {

struct usage_sample {
  std::int64_t wall_ns = 0;    // when it was written down, nanoseconds since 1970
  model::usage_set used;       // so far; of memory the highest
  std::uint64_t sequence = 0;  // of the record that tells it
  bool operator==(const usage_sample&) const = default;
};

struct host_series {
  std::string host;
  std::vector<usage_sample> samples;
  bool operator==(const host_series&) const = default;
};

struct run_series {
  std::uint32_t run = 0;
  std::int64_t assigned_ns = 0, ended_ns = 0;  // ended_ns 0: it goes on
  std::uint64_t ended_sequence = 0;
  bool has_exit_status = false;
  std::int32_t exit_status = 0;
  std::vector<host_series> hosts;   // in the order of the assignment, primary first
  std::vector<usage_sample> total;  // of a run on several hosts: their sum as it was reported
  bool operator==(const run_series&) const = default;
};

class job_usage {
 public:
  void fold(const log::record& record);  // of this job's stream
  // Forgets the samples before a sequence, and the runs of which nothing is left because they had ended. For reading, when the
  // last record was folded.
  void keep_from(std::uint64_t sequence);
  const std::string& id() const { return id_; }  // "12.borg"; empty before JobQueued
  const std::vector<run_series>& runs() const { return runs_; }
  bool operator==(const job_usage&) const = default;

 private:
  void begin(const log::record& record);
  void end(const log::record& record);
  void take(const log::record& record, schema::Usage::Reader all, capnp::List<schema::HostUsage>::Reader hosts);

  std::string id_;
  std::vector<run_series> runs_;
};

// Whether a host told anything: the zeros of one that says nothing yet are no measurement.
bool tells_something(const model::usage_set& used);

// How much of the cpus it held a host's part of a run made use of, in percent; 0 before the first second.
unsigned cpu_efficiency(const usage_sample& last);

}  // namespace annals::projections
