// The rows. Order: that of qmgr's list of events (pbs guide, "hooks"; golden: hooks.txt "set hook h1 event=bogus").
#include "hooks-runtime/catalog/events.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"

namespace annals::hooks {
namespace {

using enum parameter_kind;
constexpr auto server_side = event_side::server;
constexpr auto mom_side = event_side::mom;

constexpr const char* job_of_mom = "Execution_Time Hold_Types resources_used run_count";
constexpr const char* job_to_begin = "Execution_Time Hold_Types resources_used run_count Variable_List";
constexpr const char* job_of_runjob =
    "Hold_Types Execution_Time project depend Error_Path Output_Path Resource_List Variable_List create_resv_from_job";
constexpr const char* job_of_postqueuejob = "Hold_Types Execution_Time project depend Resource_List Variable_List comment";
constexpr const char* job_that_runs = "Error_Path Output_Path Resource_List Variable_List create_resv_from_job";

constexpr parameter asked_job[] = {
    {"job", job, may_set::what_users_may, "queue", may_set_when::always, "the job as asked for"}};
constexpr parameter queued_job[] = {
    {"job", job, may_set::listed, job_of_postqueuejob, may_set_when::always, "the queued job"}};
constexpr parameter altered_job[] = {
    {"job", job, may_set::what_users_may, "", may_set_when::always, "what is asked to be changed"},
    {"job_o", job, may_set::nothing, "", may_set_when::always, "the job before the change"}};
constexpr parameter moved_job[] = {
    {"job", job, may_set::listed, "queue", may_set_when::always, "the job; its queue is the one it is to go to"},
    {"src_queue", queue, may_set::nothing, "", may_set_when::always, "the queue it is in"}};
constexpr parameter job_to_run[] = {
    {"job", job, may_set::listed, job_of_runjob, may_set_when::on_reject, "the job with its exec_vnode", job_that_runs},
    {"vnode_list", vnodes, may_set::listed, "state", may_set_when::on_reject, "the vnodes it is to run on"}};
constexpr parameter ended_job[] = {{"job", job, may_set::nothing, "", may_set_when::always, "the job that ended"}};
constexpr parameter asked_resv[] = {
    {"resv", reservation, may_set::what_users_may, "", may_set_when::always,
     "the reservation as asked for; its length, where it was given, is reserve_duration and Resource_List.walltime"}};
constexpr parameter altered_resv[] = {
    {"resv", reservation, may_set::what_users_may, "", may_set_when::always, "what is asked to be changed"},
    {"resv_o", reservation, may_set::nothing, "", may_set_when::always, "the reservation before the change"}};
constexpr parameter known_resv[] = {
    {"resv", reservation, may_set::nothing, "", may_set_when::always, "the reservation"}};
constexpr parameter ended_resv[] = {
    {"resv", reservation, may_set::nothing, "", may_set_when::always, "the reservation as it was before its end"}};
constexpr parameter managed[] = {
    {"management", management, may_set::nothing, "", may_set_when::always,
     "what qmgr asked for (cmd, objtype, objname, attribs, request_time) and was answered (reply_code, reply_choice, reply_text)"}};
constexpr parameter changed_vnode[] = {
    {"vnode", vnode, may_set::nothing, "", may_set_when::always, "the vnode as it is now"},
    {"vnode_o", vnode, may_set::nothing, "", may_set_when::always, "the vnode before"}};
constexpr parameter provisioned[] = {
    {"aoe", text, may_set::nothing, "", may_set_when::always, "the environment to install"},
    {"vnode", text, may_set::nothing, "", may_set_when::always, "the vnode's name"}};
constexpr parameter site_view[] = {
    {"vnode_list", vnodes, may_set::everything, "", may_set_when::always, "every vnode"},
    {"resv_list", reservations, may_set::nothing, "", may_set_when::always, "every reservation"}};

constexpr parameter mom_job = {
    "job", job, may_set::listed, job_of_mom, may_set_when::always, "the job as sent to the MoM"};
constexpr parameter mom_vnodes = {
    "vnode_list", vnodes,
    may_set::everything, "",
    may_set_when::always, "the job's vnodes on this host; on the primary host all of them"};
constexpr parameter failed_vnodes = {
    "vnode_list_fail", vnodes,
    may_set::everything, "",
    may_set_when::always, "the job's vnodes on hosts that failed to join or to answer; empty when none"};
constexpr parameter begun_job[] = {mom_job, mom_vnodes};
constexpr parameter mom_job_to_begin = {
    "job", job, may_set::listed, job_to_begin, may_set_when::always, "the job as sent to the MoM"};
constexpr parameter beginning_job[] = {mom_job_to_begin, mom_vnodes};
constexpr parameter prologue[] = {mom_job_to_begin, mom_vnodes, failed_vnodes};
constexpr parameter launch[] = {
    mom_job,
    mom_vnodes,
    failed_vnodes,
    {"progname", text, may_set::whole, "", may_set_when::always, "path of the program that is to start"},
    {"argv", texts, may_set::whole, "", may_set_when::always, "its arguments, the program's name first"},
    {"env", pairs, may_set::whole, "", may_set_when::always, "its environment, a dict"}};
constexpr parameter attach[] = {
    {"job", job, may_set::nothing, "", may_set_when::always, "the job"},
    {"pid", number, may_set::nothing, "", may_set_when::always, "the process that joins the job"},
    {"vnode_list", vnodes, may_set::nothing, "", may_set_when::always, "the job's vnodes on this host"}};
constexpr parameter seen_job[] = {
    {"job", job, may_set::nothing, "", may_set_when::always, "the job"},
    {"vnode_list", vnodes, may_set::nothing, "", may_set_when::always, "the job's vnodes on this host"}};
constexpr parameter host_vnodes = {"vnode_list", vnodes,
                                   may_set::everything, "",
                                   may_set_when::always, "this host's vnodes; new names make new vnodes"};
constexpr parameter host_start[] = {host_vnodes};
constexpr parameter host_view[] = {
    host_vnodes,
    {"job_list", jobs, may_set::listed, "resources_used", may_set_when::always, "the jobs that run on this host"}};

constexpr auto in_server = sandbox_profile::server;
constexpr auto on_host = sandbox_profile::mom;
constexpr const char* refuses = "the request is refused with the message";
constexpr const char* logs = "logged, nothing else";
constexpr const char* stops_start =
    "the job does not start and is requeued; deleted if the script called job.delete(); rerun() and delete() also hold "
    "with accept";

constexpr hook_event rows[] = {
    {"queuejob", 0x1, server_side, in_server, asked_job, true, false, 0, "before a job is queued", refuses},
    {"postqueuejob", 0x8000000, server_side, in_server, queued_job, false, false, 0, "after a job was queued", logs},
    {"modifyjob", 0x2, server_side, in_server, altered_job, true, false, 0, "before qalter changes a job", refuses},
    {"modifyvnode", 0x400000, server_side, in_server, changed_vnode, false, false, 0, "after a vnode's state changed",
     logs},
    {"management", 0x200000, server_side, in_server, managed, false, false, 0,
     "after a qmgr request was done or refused, but for want of rights", logs},
    {"resvsub", 0x4, server_side, in_server, asked_resv, true, false, 0, "before a reservation is made", refuses},
    {"modifyresv", 0x4000000, server_side, in_server, altered_resv, true, false, 0, "before a reservation is changed",
     refuses},
    {"movejob", 0x8, server_side, in_server, moved_job, true, false, 0, "before a job goes to another queue", refuses},
    {"jobobit", 0x800000, server_side, in_server, ended_job, false, false, 0, "when a job's end was reported", logs},
    {"runjob", 0x10, server_side, in_server, job_to_run, true, false, 0, "before a job is sent to its MoM",
     "the job is not run; its comment becomes Not Running: PBS Error: and the message"},
    {"provision", 0x20, server_side, on_host, provisioned, true, false, 0, "when a vnode is to be provisioned",
     "the vnode goes offline, and the job back to its queue"},
    {"periodic", 0x8000, event_side::server_periodic, in_server, site_view, false, false, 0, "every freq seconds",
     logs},
    {"resv_confirm", 0x2000000, server_side, in_server, known_resv, false, false, 0,
     "after a reservation, a change of it or other vnodes for it were confirmed", logs},
    {"resv_begin", 0x1000000, server_side, in_server, known_resv, false, false, 0,
     "after a reservation began; of a standing one each occurrence", logs},
    {"resv_end", 0x10000, server_side, in_server, ended_resv, false, false, 0,
     "after a reservation ended, of a standing one each occurrence, or a confirmed one was deleted", logs},
    {"execjob_begin", 0x40, mom_side, on_host, beginning_job, true, false, offline_vnodes | scheduler_restart_cycle,
     "on each host of the job, first of all; on the others before they join", stops_start},
    {"execjob_prologue", 0x80, mom_side, on_host, prologue, true, true, offline_vnodes | scheduler_restart_cycle,
     "before the job's program; on its other hosts when all have joined, and the program waits for them",
     "the job does not start and is requeued, or deleted, as by execjob_begin; one that tolerates node failures goes on "
     "without that other host"},
    {"execjob_epilogue", 0x100, mom_side, on_host, begun_job, false, true, 0,
     "on each host, after the job's processes ended", logs},
    {"execjob_preterm", 0x400, mom_side, on_host, begun_job, true, true, 0,
     "before the job is killed by qdel or a limit; on its other hosts if tasks run there", "it is not killed there"},
    {"execjob_end", 0x200, mom_side, on_host, begun_job, false, false, 0, "on each host, last of all", logs},
    {"exechost_periodic", 0x1000, event_side::mom_periodic, on_host, host_view, false, false, 0,
     "every freq seconds on a host", logs},
    {"execjob_launch", 0x800, mom_side, on_host, launch, true, false, 0,
     "before the job's program, and before each task where it starts",
     "the job does not start and is requeued, or deleted, as by execjob_begin; of a task: it does not start"},
    {"exechost_startup", 0x2000, mom_side, on_host, host_start, false, false,
     offline_vnodes | clear_vnodes_upon_recovery, "when a MoM starts or is told to read its files again", logs},
    {"execjob_attach", 0x4000, mom_side, on_host, attach, true, false, 0, "when a process joins a job",
     "it does not join"},
    {"execjob_resize", 0x20000, mom_side, on_host, seen_job, true, false, 0,
     "on another host than the first after some of its vnodes, not all, were released",
     "what confines the job's processes there (its cgroup) stays as it was"},
    {"execjob_abort", 0x40000, mom_side, on_host, begun_job, false, false, 0,
     "when a job's start failed, on each host where it had begun", logs},
    {"execjob_postsuspend", 0x80000, mom_side, on_host, seen_job, true, false, 0,
     "on each host, after a job was suspended", logs},
    {"execjob_preresume", 0x100000, mom_side, on_host, seen_job, true, false, 0, "on each host, before a job resumes",
     "it stays suspended"},
};

bool is_among(std::string_view names, std::string_view wanted) {
  while (!names.empty()) {
    const auto end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == wanted) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

schema::ObjectKind table_kind(parameter_kind kind) {
  if (kind == reservation || kind == reservations) return schema::ObjectKind::RESERVATION;
  return kind == job || kind == jobs ? schema::ObjectKind::JOB : schema::ObjectKind::NODE;
}

// An attribute that only the server itself sets.
bool is_the_servers(parameter_kind kind, std::string_view attribute) {
  const auto table = table_kind(kind);
  const auto* row = attributes::find(table, attribute);
  if (!row) return true;  // PBS has it, and it would have no effect here
  // Its job was looked up before hooks run.
  if (table == schema::ObjectKind::RESERVATION && row->id == attributes::reservation::qmove) return true;
  return row->set_by == attributes::setter::nobody || row->set_by == attributes::setter::internal;
}

}  // namespace

std::span<const hook_event> hook_events() { return rows; }

const hook_event* find_event(std::string_view name) {
  const auto* found = std::ranges::find_if(rows, [&](const hook_event& e) { return name == e.name; });
  return found == std::end(rows) ? nullptr : found;
}

const hook_event* find_event(std::uint32_t bit) {
  const auto* found = std::ranges::find(rows, bit, &hook_event::bit);
  return found == std::end(rows) ? nullptr : found;
}

const parameter* find_parameter(const hook_event& event, std::string_view name) {
  const auto found = std::ranges::find_if(event.parameters, [&](const parameter& p) { return name == p.name; });
  return found == event.parameters.end() ? nullptr : &*found;
}

bool stays_on_host(std::string_view attribute) { return attribute == "resources_used" || attribute == "Variable_List"; }

bool is_on_mom(const hook_event& event) {
  return event.side == event_side::mom || event.side == event_side::mom_periodic;
}

std::uint32_t mom_events() {
  std::uint32_t bits = 0;
  for (const hook_event& e : rows)
    if (is_on_mom(e)) bits |= e.bit;
  return bits;
}

std::string event_names() {
  std::string out;
  for (const hook_event& e : rows) out += (out.empty() ? "" : ",") + std::string(e.name);
  return out;
}

set_answer may_write(const parameter& where, std::string_view attribute, bool reject) {
  switch (where.set) {
    case may_set::nothing:
      return set_answer::read_only_object;
    case may_set::whole:
      return set_answer::yes;
    case may_set::listed:
      if (!is_among(where.attributes, attribute)) return set_answer::read_only_attribute;
      return reject || where.when == may_set_when::always || is_among(where.with_accept_too, attribute)
                 ? set_answer::yes
                 : set_answer::only_on_reject;
    case may_set::what_users_may:
      if (is_among(where.attributes, attribute)) return set_answer::yes;
      return is_the_servers(where.kind, attribute) ? set_answer::read_only_attribute : set_answer::yes;
    case may_set::everything:
      // state and the like stand as "nobody" in the table of vnodes, yet hooks set them (RS-67, RS-70).
      return set_answer::yes;
  }
  return set_answer::read_only_object;
}

}  // namespace annals::hooks
