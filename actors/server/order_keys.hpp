// The keys of what hosts are owed, and runs that a host is to kill and forget: the message, and the key under which the server owes it
// when no job does.
#pragma once

#include <cstdint>

#include "actors/server/messages.hpp"
#include "events/model/job/job.hpp"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

// Of what a job owes a host.
inline order_key key_of(std::uint64_t serial, const model::job_effect& order) { return {serial, id_of(order)}; }
// Of its question what a job has used until now.
inline order_key usage_key(std::uint64_t serial) { return {serial, {"usage"}}; }
inline order_key discard_key(std::uint64_t serial, std::uint32_t run) { return {serial, {"unwanted run", {}, run}}; }
// Of the hooks of MoMs.
inline order_key hooks_key() { return {0, {"hooks"}}; }

inline schema::sealed<schema::ToMom> discard_message(const run_name& run) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto d = m.initDiscardRun();
    d.setJobSerial(run.serial);
    d.setRun(run.run);
    d.setJob(run.job);
  });
}

}  // namespace annals::actors
