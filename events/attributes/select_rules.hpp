// From what a user asked with -l to what a job has: the completed Resource_List (select, place, sums, nodect) and
// schedselect, or PBS's refusal. Pure functions over the resource catalogue.
// Source: pbs guide, "defaults, limits", "select, place: grammar", "schedselect and sums".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "events/schema/common.capnp.h"
#include "events/values/pbs_error.hpp"
#include "events/values/resource_list.hpp"
#include "events/values/result.hpp"
#include "events/values/select.hpp"

namespace annals::attributes {

using values::resource_list;

// Defaults and limits that queue and server give.
struct request_defaults {
  resource_list queue_default, server_default;  // resources_default
  resource_list queue_chunk, server_chunk;      // default_chunk
  resource_list queue_max, server_max;          // resources_max
  resource_list queue_min, server_min;          // resources_min (the server has none: stays empty)
};
request_defaults defaults_of(const attribute_set& server, const attribute_set& queue);

struct completed_request {
  resource_list resources;  // every Resource_List member of the job
  std::string schedselect;
  bool operator==(const completed_request&) const = default;
};
using completion = values::result<completed_request, refusal>;

// Who asks. An attribute or member that the site's hooks gave counts as a manager's, whoever sent the request.
struct asker {
  schema::Role role = schema::Role::USER;
  std::span<const std::string> by_hooks;  // full names: "comment", "Resource_List.walltime"
  asker(schema::Role role, std::span<const std::string> by_hooks = {}) : role(role), by_hooks(by_hooks) {}
  schema::Role role_for(std::string_view member) const;                                   // of Resource_List
  schema::Role role_to_set(std::string_view attribute, std::string_view resource) const;  // resource: empty when the attribute has none
};

// `asked`: the Resource_List as the user gave it, values not yet checked. Spare chunks (select_reliable_startup, rjselect)
// are what schedselect and the sums are of; the completed select then stands in select_requested (RS-24, RS-26).
completion complete_request(const resource_list& asked, const request_defaults& defaults,
                            const resource_catalogue& resources, const asker& by);

// The same for a change of an existing request (qalter -l): `current` is the job's Resource_List, an empty value in
// `changes` takes a member away. A new select replaces the sums of the old one; a job built from -l ncpus=... is built
// again. What a running job may change is may_set()'s question (events/attributes/check.hpp).
completion alter_request(const resource_list& current, const resource_list& changes, const request_defaults& defaults,
                         const resource_catalogue& resources, const asker& by);

// What does not go together of a shrink-to-fit job (15162, 15163, 15180): min_walltime, max_walltime and soft_walltime, all checked.
std::optional<refusal> walltimes_refusal(const resource_list& list);

// 15036 when a member is outside resources_max/resources_min. Queue values beat the server's.
std::optional<refusal> within_limits(const resource_list& resources, const request_defaults& defaults,
                                     const resource_catalogue& catalogue);

// The sums of a select: every resource flagged q, n or f, and mpiprocs; nodect.
resource_list sums_of(const values::select_spec& select, const resource_catalogue& resources);

// Whether some chunk asks for an environment.
bool asks_aoe(std::string_view schedselect);

// Values of a resource-list attribute in a set.
resource_list resources_of(const attribute_set& from, attribute_id id);
void set_resources(attribute_set& to, attribute_id id, const resource_list& resources);  // replaces all of them

}  // namespace annals::attributes
