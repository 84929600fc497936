// Jobs that wait in a queue and that a scheduler is not told of all the same: the start of one has failed, and it rests; the postqueuejob
// hooks of one that has come have not ended. They follow from the log's records and from the times of the cycles alone, so a cycle that is
// decided again (tools/replay) is decided without the same jobs. Pure. Governed by docs/design/0005-scheduling.md and 0023-hooks.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "events/log/record.hpp"
#include "projections/scheduling/awaited_looks.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

class withheld_jobs {
 public:
  // Keeps them out of `view`, which is made of `from`; both must outlive this. What rests already is known from the beginning.
  withheld_jobs(const status& from, scheduling_projection& view);

  struct news {
    bool is_looked_at = false;  // the record queues a job that waits for its hooks
    bool given = false;         // a job of the view's scheduler waits for its hooks no longer
  };
  // Takes in a record that the status has folded and the view has applied.
  news folded(const log::record& record);

  struct over {
    bool rested = false;   // a job of the view's scheduler may be started again
    bool gave_up = false;  // hooks did not end in time
    bool given = false;    // a job of the view's scheduler waited for them
  };
  // Takes in what time it is, in nanoseconds since 1970. A cycle decides for the last time told before its view was taken.
  over time_is(std::int64_t now_ns);
  // When there is something to tell by `time_is`, if no record comes before.
  std::optional<std::int64_t> next_ns() const;

 private:
  void note_rest(const log::record& record);
  void look_at(std::uint64_t serial, std::int64_t now_ns);
  bool begin_anew();
  bool give_up_looks();

  const status& from_;
  scheduling_projection& view_;
  awaited_looks looks_;
  std::map<std::uint64_t, std::int64_t> resting_;             // job -> until when
  std::set<std::pair<std::int64_t, std::uint64_t>> by_time_;  // the same
  std::set<std::uint64_t> about_to_rest_;                     // arrays that have not said how long
};

}  // namespace annals::projections
