// Partitions of queues, jobs and schedulers, told from their rows (partition.hpp asks a whole status). "" stands for what is in no
// partition: the default scheduler has it (MS-38, MS-72, MS-81).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "events/model/job/job.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::projections {

using scheduler_rows = std::map<std::string, model::scheduler_state, std::less<>>;
using queue_rows = std::map<std::string, model::queue_state, std::less<>>;

// Empty: no scheduler has it.
std::string_view scheduler_of_partition(const scheduler_rows& schedulers, std::string_view partition);
std::string_view partition_of_queue(const queue_rows& queues, std::string_view queue);
// A job that has vnodes is in their partition, wherever its queue has come meanwhile. Another one is in its queue's.
std::string_view partition_of_job(const queue_rows& queues, const model::holdings& holdings, const model::job_state& job);

}  // namespace annals::projections
