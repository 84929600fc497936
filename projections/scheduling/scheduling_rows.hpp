// One object as a scheduler sees it. Only what a cycle looks at goes over the wire.
#pragma once

#include "events/schema/daemon/to_scheduler.capnp.h"
#include "projections/status/status.hpp"

namespace annals::projections {

void fill_server(schema::SchedulingDelta::Builder to, const model::server_state& server);
void fill_scheduler(schema::SchedulingDelta::Builder to, const model::scheduler_state& scheduler);
void fill_resources(schema::SchedulingDelta::Builder to, const attributes::resource_catalogue& resources);
void fill_queue(schema::SchedQueue::Builder to, const model::queue_state& queue);
// `scheduler`: for whom; who has refused already is not asked again.
void fill_reservation(schema::SchedReservation::Builder to, const model::reservation_state& r, const std::string& server_name,
                      std::string_view scheduler);
void fill_vnode(schema::SchedVnode::Builder to, const status& from, const model::host_state& host, const model::vnode_state& vnode);
void fill_job(schema::SchedJob::Builder to, const status& from, const model::job_state& job);

}  // namespace annals::projections
