// Who waits until the job is queued again that he asked to be rerun (qrerun): answered then, or when job_requeue_timeout is over. The order
// itself is in the log before, and is carried out whatever the answer is. Part of the sessions. Source: pbs guide, job_requeue_timeout.
#pragma once

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include <chrono>
#include <cstdint>
#include <map>

#include "actors/runtime/reply.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// From the gateway: the order is in the log, at or before min_sequence.
struct rerun_wait {
  std::uint64_t job;  // serial
  reply_ptr to;
  std::uint64_t min_sequence = 0;
};

class rerun_waits {
 public:
  std::uint64_t add(rerun_wait wait, const projections::status& now);  // its number
  void look(const projections::status& now);                           // something happened
  void over(std::uint64_t number, const projections::status& now);     // its time is; nothing happens if it has been answered
  bool empty() const { return waits_.empty(); }

 private:
  std::map<std::uint64_t, rerun_wait> waits_;  // by number
  std::uint64_t last_ = 0;
};

// job_requeue_timeout, 45 s when it is unset.
std::chrono::seconds longest_rerun_wait(const projections::status& now);

// Answers to `to` when the job is queued again; what is refused at once as it is.
reply_ptr reply_when_requeued(caf::actor status, std::uint64_t job, reply_ptr to);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::rerun_wait)
