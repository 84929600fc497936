// pbs_efficiency tells of the last run of each job, as `pbs_audit efficiency` does of each run, from what the server shows of the job. The
// table that it prints is in events/values/efficiency_table.hpp. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/values/efficiency_table.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

using values::job_efficiency;

// The attributes that it is made of.
std::span<const attributes::attribute_id> attributes_of_efficiency();
// Returns nothing when no run of it is known, and for an array, whose subjobs tell.
std::optional<job_efficiency> efficiency_of(const object_view& job);

void put_efficiency_json(std::string& out, const std::vector<job_efficiency>& all, std::int64_t now, std::string_view version,
                         std::string_view server);

}  // namespace annals::client
