// Answers to pbsfs: the usage of a scheduler's entities, and which jobs made one's. Managers only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projections/status/query.hpp"

namespace annals::projections {

// `now_ns`: nanoseconds since 1970; usage is as it has decayed by then.
void answer_fairshare(const status& from, std::uint64_t request_id, schema::Fairshare::Reader asked, const model::requester& by,
                      std::int64_t now_ns, const send_reply& send);
// Reads the whole log once: two seconds for each million events. Needs the memory of the jobs that have not ended.
void answer_fairshare_why(const log::log_reader& reader, std::uint64_t request_id, schema::Fairshare::Reader asked,
                          const model::requester& by, std::int64_t now_ns, const send_reply& send);

// pbsfs -e: the entities that have a usage and are not among those that stay.
std::vector<std::string> entities_to_trim(const status& from, schema::Fairshare::Reader asked);

}  // namespace annals::projections
