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

namespace annals::projections {

struct run_efficiency {
  std::string job, user, queue;
  std::uint32_t run = 0;
  std::int64_t assigned_ns = 0, ended_ns = 0;  // ended_ns 0: it goes on
  std::uint64_t ended_sequence = 0;
  std::uint64_t cput_s = 0, walltime_s = 0, ncpus = 0, mem_kb = 0;  // used; of memory the highest
  std::optional<std::uint64_t> mem_asked_kb, walltime_asked_s;      // nothing: not asked for

  std::uint64_t cpu_given_s() const { return ncpus * walltime_s; }
  // Parts of one; nothing: it was given, or asked for, nothing.
  std::optional<double> cpu() const;
  std::optional<double> memory() const;
  std::optional<double> walltime() const;
  bool operator==(const run_efficiency&) const = default;
};

// Of many runs: each counts as much as the cpu time that it was given. So cpu is all cpu time used by all cpu time given.
class efficiency_sum {
 public:
  void add(const run_efficiency& run);
  std::size_t runs() const { return runs_; }
  std::uint64_t cput_s() const { return cput_s_; }
  std::uint64_t cpu_given_s() const { return given_s_; }
  std::optional<double> cpu() const;
  std::optional<double> memory() const { return memory_.value(); }      // of the runs that asked for some
  std::optional<double> walltime() const { return walltime_.value(); }  // the same

 private:
  struct mean {
    double sum = 0, weights = 0;
    void add(std::optional<double> part, double weight);
    std::optional<double> value() const;
  };
  std::size_t runs_ = 0;
  std::uint64_t cput_s_ = 0, given_s_ = 0;
  mean memory_, walltime_;
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
