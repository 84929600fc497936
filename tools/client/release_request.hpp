// What pbs_release_nodes and pbs_relnodesjob ask for: which vnodes a running job is to go on without. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/values/pbs_error.hpp"
#include "events/values/result.hpp"

namespace annals::client {

// With names these go. Else all go but what is kept; the job's first host always stays.
struct release_request {
  std::vector<std::string> names;          // vnodes or hosts
  std::optional<std::string> keep_select;  // "2:ncpus=1"; what stood behind "select="
  std::uint32_t keep_hosts = 0;            // beside the first
};

using release_reading = values::result<release_request, values::refusal>;

// Refused beyond limits::released_names_max and limits::vnode_name_chars_max.
release_reading release_named(std::vector<std::string> names);
// "select=..." or a count, as in -k. A count above what 32 bits hold is the largest that they do: no job has so many hosts.
release_reading release_but(std::string_view keep);

// A well-formed id of several jobs: an array, or a range of its subjobs.
std::optional<values::refusal> why_not_several(std::string_view job_id);

void fill(schema::ReleaseNodes::Builder request, const std::string& job_id, const release_request& what);

}  // namespace annals::client
