// pbs_efficiency prints a line for the last run of each job, as `pbs_audit efficiency` has one for each run, from what the server
// shows of the job. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/values/efficiency.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

struct job_efficiency : values::efficiency {
  std::string job, name, queue;
  std::int64_t ended_s = 0;  // seconds since 1970; 0: it goes on
};

// The attributes that it is made of.
std::span<const attributes::attribute_id> attributes_of_efficiency();
// Returns nothing when no run of it is known, and for an array, whose subjobs tell.
std::optional<job_efficiency> efficiency_of(const object_view& job);

void put_efficiency_table(std::string& out, const std::vector<job_efficiency>& all);
void put_efficiency_json(std::string& out, const std::vector<job_efficiency>& all, std::int64_t now, std::string_view version,
                         std::string_view server);

}  // namespace annals::client
