// A scheduler's proposal with victims: they are told to make room, and when all have let go the run is tried. Nothing of it is kept
// beyond this life of the server: what was told to victims is in the log, suspended ones resume by themselves, and the next cycle finds
// what is free. Part of the gateway's actor. Governed by docs/design/0046-preemption.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "actors/gateway/actor_registry.hpp"
#include "events/log/record.hpp"

namespace annals::actors {

class preemption_routes {
 public:
  explicit preemption_routes(actor_registry& board) : board_(board) {}

  // `then` once all victims have let go; else `reply` is refused.
  void make_room(schema::ProposeRun::Reader run, const std::string& scheduler, const model::requester& by, reply_ptr reply,
                 std::function<void()> then);
  void folded(const log::record& record);
  // The scheduler is gone: nobody waits for its proposals any more.
  void forget(const std::string& scheduler);

 private:
  struct waiting {
    reply_ptr reply;
    std::function<void()> then;
    std::size_t unanswered = 0;
    std::set<std::uint64_t> leaving;        // serials of victims whose run must be over
    std::set<std::uint64_t> checkpointing;  // of those: that leave when their hosts have checkpointed them
    std::optional<model::rejection> failed;
    std::string scheduler;
  };
  void tell(std::uint64_t id, std::uint64_t number, std::uint64_t serial, schema::PreemptVictim::How how, const model::requester& by,
            int tries);
  void answered(std::uint64_t id, std::uint64_t serial, schema::PreemptVictim::How how, const model::rejection& why);
  void note_failure(std::uint64_t serial, schema::PreemptVictim::How how, const model::rejection& why) const;
  void could_not_checkpoint(std::uint64_t serial);
  void settle(std::uint64_t id);

  actor_registry& board_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, waiting> waiting_;
};

}  // namespace annals::actors
