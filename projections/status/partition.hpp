// What is in which partition, and whose that is, read off the status projection. "" stands for what is in no partition: the default
// scheduler has it (MS-38, MS-72, MS-81).
#pragma once

#include <optional>
#include <string_view>

#include "events/schema/client.capnp.h"
#include "projections/status/status.hpp"

namespace annals::projections {

// Nothing: it has none, or another had it first, and it places no jobs (MS-36).
std::optional<std::string_view> partition_of_scheduler(const status& from, std::string_view scheduler);
// Empty: no scheduler has it.
std::string_view scheduler_of_partition(const status& from, std::string_view partition);
std::string_view partition_of_queue(const status& from, std::string_view queue);
// Whether somebody places what is in a partition: nobody has it, its scheduler is turned off, or it is not there.
schema::JobWhy::Placing placing_of_partition(const status& from, std::string_view partition);
// Of a job that has vnodes theirs, wherever its queue has come meanwhile; of another one its queue's.
std::string_view partition_of_job(const status& from, const model::job_state& job);

}  // namespace annals::projections
