// The parts of a job's decide(), one function per kind of command. Only events/model includes this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/model/exit_codes.hpp"
#include "events/model/job/job.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

// More failed starts than this and the job is held.
inline constexpr std::uint32_t failed_starts_max = 20;
// job.rerun() of a hook when the program had ended (pbs guide: MoM exit codes).
inline constexpr std::int32_t exit_hook_rerun = exit_hook_wants_rerun;

outcome decide_submit(const submit_job& command, const stamp& now, const settings& settings);
outcome decide_request(const job_state& job, const client_request& command, const stamp& now, const settings& settings);
// `preempted`: a scheduler asks, and another job runs in its place.
outcome decide_rerun(const job_state& job, schema::RerunJob::Reader command, const stamp& now, const settings& settings,
                     bool preempted = false);
outcome decide_alter(const job_state& job, const client_request& request, const stamp& now, const settings& settings);
outcome decide_hook_changes(const job_state& job, const hook_changes& changes, const stamp& now, const settings& settings);
// What is done with a job by hand: qsig, qmsg, qmove, qorder (by_hand.cpp).
outcome decide_signal(const job_state& job, schema::SignalJob::Reader command, const stamp& now, const settings& settings);
outcome decide_make_room(const job_state& job, const make_room& command, const stamp& now, const settings& settings);
// Its host can checkpoint it now, and it is asked to (preempt_order C, qhold).
bool may_checkpoint(const job_state& job);
event checkpoint_asked(const job_state& job, bool preempted = false);
outcome decide_resume_later(const job_state& job);
outcome decide_load(const job_state& job, const host_load& load);
outcome decide_move(const job_state& job, schema::MoveJob::Reader command, const stamp& now, const settings& settings);  // move.cpp
outcome decide_release_nodes(const job_state& job, const client_request& command, const stamp& now,
                             const settings& settings);  // ramp_down.cpp
// A user or his administrator asks something of the run; what must hold first.
std::optional<rejection> cannot_tell(const job_state& job, const requester& by);
std::optional<rejection> has_too_many_requests(const job_state& job);
// The limits of a run, and where its output goes: when they are altered, the run's host is told.
bool concerns_run(std::string_view attribute);
outcome decide_set_rank(const job_state& job, const set_rank& command, const stamp& now);
outcome decide_message(const job_state& job, schema::MessageJob::Reader command, const stamp& now);
outcome decide_report(const job_state& job, const mom_report& report, const stamp& now, const settings& settings);
outcome decide_lost(const job_state& job, const run_lost& lost, const stamp& now, const settings& settings);
outcome decide_gone(const job_state& job, const run_gone_from& gone, const stamp& now, const settings& settings);
outcome decide_provisioned(const job_state& job, const vnode_provisioned& command, const stamp& now, const settings& settings);
outcome decide_run(const job_state& job, const proposed_run& proposed, const stamp& now, const settings& settings);

// Shrink-to-fit (shrinking.cpp). The walltime that the proposed run gets, in seconds; 0: what the job asks for. A proposal made for another
// range than the job has by now is refused (15157). Run by hand (qrun -H), it gets its max_walltime.
values::result<std::uint64_t, rejection> walltime_for_run(const job_state& job, const proposed_run& proposed);
// Until the run is over; then it shows again what it asks for,
void give_walltime(job_state& job, std::uint64_t seconds);
// but for a walltime that somebody gave it meanwhile.
void keep_altered_walltime(job_state& job, schema::Attribute::Reader change);

// The run goes on with what it had given up; the ledger says whether there is room.
std::vector<event> resumed_events(const job_state& job);

// "R5.borg" of the reservation whose queue it is; empty: an ordinary queue.
std::string reservation_of_queue(std::string_view queue, const settings& settings);
// May who asks put a job into this queue (submit.cpp)? Whether it is open, and its lists of users, groups and hosts.
std::optional<rejection> queue_refusal(std::string_view queue, std::string_view group, const requester& by, const settings& settings);
// Into one with from_route_only jobs come only from a routing queue, or by a manager.
std::optional<rejection> only_routed(std::string_view queue, const requester& by, const settings& settings);
outcome decide_end_wait(const job_state& job, const stamp& now);
outcome decide_server_stops(const job_state& job, const server_stops& command);
outcome decide_forget(const job_state& job, const forget_job& command, const stamp& now, const settings& settings);

// The phase a job is in after an event of its table.
job_phase phase_after(const job_state& job, schema::JobEvent::Which event);
// Whether the table of transitions lists this.
bool leads_to(job_phase from, schema::JobEvent::Which event, job_phase to);

// Sets the attributes that follow from the state: letter, substate, holds, times.
void refresh_shown(job_state& job, const event_place& at);
inline void set_number(job_state& job, attributes::attribute_id id, std::int64_t n) { job.attributes.set(id, std::to_string(n)); }

