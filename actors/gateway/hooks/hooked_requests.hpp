// Requests as hooks see them, and as hooks leave them: the payload of an event out of a request, and the request again out of
// the changed payload. Pure.
#pragma once

#include <string>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/schema/message.hpp"
#include "hooks-runtime/chain/payload.hpp"

namespace annals::actors {

// The job as qsub asked for it (queuejob); its queue is empty when none was named.
hooks::hook_object job_asked(schema::QueueJob::Reader asked);
// What qalter asked to be changed (modifyjob); what is to be unset has an empty value.
hooks::hook_object job_asked(schema::JobAttributes::Reader asked);
// What qmgr asked for and was answered (management): cmd, objtype, objname, request_time (in seconds since 1970), one `attribs.NAME` per
// attribute, and the reply's code and text. No `why`: it was done.
hooks::hook_object management_done(schema::Manage::Reader asked, const model::rejection& why, std::int64_t asked_s);

// The reservation as pbs_rsub asked for it (resvsub); a length is there as reserve_duration (in seconds) and as Resource_List.walltime, and
// with a start as reserve_end too. The other is what pbs_ralter asked to be changed (modifyresv), as of a job.
hooks::hook_object reservation_asked(schema::SubmitReservation::Reader asked);
hooks::hook_object reservation_asked(schema::AlterReservation::Reader asked);
// The same request with the reservation as hooks left it. A length that they set says where a new reservation ends, and an end that they
// set how long it is.
schema::sealed<schema::Request> with_reservation(const schema::sealed<schema::Request>& asked, const hooks::hook_object& reservation);

// The same request with the job as hooks left it.
schema::sealed<schema::Request> with_job(const schema::sealed<schema::Request>& asked, const hooks::hook_object& job);

// Attributes of the job that hooks set or changed, by their full names: "comment", "Resource_List.mem".
std::vector<std::string> set_in_job(const std::vector<hooks::hook_change>& changes);

// A job that is to be moved: its queue is the one it is to go to, src_queue the one it is in.
void show_move(hooks::hook_parameters& parameters, const std::string& destination);
schema::sealed<schema::Request> with_destination(const schema::sealed<schema::Request>& asked, const std::string& queue);

// qalter of one job with these attributes of it, as hooks set them; an attribute without a value is unset.
schema::sealed<schema::Request> alteration(const std::string& job, const std::vector<hooks::hook_change>& changes);
schema::sealed<schema::Request> alteration(const std::string& job, capnp::List<schema::Attribute>::Reader changes);
// qdel or qrerun: what job.delete() and job.rerun() of a job that runs come to.
schema::sealed<schema::Request> end_of_run(const std::string& job, bool deletes);
// qmgr's `set node` of one vnode.
schema::sealed<schema::Request> vnode_change(const std::string& vnode, const std::vector<hooks::hook_change>& changes);
schema::sealed<schema::Request> vnode_change(const std::string& vnode, capnp::List<schema::Attribute>::Reader changes);
// qmgr's `create resource`, as RU-06 has it: of hosts.
schema::sealed<schema::Request> resource_creation(schema::ResourceDefined::Reader resource);

// The command id of something that must be done once however often it is asked for: 16 bytes, the same for the same text.
std::string repeatable_id(const std::string& of);

// Some event of the hook is one that MoMs see: they have its files.
bool is_for_moms(const model::hook_state& hook);
// All hooks that MoMs run, as they are now.
schema::sealed<schema::ToMom> mom_hooks_message(const directory& where, std::uint64_t sequence);

}  // namespace annals::actors
