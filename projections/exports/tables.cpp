#include "projections/exports/tables.hpp"

#include <cstddef>
#include <iterator>

namespace annals::exports {
namespace {

using enum column_type;

constexpr column job_columns[] = {
    {"job", integer, "", "serial of the job's stream in the log; never given twice, as numbers of jobs may be"},
    {"job_id", text, "", "12.borg, 12[].borg of an array, 12[3].borg of a subjob"},
    {"number", integer, "", "12"},
    {"array_id", text, "", "of a subjob: its array"},
    {"array_index", integer, "", "of a subjob: its index"},
    {"job_name", text, "", "Job_Name"},
    {"user_name", text, "", "whom it runs as (euser)"},
    {"group_name", text, "", "the group that it runs as (egroup)"},
    {"account", text, "", "Account_Name"},
    {"project", text, "", "project"},
    {"queue", text, "", "the queue that it is in, or was in last"},
    {"owner", text, "", "Job_Owner: who submitted it, and where"},
    {"priority", integer, "", "Priority"},
    {"reservation_id", text, "", "the reservation that it is in"},
    {"reservation_name", text, "", "and that one's name"},
    {"depend", text, "", "depend"},
    {"array_indices", text, "", "of an array: the indices of its subjobs"},
    {"created_at", time, "", "ctime: when it was submitted"},
    {"queued_at", time, "", "qtime: when it came into its queue"},
    {"eligible_at", time, "", "etime: since when it may run"},
    {"eligible_s", integer, "s", "eligible_time, where the server counts it"},
    {"state", text, "",
     "queued, held, waiting, assigned, started, suspended, exiting, finished; returned: a subjob that is its array's again, the next one "
     "is a row of its own"},
    {"runs", integer, "", "how often it was started"},
    {"run_count", integer, "", "run_count as the job shows it"},
    {"started_at", time, "", "stime of its last run; of an array when its first subjob began"},
    {"ended_at", time, "", "when it ended"},
    {"exit_status", integer, "", "Exit_status when it ended"},
    {"delete_requested_at", time, "", "when somebody asked to delete it"},
    {"deleted_by", text, "", "user@host of who did"},
    {"abort_reason", text, "", "why the server deleted it by itself"},
    {"select_asked", text, "", "Resource_List.select"},
    {"place_asked", text, "", "Resource_List.place"},
    {"ncpus", integer, "", "Resource_List.ncpus"},
    {"nodect", integer, "", "Resource_List.nodect"},
    {"mem_bytes", integer, "bytes", "Resource_List.mem"},
    {"walltime_s", integer, "s", "Resource_List.walltime"},
    {"sequence", integer, "", "the record of the log that the row shows the job after"},
};

constexpr column run_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "counts the starts of the job"},
    {"job_id", text, "", "12.borg"},
    {"job_name", text, "", "Job_Name, as this and what follows was during the run"},
    {"user_name", text, "", "euser"},
    {"group_name", text, "", "egroup"},
    {"account", text, "", "Account_Name"},
    {"project", text, "", "project"},
    {"queue", text, "", "queue"},
    {"reservation_id", text, "", "the reservation that it ran in"},
    {"reservation_name", text, "", "and that one's name"},
    {"created_at", time, "", "ctime"},
    {"queued_at", time, "", "qtime"},
    {"eligible_at", time, "", "etime"},
    {"eligible_s", integer, "s", "eligible_time"},
    {"assigned_at", time, "", "when it got its vnodes"},
    {"started_at", time, "", "stime: start of accounting records"},
    {"program_at", time, "", "when its host told that its program runs; null: it never did"},
    {"exited_at", time, "", "when its host told that it is over"},
    {"ended_at", time, "", "end of accounting records (obittime)"},
    {"closed_at", time, "", "when its vnodes were back and the job ended or was queued again; null: the run goes on"},
    {"outcome", text, "",
     "open, ended (the E record), requeued (R), checkpointed (C: it goes on from a checkpoint), start_failed: its files or its program "
     "could not be started"},
    {"exit_status", integer, "", "Exit_status"},
    {"failure_code", integer, "", "of a start that failed"},
    {"failure_text", text, "", "of a start that failed: why"},
    {"run_count", integer, "", "run_count of accounting records"},
    {"session", integer, "", "session id of its program"},
    {"scheduler", text, "", "the scheduler that placed it; empty: qrun"},
    {"hosts", integer, "", "on how many hosts it began"},
    {"exec_host", text, "", "exec_host as it began"},
    {"exec_vnode", text, "", "exec_vnode as it began"},
    {"last_exec_host", text, "", "exec_host that it went on with after its last release of vnodes; else the same"},
    {"last_exec_vnode", text, "", "exec_vnode that it went on with after its last release of vnodes; else the same"},
    {"wait_s", integer, "s", "from etime to stime"},
    {"suspensions", integer, "", "how often it was suspended"},
    {"suspended_s", integer, "s", "how long in all, in whole seconds of the accounting records z and r"},
    {"restarted", boolean, "", "it went on from a checkpoint"},
    {"select_asked", text, "", "Resource_List.select"},
    {"place_asked", text, "", "Resource_List.place"},
    {"asked_ncpus", integer, "", "Resource_List.ncpus"},
    {"asked_nodect", integer, "", "Resource_List.nodect"},
    {"asked_mem_bytes", integer, "bytes", "Resource_List.mem"},
    {"asked_walltime_s", integer, "s", "Resource_List.walltime"},
    {"used_cput_s", integer, "s", "resources_used.cput"},
    {"used_cpupercent", integer, "%", "resources_used.cpupercent"},
    {"used_mem_bytes", integer, "bytes", "resources_used.mem"},
    {"used_vmem_bytes", integer, "bytes", "resources_used.vmem"},
    {"used_ncpus", integer, "", "resources_used.ncpus"},
    {"used_walltime_s", integer, "s", "resources_used.walltime"},
    {"sequence", integer, "", "the record of the log that the row shows the run after"},
};

