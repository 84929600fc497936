// Jobs come into a view here and leave it: rows of the server, jobs that are asked for by name, and subjobs of arrays between their
// proposal and their beginning. A subjob of an array is a job from its proposal on; the server gives it a serial of its own when it begins
// (docs/design/0057-job-arrays.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle/claim_book.hpp"
#include "actors/scheduler/cycle/entity_shares.hpp"
#include "actors/scheduler/cycle/job_limits.hpp"
#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/subjobs.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

class job_intake {
 public:
  job_intake(job_table& jobs, job_limits& limits, entity_shares& shares, claim_book& claims)
      : jobs_(jobs), limits_(limits), shares_(shares), claims_(claims) {}

  void apply(schema::SchedJob::Reader row) { apply(row, row.getSerial()); }
  void gone(std::uint64_t serial);
  // A job that is asked for by name (qrun), whatever its state: in the view until forget_asked or the server's word. An array's row names
  // the one subjob that is asked for.
  index take_asked(schema::SchedJob::Reader row);
  void forget_asked(index job_at);
  // The server refused the proposal: the job is what it was before and holds nothing. Of an array: all that is proposed of it.
  void withdraw(std::uint64_t job);

  // Of an array: its lowest subjob that is to be run and is not proposed; nothing: there is none.
  std::optional<std::uint32_t> next_subjob(index array_at);
  bool may_begin_another(const job& array) const;  // max_run_subjobs
  // That subjob as a job of its own, to be proposed: it is there until its array's row says that it has begun, or settle_subjobs.
  index make_subjob(index array_at);
  // A cycle begins: what was proposed before has begun by now, or never will.
  void settle_subjobs();

 private:
  void apply(schema::SchedJob::Reader row, std::uint64_t serial);
  void leave(index at);  // undoes what the job's row did to sums, slots and claims
  void remove(index at);
  void add_subjob(index at, std::uint64_t array, std::uint32_t subjob, std::string_view array_id);
  void drop_subjobs(std::uint64_t array, const subjob_list* but = nullptr);

  job_table& jobs_;
  job_limits& limits_;
  entity_shares& shares_;
  claim_book& claims_;
  std::unordered_map<std::uint64_t, std::vector<index>> subjobs_;  // proposed or asked for, by their array's serial
};

}  // namespace annals::cycle
