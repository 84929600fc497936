// An answer to a question of clients: replies of bounded size, made one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

// Objects per reply: enough to make the frame's cost small, few enough that the client can print while we go on.
constexpr unsigned objects_per_reply = 256;
// A job with a select of thousands of chunks has a row of megabytes: a reply has so many bytes and one row more, which no frame limit cuts
// off.
constexpr std::size_t reply_rows_bytes = 1u << 20;

using send_reply = std::function<void(const schema::sealed<schema::Reply>&)>;

// The answer to a question whose list may be very long, in parts: each is of the moment at which it is made, and events may be folded
// between two of them. Who may see what follows from the settings at the beginning.
class answer_in_parts {
 public:
  virtual ~answer_in_parts() = default;
  // Goes on until about so many rows have been made or read (projections/status/effort.hpp). False: the answer is complete.
  virtual bool go_on(const status& from, const send_reply& send, std::int64_t now_ns, std::size_t rows) = 0;
};

}  // namespace annals::projections
