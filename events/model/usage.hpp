// What a run used: between the port's form and the schema's, and the sum over the hosts of a run.
#pragma once

#include <string>
#include <vector>

#include "events/ports/process_host.hpp"
#include "events/schema/common.capnp.h"

namespace annals::model {

ports::run_usage read_usage(schema::Usage::Reader from);
void write_usage(const ports::run_usage& from, schema::Usage::Builder to);

// What one host of a run used, as far as is known.
struct host_usage {
  std::string host;
  ports::run_usage usage;
  std::int64_t measured_ns = 0;        // 0: never measured
  bool operator==(const host_usage&) const = default;
};
host_usage read_host_usage(schema::HostUsage::Reader from);
void write_host_usage(const host_usage& from, schema::HostUsage::Builder to);

// cput, mem, vmem and cpupercent of all hosts add up; walltime and ncpus are those of the run (pbs guide: resources_used).
void add_usage(ports::run_usage& sum, const ports::run_usage& more);
// Of tasks of one host that have ended: cput adds up; they may have run one after another, so of mem, vmem and cpupercent the
// highest of one counts.
void add_ended_task(ports::run_usage& sum, const ports::run_usage& task);

}  // namespace annals::model
