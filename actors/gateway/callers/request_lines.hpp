// What the server's log says of the requests of clients, in PBS's words, for tools that wait for them: "Type 1 request received
// from alice@borg, sock=17", "Reject reply code=15001, aux=0, type=100, from alice@borg", "Unauthorized Request, request type:
// 7, Object: Job, Name: 3.borg, request from: bob@borg". Source: pbs guide, logs.
#pragma once

#include <optional>

#include "actors/runtime/daemon_log.hpp"
#include "actors/server/reply_sink.hpp"
#include "events/model/context.hpp"
#include "events/schema/client.capnp.h"

namespace annals::actors {

// Its number in PBS's protocol; nothing: PBS has no such request.
std::optional<unsigned> request_type(schema::Request::Reader request);

// Writes that it was received. Costs a look at the log's mask if that does not want the line.
void note_received(daemon_log& notes, schema::Request::Reader request, const model::requester& by, std::uint64_t connection);

// Writes a line, or two, when the answer is a refusal, then sends it to `to`.
sink_ptr noting_refusals(sink_ptr to, daemon_log& notes, schema::Request::Reader request, const model::requester& by);

}  // namespace annals::actors