constexpr column run_resource_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "the run; 0: what the job asks for, whatever its runs had"},
    {"list", text, "",
     "asked (Resource_List), used (resources_used), assigned (resource_assigned of S), reduced_assigned (of s), phase_asked, "
     "phase_assigned "
     "and phase_used (of u, c and e), suspended_used (of z)"},
    {"part", integer, "", "the phase or the suspension; else 0"},
    {"resource", text, "", "name of the resource"},
    {"type", text, "", "type by its definition: long, float, size, duration, boolean, string, string_array"},
    {"integer_value", integer, "", "a long, bytes of a size, seconds of a duration, 0 or 1 of a boolean"},
    {"real_value", real, "", "a float"},
    {"text_value", text, "", "the value as PBS writes it; null: the job does not ask for it any more"},
    {"sequence", integer, "", "the record of the log that told it"},
};

constexpr column phase_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "its run"},
    {"phase", integer, "", "from 1; each release of vnodes ends one (records u, c and e)"},
    {"job_id", text, "", "12.borg"},
    {"began_at", time, "", "with the run, or when vnodes were released"},
    {"ended_at", time, "", "null: it goes on"},
    {"exec_host", text, "", "the hosts that it had"},
    {"exec_vnode", text, "", "the vnodes that it had"},
    {"used_cput_s", integer, "s", "cpu time of this phase alone"},
    {"used_cpupercent", integer, "%", "cpupercent of this phase"},
    {"used_mem_bytes", integer, "bytes", "memory of the hosts of this phase"},
    {"used_vmem_bytes", integer, "bytes", "virtual memory of the hosts of this phase"},
    {"used_ncpus", integer, "", "cpus of this phase"},
    {"used_walltime_s", integer, "s", "time of this phase alone"},
    {"sequence", integer, "", "the record of the log that ended it, or began it"},
};

constexpr column suspension_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "its run"},
    {"suspension", integer, "", "from 1 within the run"},
    {"job_id", text, "", "12.borg"},
    {"began_at", time, "", "when its vnodes or amounts were given up (record z)"},
    {"ended_at", time, "", "when it was resumed (record r), or its run was over; null: it goes on"},
    {"requested_by", text, "", "user@host of who suspended it"},
    {"released", text, "", "what it gave up, where that is not all (resources_released)"},
    {"sequence", integer, "", "the record of the log that ended it, or began it"},
};

constexpr column provisioning_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "its run"},
    {"job_id", text, "", "12.borg"},
    {"vnodes", text, "", "the vnodes and their environments (prov_vnode of P and p)"},
    {"began_at", time, "", "record P"},
    {"ended_at", time, "", "record p; null: it goes on"},
    {"status", text, "", "SUCCESS or FAILURE"},
    {"sequence", integer, "", "the record of the log that ended it, or began it"},
};

