// The keys under which hosts are owed orders, and runs that a host is to kill and forget: the message, and the key under which
// the server owes it when no job does.
#pragma once

#include <string>

#include "actors/server/messages.hpp"
#include "events/model/job/job.hpp"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

// Of what a job owes a host.
inline std::string order_key(const std::string& job, const model::job_effect& order) { return job + "/" + text_of(id_of(order)); }

inline std::string discard_key(std::uint64_t serial, std::uint32_t run) {
  return "discard:" + std::to_string(serial) + ":" + std::to_string(run);
}

inline schema::sealed<schema::ToMom> discard_message(const run_name& run) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto d = m.initDiscardRun();
    d.setJobSerial(run.serial);
    d.setRun(run.run);
    d.setJob(run.job);
  });
}

}  // namespace annals::actors
