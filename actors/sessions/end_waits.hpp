// Who waits for the end of a job (WaitJob): `qsub -W block=true`, and who sits at an interactive job. Part of the status actor. Source: pbs
// guide, block.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "actors/server/messages.hpp"
#include "events/log/record.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

class end_waits {
 public:
  // Answers when the job has ended, which may have been before this was asked.
  void ask(const query& who, const projections::status& now);
  // A job has ended. Called while the job is still there: without a history it is forgotten next.
  void ended(const log::record& record, const projections::status& now);
  bool empty() const { return waiters_.empty(); }

 private:
  struct end {
    std::int32_t status = 0;
    bool has_status = false;
    std::string text;  // why, when it did not end by itself
  };
  static end end_of(const model::job_state& job);
  static schema::sealed<schema::Reply> reply(std::uint64_t request, std::uint64_t sequence, const end& e);
  void keep(const model::job_state& job);

  std::multimap<std::uint64_t, std::pair<sink_ptr, std::uint64_t>> waiters_;  // job serial -> who asked, with his request's number
  // Whoever submits such a job asks for its end in a second request, and a short job is over before.
  std::map<std::string, end, std::less<>> not_asked_for_;  // by job id
  std::deque<std::string> oldest_first_;                   // ids of these
};

}  // namespace annals::actors
