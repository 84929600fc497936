// The fields of accounting records, in PBS's order. Every function appends "name=value " to a line.
// Source: pbs guide, "accounting".
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"

namespace annals::projections {

using find_vnode = std::function<const model::vnode_state*(std::string_view name)>;

// What a record may say: the job as it was before or as it is after the event, the event, and where it stands.
struct occasion {
  const model::job_state& job;
  const model::event_place& at;
  schema::JobEvent::Reader event;
  const find_vnode& vnode;
  std::string_view reservation_name;  // of a job in one
};

void queued_fields(std::string& line, const occasion& o);   // Q
void started_fields(std::string& line, const occasion& o);  // S
void reduced_fields(std::string& line, const occasion& o);  // s
void run_fields(std::string& line, const occasion& o);      // E, R
// Of an array, which has no place of its own.
void array_started_fields(std::string& line, const occasion& o);  // S
void array_ended_fields(std::string& line, const occasion& o);    // E
// RD-73 to RD-84: a run whose vnodes are released one after the other is accounted for by phases, each with what it had and used.
void phase_fields(std::string& line, const occasion& o);       // u, e
void next_phase_fields(std::string& line, const occasion& o);  // c
void suspended_fields(std::string& line, const occasion& o);   // z
void no_fields(std::string& line, const occasion& o);          // r
void requestor_field(std::string& line, const occasion& o);    // D
void changed_fields(std::string& line, const occasion& o);     // a
// What the server itself says in the job's comment, why it does not run say: nobody altered the job.
bool is_remark(const occasion& o, std::string_view attribute);
// A run's vnodes get the environment that it asks for.
void provision_start_fields(std::string& line, const occasion& o);   // P
void provision_end_fields(std::string& line, const occasion& o);     // p
void provision_failed_fields(std::string& line, const occasion& o);  // p
void abort_text(std::string& line, const occasion& o);               // A
void stop_text(std::string& line, const occasion& o);

// The values of these fields, for whoever does not want them as text of a line: each resource with its value.
using take_resource = std::function<void(std::string_view resource, std::string_view value)>;
void each_used(const model::job_state& job, const take_resource& take);         // resources_used of E and R
void each_used_in_phase(const occasion& o, const take_resource& take);          // of u and e
void each_assigned(const occasion& o, const take_resource& take);               // resource_assigned of S, s and c
void each_asked_whole(const model::job_state& job, const take_resource& take);  // Resource_List of E and R: with what the run had at first

// Whether lines show this attribute of a job; the others need not be kept.
bool shown_in_records(attributes::attribute_id id);

}  // namespace annals::projections