constexpr column host_usage_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "its run"},
    {"host", text, "", "the host"},
    {"sequence", integer, "", "the record of the log that told it: each report is an interval"},
    {"began_at", time, "", "the report before, or the beginning of the run"},
    {"ended_at", time, "", "when it was written down"},
    {"measured_at", time, "", "when it was measured, by the host's clock"},
    {"cput_s", integer, "s", "cpu time in this interval; less than 0 where a hook took some back"},
    {"walltime_s", integer, "s", "time in this interval"},
    {"total_cput_s", integer, "s", "cpu time since the run began"},
    {"total_walltime_s", integer, "s", "time since the run began"},
    {"cpupercent", integer, "%", "cpupercent"},
    {"mem_bytes", integer, "bytes", "highest memory so far"},
    {"vmem_bytes", integer, "bytes", "highest virtual memory so far"},
    {"ncpus", integer, "", "cpus that the run has there"},
};

constexpr column host_usage_resource_columns[] = {
    {"job", integer, "", "the job (jobs.job)"},
    {"run", integer, "", "its run"},
    {"host", text, "", "the host"},
    {"sequence", integer, "", "the record of the log that told it"},
    {"resource", text, "", "a resource that hooks set on that host; measured ones are in host_usage"},
    {"type", text, "", "type by its definition"},
    {"integer_value", integer, "", "as in run_resources"},
    {"real_value", real, "", "as in run_resources"},
    {"text_value", text, "", "as in run_resources"},
};

constexpr column array_columns[] = {
    {"job", integer, "", "the array (jobs.job)"},
    {"job_id", text, "", "12[].borg"},
    {"indices", text, "", "array_indices_submitted"},
    {"subjobs", integer, "", "how many it has"},
    {"remaining", integer, "", "have not begun, or are to begin again"},
    {"running", integer, "", "run"},
    {"ended", integer, "", "are over, or were deleted before they began"},
    {"failed", integer, "", "of these, those that ended with another exit status than 0, or were deleted"},
    {"started_at", time, "", "when its first subjob began (record S)"},
    {"ended_at", time, "", "when it ended (record E)"},
    {"exit_status", integer, "", "Exit_status of the array"},
    {"sequence", integer, "", "the record of the log that the row shows the array after"},
};

constexpr column reservation_columns[] = {
    {"reservation", integer, "", "serial of the reservation's stream in the log"},
    {"reservation_id", text, "", "R5.borg"},
    {"reservation_name", text, "", "Reserve_Name"},
    {"kind", text, "", "advance, standing, asap, from_job or maintenance"},
    {"owner", text, "", "Reserve_Owner"},
    {"queue", text, "", "its queue"},
    {"submitted_at", time, "", "record U"},
    {"submitted_by", text, "", "requestor of U"},
    {"confirmed_at", time, "", "when it got its vnodes (record Y), the last time"},
    {"confirmed_by", text, "", "the scheduler, or who forced it"},
    {"state", text, "", "RESV_CONFIRMED and the like; ended: it is gone"},
    {"starts_at", time, "", "of the window that is open, or the next one"},
    {"ends_at", time, "", "of that window"},
    {"duration_s", integer, "s", "of that window"},
    {"nodes", text, "", "vnodes of that window"},
    {"occurrences", integer, "", "count of a standing reservation"},
    {"rrule", text, "", "recurrence_rrule of U"},
    {"timezone", text, "", "timezone of U"},
    {"interactive", text, "", "Interactive of U"},
    {"users", text, "", "Authorized_Users"},
    {"groups", text, "", "Authorized_Groups"},
    {"hosts", text, "", "Authorized_Hosts"},
    {"deleted_by", text, "", "requestor of k or K, where somebody deleted it"},
    {"ended_at", time, "", "when it was denied, or was gone"},
    {"end_reason", text, "", "why"},
    {"sequence", integer, "", "the record of the log that the row shows the reservation after"},
};

constexpr column occurrence_columns[] = {
    {"reservation", integer, "", "the reservation (reservations.reservation)"},
    {"occurrence", integer, "", "from 1"},
    {"reservation_id", text, "", "R5.borg"},
    {"starts_at", time, "", "its window"},
    {"ends_at", time, "", "its window"},
    {"nodes", text, "", "its vnodes"},
    {"began_at", time, "", "when its window opened (record B)"},
    {"closed_at", time, "", "when its window was closed; null: it is open"},
    {"sequence", integer, "", "the record of the log that told it"},
};

