// Who waits for what becomes of a reservation (pbs_rsub -I, pbs_ralter -I): answered when it is confirmed or denied, or when
// the time is over; forgotten when who waits is gone. Part of the sessions.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "actors/server/reply_sink.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// From the gateway: the submission, or the change, is in the log.
struct reservation_wait {
  sink_ptr to;
  std::uint64_t request_id = 0;
  std::string id;  // with the server's name
  std::int64_t since_ns = 0, until_ns = 0;
  bool of_change = false;
  std::uint64_t min_sequence = 0;
};

class reservation_waits {
 public:
  void add(reservation_wait wait, const projections::status& now, std::int64_t now_ns);
  void look(const projections::status& now, std::int64_t now_ns);  // something happened, or time has passed
  bool empty() const { return waits_.empty(); }

 private:
  std::vector<reservation_wait> waits_;
};

// The answer to pbs_rsub or pbs_ralter.
schema::sealed<schema::Reply> reservation_reply(std::uint64_t request_id, std::uint64_t sequence, const std::string& id,
                                                schema::ReservationAnswer::State state);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::reservation_wait)
