// The arrays of a simulation: a subjob that is started becomes a job, on a stream that no recorded one has, and leaves its array by the
// rules of the server. Governed by docs/design/0049-what-if.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle_driver.hpp"
#include "events/values/job_indices.hpp"
#include "tools/replay/job_history.hpp"
#include "tools/replay/simulated_log.hpp"

namespace annals::replay {

class simulated_arrays {
 public:
  simulated_arrays(simulated_log& log, histories& recorded, std::string scheduler)
      : log_(log), recorded_(recorded), scheduler_(std::move(scheduler)) {}

  // The stream of the subjob that was begun, and assigned; nothing: it may not run.
  std::optional<std::uint64_t> begin(const actors::cycle_driver::message& proposal, const model::job_state& array, std::int64_t now_ns);
  // It has ended, or was queued again: then it is its array's.
  void leave(std::uint64_t stream, std::uint32_t run, bool requeued, std::int64_t now_ns);
  // Somebody deleted these. Those that had run then, or did run, run here as long as they ran; of the others that have not begun none
  // will, and those that run are to end now: their streams.
  std::vector<std::uint64_t> drop(std::uint64_t array, const values::index_set& asked, std::int64_t now_ns);
  void end_if_over(std::uint64_t array, std::int64_t now_ns);
  // The place of a stream's history, also of a recorded one.
  std::uint32_t place_of(std::uint64_t stream) const;

 private:
  struct subjob {
    std::uint64_t array = 0;
    std::uint32_t index = 0;
  };
  simulated_log& log_;
  histories& recorded_;
  const std::string scheduler_;
  std::unordered_map<std::uint64_t, subjob> running_;  // by their streams
  std::uint64_t streams_ = 0;                          // so many were made
};

}  // namespace annals::replay