constexpr column reservation_resource_columns[] = {
    {"reservation", integer, "", "the reservation (reservations.reservation)"},
    {"resource", text, "", "of Resource_List"},
    {"type", text, "", "type by its definition"},
    {"integer_value", integer, "", "as in run_resources"},
    {"real_value", real, "", "as in run_resources"},
    {"text_value", text, "", "as in run_resources"},
    {"sequence", integer, "", "the record of the log that told it"},
};

constexpr column node_state_columns[] = {
    {"vnode", text, "", "the vnode"},
    {"since_sequence", integer, "", "the record of the log that this state began with"},
    {"host", text, "", "its host"},
    {"state", text, "", "free, or what keeps jobs from it: down, offline, ...; jobs on it are in runs, not here"},
    {"reason", text, "", "of a host that is down: why"},
    {"began_at", time, "", "since when"},
    {"ended_at", time, "", "until when; null: now"},
    {"ncpus", integer, "", "resources_available.ncpus"},
    {"mem_bytes", integer, "bytes", "resources_available.mem"},
    {"sequence", integer, "", "the record of the log that ended it, or began it"},
};

constexpr column cycle_columns[] = {
    {"cycle", integer, "", "the record of the log that the cycle began with"},
    {"scheduler", text, "", "the scheduler"},
    {"number", integer, "", "the cycle's number"},
    {"cause", text, "", "what it was asked for"},
    {"began_at", time, "", "when it began"},
    {"decided_for", time, "", "the time that it decided for"},
    {"ended_at", time, "", "null: it did not end"},
    {"considered", integer, "", "jobs that it looked at"},
    {"started", integer, "", "jobs that it placed"},
    {"elapsed_us", integer, "us", "how long it worked"},
    {"policy", text, "", "SHA-256 of its policy"},
    {"view_sequence", integer, "", "the record of the log that it knew last"},
    {"sequence", integer, "", "the record of the log that ended it, or began it"},
};

constexpr column reason_columns[] = {
    {"sequence", integer, "", "the record of the log that told it; only reasons that change are told"},
    {"entry", integer, "", "from 1 within the record"},
    {"at", time, "", "when"},
    {"scheduler", text, "", "the scheduler"},
    {"cycle_number", integer, "", "the cycle's number"},
    {"job", integer, "", "the job that does not run (jobs.job)"},
    {"reason", text, "", "the comment that the job shows"},
    {"kind", text, "", "resources, pool, limit, queue, primeTime, dedicated, order, booked, formula, shares, preemption or other"},
    {"resource", text, "", "of resources and limits: which"},
    {"asked", text, "", "what the job wants of it"},
    {"free", text, "", "what is left of it"},
    {"total", text, "", "what there is of it"},
    {"limit_name", text, "", "the attribute, with its entity"},
    {"limit_owner", text, "", "whose limit or pool"},
    {"limit_count", text, "", "how much of the limit is in use"},
    {"blocker", text, "", "the job or reservation that it waits behind"},
};

constexpr column refusal_columns[] = {
    {"sequence", integer, "", "the record of the log that tells it; a command that is refused at once is not in the log"},
    {"at", time, "", "when"},
    {"kind", text, "", "run, hook, start, reservation, reservation_change, vnodes or scheduler_start"},
    {"requested_by", text, "", "user@host of who asked"},
    {"role", text, "", "user, operator, manager, root, server, scheduler or mom"},
    {"subject", text, "", "a scheduler, a hook, a reservation or a host"},
    {"job", integer, "", "the job, where it was about one (jobs.job)"},
    {"cycle_number", integer, "", "the cycle that proposed a run; 0: qrun"},
    {"exec_vnode", text, "", "where it was to run"},
    {"code", integer, "", "exit status of a start that failed"},
    {"reason", text, "", "why"},
};

constexpr column hook_run_columns[] = {
    {"sequence", integer, "", "the record of the log that tells it"},
    {"entry", integer, "", "from 1 within the record"},
    {"at", time, "", "when it was written down"},
    {"hook", text, "", "the hook"},
    {"event", text, "", "queuejob and the like"},
    {"verdict", text, "", "accepted, rejected, error or alarm"},
    {"message", text, "", "what reject() said, or the exception"},
    {"duration_us", integer, "us", "how long it ran"},
    {"subject", text, "", "what it was about, where the hook's own record says so"},
    {"host", text, "", "the MoM's host that it ran on; null: the server"},
    {"job", integer, "", "the job whose event it allowed or changed (jobs.job)"},
    {"script", text, "", "SHA-256 of its script"},
};

