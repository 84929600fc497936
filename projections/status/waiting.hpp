// Why the jobs that wait do so, as cycles said it last (CycleReasons): one entry for each job. What thousands of jobs share is
// kept once. Governed by docs/design/0048-why.md.
#pragma once

#include <capnp/message.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/schema/event/scheduler.capnp.h"
#include "events/values/stored_state.hpp"

namespace annals::projections {

class waiting_reasons {
 public:
  // A comment with its data. The data of a record from before there was any is empty.
  struct reason {
    std::string text;
    kj::Array<capnp::word> why;  // canonical
    schema::Why::Reader data() const;
  };
  // What the entries of one record have in common.
  struct saying {
    std::uint64_t cycle = 0, scheduler = 0;  // the scheduler's stream
    std::int64_t wall_ns = 0;
    std::vector<std::string> blockers;
    auto operator<=>(const saying&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.cycle, self.scheduler, self.wall_ns, self.blockers);
    }
  };
  struct entry {
    std::shared_ptr<const reason> why;
    std::shared_ptr<const saying> said;
    std::int64_t since_ns = 0;  // since when it is said to wait for this: whatever stands before it meanwhile
    std::uint32_t behind = 0;   // of the saying's blockers, from 1
    std::string_view behind_id() const;
    std::shared_ptr<const std::string> comment() const { return {why, &why->text}; }  // as long as anybody has it
  };

  // Takes in a record's reasons for the jobs for which `waits` is true.
  template <class Waits>
  void fold(std::uint64_t scheduler, std::int64_t wall_ns, schema::CycleReasons::Reader reasons, Waits&& waits) {
    record_reader r(*this, scheduler, wall_ns, reasons);
    for (auto job : reasons.getJobs())
      if (job.getText() < reasons.getTexts().size() && waits(job.getJob())) r.take(job);
  }
  void forget(std::uint64_t job) {
    if (!entries_.empty()) entries_.erase(job);
  }
  const entry* find(std::uint64_t job) const;
  std::size_t reasons() const { return reasons_.size(); }  // that are kept, some of which nobody may need any more

  // The entries, for a checkpoint; what several of them share is written once, and shared again afterwards.
  void store(stored::writer& to) const;
  void restore(stored::reader& from);

 private:
  class record_reader {
   public:
    record_reader(waiting_reasons& into, std::uint64_t scheduler, std::int64_t wall_ns, schema::CycleReasons::Reader reasons);
    void take(schema::JobReason::Reader job);

   private:
    waiting_reasons& into_;
    schema::CycleReasons::Reader from_;
    std::shared_ptr<const saying> said_;
    std::vector<std::shared_ptr<const reason>> read_;  // by text; empty: not needed yet
  };
  struct same_content {
    std::size_t operator()(const std::shared_ptr<const reason>& r) const;
    bool operator()(const std::shared_ptr<const reason>& a, const std::shared_ptr<const reason>& b) const;
  };

  std::shared_ptr<const reason> shared(schema::CycleReasons::Reader from, std::uint32_t at);
  std::shared_ptr<const reason> restored_reason(stored::reader& from);
  void drop_unused();

  std::unordered_map<std::uint64_t, entry> entries_;  // by job
  std::unordered_set<std::shared_ptr<const reason>, same_content, same_content> reasons_;
  std::size_t look_at_ = 64;  // when there are so many reasons, those that nobody needs go
};

}  // namespace annals::projections
