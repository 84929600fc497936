// Who waits until the server and the default scheduler are told the same: scheduling and scheduler_iteration stand on both, and who sets
// one is answered when it is seen on the other (MS-26, MS-66), or when that takes too long. The change itself is in the log before, and is
// made on the other whatever becomes of the wait (reactions/mirrored_scheduling.cpp). Part of the sessions.
#pragma once

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "actors/runtime/reply.hpp"
#include "events/schema/client.capnp.h"
#include "projections/status/status.hpp"

namespace annals::actors {

// From the gateway: the change is in the log, at or before min_sequence.
struct mirror_wait {
  std::string text;  // of the answer
  reply_ptr to;
  std::uint64_t min_sequence = 0;
};

class mirror_waits {
 public:
  std::uint64_t add(mirror_wait wait, const projections::status& now);  // its number
  void look(const projections::status& now);                            // something happened
  void over(std::uint64_t number, const projections::status& now);      // its time is; nothing happens if it has been answered
  bool empty() const { return waits_.empty(); }

 private:
  std::map<std::uint64_t, mirror_wait> waits_;  // by number
  std::uint64_t last_ = 0;
};

// Longer than it takes but while the disk is full.
constexpr std::chrono::seconds longest_mirror_wait{10};

// Answers to `to` when what this request sets is seen on both; at once if it sets nothing of that, or is refused.
reply_ptr reply_when_mirrored(caf::actor status, schema::Manage::Reader request, reply_ptr to);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::mirror_wait)