constexpr column request_columns[] = {
    {"sequence", integer, "", "the record of the log that tells it"},
    {"entry", integer, "", "from 1 within the record: one for each attribute that is altered"},
    {"at", time, "", "when"},
    {"job", integer, "", "the job (jobs.job)"},
    {"request", text, "",
     "alter, hold, release, move, order, delete, rerun, signal, message, suspend, resume, delete_subjobs or rerun_subjobs"},
    {"requested_by", text, "", "user@host of who asked (requestor of D)"},
    {"role", text, "", "user, operator, manager, root, server, scheduler or mom"},
    {"attribute", text, "", "the attribute that is altered"},
    {"resource", text, "", "and its resource"},
    {"attribute_value", text, "", "what it is then (record a); null: it is taken away"},
    {"derived", boolean, "", "nobody asked for it: it follows from another change of the same request"},
    {"detail", text, "", "the queue of a move, the signal, the message, the holds, the indices of subjobs"},
};

constexpr column resource_columns[] = {
    {"resource", text, "", "its name"},
    {"defined_sequence", integer, "", "the record of the log that defines it so; 0: it is builtin"},
    {"type", text, "", "long, float, size, duration, boolean, string, string_array or another type of PBS"},
    {"unit", text, "", "of integer_value in the other tables: bytes, s or nothing"},
    {"flags", text, "", "letters of its flags"},
    {"builtin", boolean, "", "every server has it"},
    {"defined_at", time, "", "when it was defined so"},
    {"deleted_at", time, "", "when it was defined otherwise, or deleted; null: it is as this says"},
    {"meaning", text, "", "of builtin ones"},
    {"sequence", integer, "", "the record of the log that the row shows it after"},
};

constexpr table all_tables[] = {
    {"jobs", 1, "Jobs, arrays and subjobs, one row each, as they are after the last record.", job_columns},
    {"runs", 2, "Runs of jobs, one row each: all of the records S, E, R and C but their lists of resources.", run_columns},
    {"run_resources", 5, "What jobs asked for, and what their runs had and used: each resource a row, typed by its definition.",
     run_resource_columns},
    {"phases", 3, "Phases of runs whose vnodes were released while they ran (records u, c and e).", phase_columns},
    {"suspensions", 3, "Times for which runs were suspended (records z and r).", suspension_columns},
    {"provisionings", 2, "Runs that waited for another environment of their vnodes (records P and p).", provisioning_columns},
    {"host_usage", 4, "What a run used on each host, from report to report.", host_usage_columns},
    {"host_usage_resources", 5, "The same of resources that hooks set.", host_usage_resource_columns},
    {"arrays", 1, "Job arrays: how many of their subjobs remain, run, have ended.", array_columns},
    {"reservations", 1, "Reservations, one row each (records U, Y, B, K and k).", reservation_columns},
    {"reservation_occurrences", 2, "Windows of reservations that have opened.", occurrence_columns},
    {"reservation_resources", 2, "What reservations ask for.", reservation_resource_columns},
    {"node_states", 2, "Vnodes, and what kept jobs from them, from when to when.", node_state_columns},
    {"scheduling_cycles", 1, "Cycles of schedulers.", cycle_columns},
    {"scheduling_reasons", 2, "Why jobs did not run, as cycles found it.", reason_columns},
    {"refusals", 1, "Requests that the log says were refused.", refusal_columns},
    {"hook_runs", 2, "Runs of site hooks.", hook_run_columns},
    {"job_requests", 2, "What was asked of jobs after their submission, and by whom (records D and a).", request_columns},
    {"resources", 2, "The dimension: resources, their types and units, and from when to when they were defined so.", resource_columns},
};
static_assert(std::size(all_tables) == table_count);
static_assert(static_cast<std::size_t>(table_id::resources) == table_count - 1);

}  // namespace

std::span<const table> tables() { return all_tables; }
const table& table_of(table_id id) { return all_tables[static_cast<std::size_t>(id)]; }

}  // namespace annals::exports
