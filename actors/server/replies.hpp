// The answers that leave the server: to clients, to MoMs (acknowledgements) and to the scheduling actor.
#pragma once

#include <caf/actor.hpp>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/reply.hpp"
#include "actors/server/reply_sink.hpp"
#include "events/model/context.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

schema::sealed<schema::Reply> done_reply(std::uint64_t id, std::uint64_t sequence, const std::string& text);
schema::sealed<schema::Reply> refusal_reply(std::uint64_t id, std::uint64_t sequence, const model::rejection& why);

// A client's request: one reply with the request's id.
reply_ptr reply_to_client(sink_ptr to, std::uint64_t request_id);
// One request that became several commands (qmgr's @default): answered once, with the first refusal if there was one, or only if all
// were refused (a signal to those of an array that can take it).
enum class joined : std::uint8_t { all,
                                   one_is_enough };
std::vector<reply_ptr> reply_jointly(reply_ptr whole, std::size_t parts, joined how = joined::all);
// A resume: when the ledger has no room for it, the gateway hears resume_waits.
reply_ptr reply_or_resume_later(caf::actor gateway, std::uint64_t job, const model::requester& by, reply_ptr to);
// A MoM's report: acknowledged when it is durable or was taken before. One that is refused stays unacknowledged.
reply_ptr acknowledge_steps(wire::connection_ptr peer, schema::RunSteps::Reader steps);
reply_ptr acknowledge_mom(wire::connection_ptr peer, schema::RunRef::Reader ref, schema::Ack::What what);
// A scheduler's proposal.
reply_ptr settle_proposal(caf::actor scheduling, std::string scheduler, std::uint64_t job, std::uint64_t cycle);

}  // namespace annals::actors
