// Jobs that have come and whose postqueuejob hooks have not ended: no scheduler is told of them before, since a hook may hold them
// (withheld_jobs.hpp). Its times are those of the log's records; pure. Governed by docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "events/log/record.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

class awaited_looks {
 public:
  explicit awaited_looks(const status& from) : from_(from) {}

  // Takes in a record that the status has folded. Returns true if it queues a job, and that job waits from now on.
  bool begins(const log::record& record);
  // Takes in a record of a hook that the status has folded. Returns the jobs that wait no longer, by serial.
  std::vector<std::uint64_t> ended(const log::record& record);
  bool empty() const { return jobs_.empty(); }
  // When nobody waits any longer, if no such hook ends before: one whose files can't be read never ends, and the disk may be full.
  std::int64_t until_ns() const { return since_ns_ + longest_ns_; }
  std::vector<std::uint64_t> give_up();

 private:
  struct waiting_job {
    std::uint64_t serial;
    std::set<std::uint64_t> hooks;  // by serial
  };
  const status& from_;
  std::map<std::uint64_t, waiting_job> jobs_;  // by the sequence of the event that queued it
  std::int64_t since_ns_ = 0;                  // the first of them began to wait, or a hook ended last
  std::int64_t longest_ns_ = 0;                // all alarms, of the job that has most
};

}  // namespace annals::projections