// What the comment says of hosts that join (start_progress.cpp).
void note_progress(job_state& job, schema::RunEvent::Reader step);
void forget_progress(job_state& job);

// The program has ended and its files are staged out, by its first host alone: what it has on others is free, but for hosts from which
// nobody knows whether it is gone (release_nodes_on_stageout; ramp_down.cpp).
void release_at_stage_out(const job_state& job, const mom_report& exited, const settings& settings, std::vector<event>& out);
// It was done.
bool stages_out_alone(const job_state& job);

// Arrays (array.cpp). What an array makes of a command; nothing: what any job does.
std::optional<outcome> decide_array(const job_state& job, const job_command& command, const stamp& now, const settings& settings);
outcome decide_subjob_told(const job_state& array, const subjob_told& told, const stamp& now, const settings& settings);
void on_subjob_began(job_state& array, const event_place& at, schema::SubjobBegan::Reader e);
void on_subjob_left(job_state& array, schema::SubjobLeft::Reader e);
void on_subjobs_asked(job_state& array, schema::SubjobsAsked::Reader e);
// Of a submission that asks for an array: why it can't be one (submit.cpp asks when all else is known).
std::optional<rejection> array_refusal(std::string_view indices, std::string_view queue, const attributes::attribute_set& asked,
                                       const settings& settings);
// One file for the output of all subjobs of a host, and files that stay on that host or are written where they belong: not both.
std::optional<rejection> indexed_output_refusal(std::string_view indexed_output, std::string_view keep_files);
// Every attribute of a set, as JobQueued has them.
void fill_attributes(const attributes::attribute_set& from, schema::JobQueued::Builder to);
event delete_requested(schema::DeleteJob::Reader command);
// A subjob that was queued again is its array's: its own stream is over.
void leave_to_array(const job_state& job, std::vector<event>& out);

// Dependencies (dependencies.cpp). What a user wrote, with full ids; refused when it is no dependency that there is.
values::result<std::string, rejection> depend_for(std::string_view asked, const settings& settings);
// It waits for a job, or for others to say that they come first (on).
bool waits_for_others(std::string_view depend);
outcome decide_dependency(const job_state& job, const dependency_told& told, const settings& settings);
// One change of `depend`: += and -= one entry, and jobs that wait for this one.
void change_depend(job_state& job, schema::Attribute::Reader change);

// The phase of its accounting that a release ends, and what its run had at first: hidden attributes (RD-73, RD-90; ramp_down.cpp).
void begin_phase(job_state& job, const event_place& at, schema::JobReduced::Reader e);
// A phase has the memory and the processor percent of the hosts that the run has in it.
void note_in_phase(job_state& job, schema::Usage::Reader usage, capnp::List<schema::HostUsage>::Reader hosts);
void show_deallocated(job_state& job);                                  // what was released, and is not free yet
void alter_original(job_state& job, schema::Attribute::Reader change);  // what was asked for at first; a release has not changed it
void forget_phases(job_state& job);
// What its MoM is asked to let go.
allocation_change change_asked(schema::JobReduced::Reader e);

// Everything that the run has on these hosts.
event released(const job_state& job, const std::vector<std::string>& hosts, schema::ReleaseReason why);
// What a step that its primary tells means to what the job has (reduced.cpp).
std::vector<event> events_of_step(const job_state& job, schema::RunEvent::Reader step, const settings& settings);

// How a run can be over without a word of its primary.
enum class run_loss : std::uint8_t {
  missing,    // the primary does not have it (any more)
  host_down,  // the primary has been down too long
  forced,     // by an operator: nobody is asked, and all vnodes come back at once
};
// Appends the end of such a run: the program's end with `code` unless it ended before, the vnodes that can come back, and what
// becomes of the job unless it waits for other hosts first.
void lose_run(const job_state& job, std::int32_t code, run_loss how, const stamp& now, const settings& settings,
              std::vector<event>& out);

// May a job of `user` name these users to run as (User_List: user[@host],...)? Only its own.
bool may_run_as(std::string_view user_list, std::string_view user);

// The group a job with this group_list (group[@host],...) runs with: the entry of this host, else the one without a host,
// else the primary group. Nothing when it is none of the user's groups.
std::optional<std::string> group_to_run_as(std::string_view group_list, const std::vector<std::string>& groups,
                                           std::string_view host);

// Appends JobEnded, and JobForgotten when no history is kept.
void end_job(const job_state& job, std::int32_t code, bool has_code, std::string comment_suffix, const settings& settings,
             std::vector<event>& out);
// The same for a job that the server deletes by itself before it was run: without an exit status, with its reason.
void end_by_server(const job_state& job, std::uint16_t substate, std::string_view reason, const settings& settings,
                   std::vector<event>& out);

}  // namespace annals::model
