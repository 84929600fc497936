// Who waits for the end of a job (WaitJob): `qsub -W block=true`, and who sits at an interactive job. Part of the sessions. Source: pbs
// guide, block. A user has a limit of his own for it, beside what his connections may have in hand (docs/design/0034-the-gateway.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "actors/link/wire/room.hpp"
#include "actors/server/messages.hpp"
#include "events/log/record.hpp"
#include "events/model/limits.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

class end_waits {
 public:
  end_waits() : end_waits(limits::end_waits_max) {}
  explicit end_waits(std::size_t places) : places_(std::make_shared<wire::room<std::string>>(places)) {}

  // Answers when the job has ended, which may have been before this was asked. Refused at once: who asks waits for too many.
  void ask(const query& who, const projections::status& now);
  // A job has ended. Called while the job is still there: without a history it is forgotten next.
  void ended(const log::record& record, const projections::status& now);
  // Nobody is there any more who could be told (query::client).
  void gone(std::uint64_t client);
  bool empty() const { return waiters_.empty(); }

 private:
  struct end {
    std::int32_t status = 0;
    bool has_status = false;
    std::string text;  // why, when it did not end by itself
  };
  struct waiter {
    sink_ptr to;
    std::uint64_t request, client;
    std::shared_ptr<void> place;
  };
  static end end_of(const model::job_state& job);
  static schema::sealed<schema::Reply> reply(std::uint64_t request, std::uint64_t sequence, const end& e);
  void wait(std::uint64_t job, const query& who, std::uint64_t sequence);
  void keep(const model::job_state& job);

  std::shared_ptr<wire::room<std::string>> places_;  // by user
  std::multimap<std::uint64_t, waiter> waiters_;     // by the job's serial
  std::map<std::uint64_t, std::size_t> clients_;     // so many of these are a client's
  // Whoever submits such a job asks for its end in a second request, and a short job is over before.
  std::map<std::string, end, std::less<>> not_asked_for_;  // by job id
  std::deque<std::string> oldest_first_;                   // ids of these
};

}  // namespace annals::actors
