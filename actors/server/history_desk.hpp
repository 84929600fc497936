// When finished jobs leave the history. A fold of the log that knows which finished jobs there are, in the order of their
// ends, and so the one moment at which the next of them is to go: no job needs a timer, and 100,000 of them take 2 MB.
//
// Jobs are told in rounds, so that a history turned off with 100,000 jobs in it does not hold up everybody else. Whether a
// job's time is over its own rules decide (events/model/job_reports.cpp); one that is asked too early, or whose answer got
// lost, is asked again. Source: pbs guide, job_history_enable, job_history_duration.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/site.hpp"

namespace annals::actors {

class history_desk {
 public:
  void fold(const log::record& record);

  // Serials of the jobs to be told now; none while those of the round before are not forgotten yet.
  std::vector<std::uint64_t> next_round(std::int64_t now_ns, const model::site& site);
  // When next_round is to be called if nothing is folded before; nothing: there is nobody in the history. After a round,
  // this is when it is repeated.
  std::optional<std::int64_t> next_ns(const model::site& site) const;

  std::size_t finished() const { return ended_.size() - gone_.size(); }

 private:
  struct end { std::int64_t at_ns; std::uint64_t serial; };
  void forgotten(std::uint64_t serial);

  // In the order of the log, which is that of time; after a clock that was set back a job waits for those before it.
  std::deque<end> ended_;
  std::unordered_set<std::uint64_t> gone_;        // forgotten, and still inside ended_
  std::unordered_set<std::uint64_t> asked_;       // of this round, and not forgotten yet
  std::int64_t asked_ns_ = 0;
};

}  // namespace annals::actors
