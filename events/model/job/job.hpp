// A job from qsub to the end of its history: what may happen to it and what each event means.
//
// The aggregate promises: a transition that is not in job_transitions never gets into the log; a job holds vnodes from
// JobAssigned until VnodesReleased of every part; JobEnded comes once and only when nothing is held. The run saga (assign,
// send to the MoM, wait, requeue or hold) is part of the job's own stream. Governed by docs/design/0001-shape.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/unreleasable.hpp"
#include "events/model/context.hpp"
#include "events/model/effect.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/allocation_change.hpp"
#include "events/model/vnodes/vnode_words.hpp"
#include "events/schema/message_names.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/rare.hpp"

namespace annals::model {

enum class job_phase : std::uint8_t {
  none,       // before JobQueued
  queued,     // Q
  held,       // H
  waiting,    // W
  assigned,   // R, sent to its MoM
  started,    // R, the MoM runs it; U, stopped for the load of a host
  suspended,  // S, its processes are stopped and its vnodes free for others
  exiting,    // E, the program ended; output and vnodes are still out
  finished,   // F
  forgotten,  // no longer in the history
};
constexpr int job_phase_count = 10;

// What a run that goes on is asked to do, until its MoM says that it is done. Ids rise within a run.
struct run_request {
  enum class kind : std::uint8_t { signal,
                                   message,
                                   suspend,
                                   resume,
                                   release,
                                   checkpoint,
                                   alter };
  std::uint64_t id = 0;
  kind what = kind::signal;
  std::string text;  // the signal's name, or the message
  bool to_errors = false, to_output = false;
  std::optional<allocation_change> release = {};
  std::vector<shown_value> changes = {};  // qalter
  bool operator==(const run_request&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.id, self.what, self.text, self.to_errors, self.to_output, self.release, self.changes);
  }
};

// Files that come before a run's program (pbs guide: stagein).
enum class job_stage_in : std::uint8_t { none,
                                         coming,
                                         there,
                                         failed };

// A host that could not start a job, and in which run.
struct failed_start {
  std::string host;
  std::uint32_t run = 0;
  bool operator==(const failed_start&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.host, self.run);
  }
};

// Of a run's hosts, its first among them.
struct start_progress {
  std::uint32_t hosts = 0, joined = 0, failed = 0;
  bool operator==(const start_progress&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hosts, self.joined, self.failed);
  }
};

// What a job array knows of its subjobs (docs/design/0057-job-arrays.md). One that has begun is a job of its own.
struct array_state {
  struct begun_before {
    std::uint32_t run = 0;       // of its last start
    std::int64_t run_count = 0;  // as it showed it
    bool operator==(const begun_before&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.run, self.run_count);
    }
  };
  values::index_set remaining;                     // have not begun, or are to begin again
  std::map<std::uint32_t, std::uint32_t> running;  // index -> run, until the array has heard that it left
  std::map<std::uint32_t, begun_before> begun;     // of `remaining`
  values::index_set failed;                        // have ended, and not with exit status 0
  values::index_set deleting;                      // of `running`: to be deleted
  std::string began;                               // "Job Array Began at ..."; empty: no subjob has
  bool operator==(const array_state&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.remaining, self.running, self.begun, self.failed, self.deleting, self.began);
  }
  const values::index_range& indices() const { return remaining.of(); }
  // All that it will ever run has ended.
  bool over() const { return remaining.empty() && running.empty(); }
};

struct job_state {
  job_phase phase = job_phase::none;
  std::uint64_t serial = 0;              // of the stream
  std::uint64_t version = 0;             // of the stream
  std::uint64_t number = 0;              // 12
  std::string id;                        // "12.borg"
  attributes::attribute_set attributes;  // every attribute as qstat -f shows it

  std::uint8_t holds = 0;  // bit per schema::HoldType
  bool wait_over = true;   // the execution time has come, or there is none
  std::int64_t execution_time = 0;
  std::int64_t queue_rank = 0;
  std::string script_hash;  // empty: no script
  std::uint64_t script_size = 0;

  std::uint32_t run = 0;                       // counts the starts
  std::vector<std::string> hosts;              // of this run, primary first
  allocation allocated;                        // what the run has not released
  allocation used;                             // since it was reduced what it goes on with; empty: all of that
  std::vector<shown_value> asked;              // what a reduction or shrinking changed, as it showed it before: what it asks again
  std::vector<std::string> unheard;            // hosts that a reduced run has dropped and no longer hears of
  bool bears_failures = false;                 // of other hosts than the first: what stood when this run was assigned
  std::vector<failed_start> failed_starts;     // since it last ran, a host once, the latest last: schedulers try these hosts last
  std::uint32_t failed_in_a_row = 0;           // starts, since it last ran: what comes at the same time counts once
  std::int64_t rests_until_ns = 0;             // no scheduler starts it before; 0: its last start did not fail
  bool primary_abandoned = false;              // the first of them was down too long
  std::uint32_t steps = 0;                     // of this run, before its program and between its hosts: so many are in the log
  start_progress progress;                     // of this run, until its program runs
  job_stage_in stage_in = job_stage_in::none;  // of this run; failed stays until the wait that follows is over
  bool usage_known = false;                    // the MoM reported at least once (substate 42)
  std::int64_t usage_at_s = 0;                 // its walltime is as it was then
  usage_set used_in_phase;                     // mem and the like of the hosts that it has in its phase, if it has phases
  bool exited = false;                         // of this run
  std::string explained;                       // why this run ends as it does, for its comment; of an ended job why it never ran
  std::int32_t exit_status = 0;
  bool has_exit_status = false;

  bool delete_requested = false;
  bool delete_forced = false;
  bool purge_history = false;
  bool rerun_requested = false;
  bool rerun_forced = false;
  std::int32_t rerun_exit_status = 0;   // of the requeue; 0: what the MoM says
  bool rerun_by_hook = false;           // of a host: it may have asked when the program was over (execjob_epilogue)
  bool preempted = false;               // asked to leave for another job, and queued again: until it runs
  bool aborted = false;                 // by the server itself, when it stopped
  std::string deleted_by;               // user@host
  std::vector<run_request> requests;    // of this run, not done yet
  std::uint64_t last_request = 0;       // id of the newest
  std::vector<std::string> busy_hosts;  // of this run, in order: their load keeps its processes stopped
  std::string released;                 // of a suspended job: what it gave up, as an exec_vnode
  bool released_partly = false;         // and it keeps the rest
  bool admin_suspended = false;
  bool resume_wanted = false;   // there was no room when it was asked for
  bool can_checkpoint = false;  // of this run: its host has a script for it, which has not failed
  std::string checkpointed_at;  // its exec_vnode then, and where alone it can go on from there; empty: it begins anew

  values::rare<array_state> array;  // of a job array

  // Other jobs that have said that they wait for this one, in that order. Not in `depend`, so that 100,000 of them cost each other nothing.
  std::vector<values::dependency> dependents;

  bool operator==(const job_state&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.phase, self.serial, self.version, self.number, self.id, self.attributes, self.holds, self.wait_over, self.execution_time,
       self.queue_rank, self.script_hash, self.script_size, self.run, self.hosts, self.allocated, self.used, self.asked, self.unheard,
       self.bears_failures, self.failed_starts, self.failed_in_a_row, self.rests_until_ns, self.primary_abandoned, self.steps,
       self.progress, self.stage_in, self.usage_known, self.usage_at_s, self.used_in_phase, self.exited, self.explained, self.exit_status,
       self.has_exit_status, self.delete_requested, self.delete_forced, self.purge_history, self.rerun_requested, self.rerun_forced,
       self.rerun_exit_status, self.rerun_by_hook, self.preempted, self.aborted, self.deleted_by, self.requests, self.last_request,
       self.busy_hosts, self.released, self.released_partly, self.admin_suspended, self.resume_wanted, self.can_checkpoint,
       self.checkpointed_at, self.array, self.dependents);
  }
  // The run is over, and some of its other hosts have not said that they are rid of the job.
  bool waits_for_hosts() const { return phase == job_phase::exiting && !allocated.empty() && allocated.hosts().front() != hosts.front(); }
  bool ended() const { return phase == job_phase::finished || phase == job_phase::forgotten; }
  // Its run, or its last one, was told to go on with less than it began with.
  bool reduced() const { return !used.empty(); }
  const allocation& uses() const { return reduced() ? used : allocated; }
  bool is_checkpointing() const;
  // Its processes are, or were told to be.
  bool stopped() const { return phase == job_phase::suspended || !busy_hosts.empty(); }
  bool has_phases() const { return attributes.has(attributes::job::exec_vnode_orig); }  // of accounting: vnodes were released (RD-73)
  // The run holds this host's vnodes only until nothing of it is there any more.
  bool drops(std::string_view host) const { return reduced() && allocated.is_on(host) && !used.is_on(host); }
  bool is_subjob() const { return values::is_subjob(number); }
  // Its run was assigned, and vnodes of it are not provisioned yet: no MoM has heard of it.
  bool provisioning() const { return phase == job_phase::assigned && attributes.has(attributes::job::prov_vnode); }
  // Its program runs, or will in a moment: its MoM has not told so yet, or not what it uses.
  bool comes_to_run() const;
  // A run of it is at its MoM.
  bool running() const { return phase == job_phase::assigned || phase == job_phase::started || phase == job_phase::suspended; }
  std::string_view attribute(attributes::attribute_id id, std::string_view resource = {}) const;
  std::string_view queue() const;
  std::string_view owner() const;       // user@host
  std::string_view owner_name() const;  // user
};

// -- what may be asked of a job ----------------------------------------------------------------------------------------

// A submission. The gateway adds what only the server can know.
struct submit_job {
  schema::sealed<schema::Request> request;  // its queueJob
  std::uint64_t number = 0;
  std::string euser, egroup;
  std::string script_hash;  // 32 bytes or empty
  std::uint64_t script_size = 0;
  std::vector<std::string> groups = {};    // as in client_request
  std::vector<std::string> by_hooks = {};  // as in client_request
};
struct client_request {  // alter, hold, release, delete, rerun, run
  schema::sealed<schema::Request> request;
  std::vector<std::string> groups = {};               // of who asks, the primary one first; only there when group_list is given
  std::vector<std::string> by_hooks = {};             // what the site's hooks set or changed in it: "comment", "Resource_List.mem"
  attributes::unreleasable_vnodes unreleasable = {};  // of releaseNodes: of its other hosts
  vnode_words words = {};                             // of releaseNodes with a keepSelect: what it asks, of the job's vnodes
};
struct hook_changes {   // of a hook on a host, to a run there
  client_request what;  // its alterJob, deleteJob or rerunJob
  std::uint32_t run = 0;
  std::string host;
};
struct mom_report {
  schema::sealed<schema::FromMom> message;
  std::string host;
  attributes::unreleasable_vnodes unreleasable = {};  // of a run's end: of its other hosts
};
struct proposed_run {
  schema::sealed<schema::FromScheduler> message;
  std::string scheduler;                       // the object of who proposes; empty: a person (qrun -H)
  bool asked = false;                          // by qrun
  std::optional<client_request> changes = {};  // what runjob hooks set of the job: its alterJob
};
struct make_room {      // a scheduler's proposal needs what the job has
  client_request what;  // its signalJob (suspend), rerunJob or deleteJob
  std::string scheduler;
};
struct resume_later {};  // there is no room now: the scheduler resumes it
// The load of a host of the run suspends jobs there, or does no longer ($max_load).
struct host_load {
  std::uint32_t run = 0;
  std::string host;
  bool suspends = false;
};
struct set_rank {
  std::int64_t rank;
};                   // qorder
struct end_wait {};  // the timer of the execution time fired
struct run_lost {
  std::uint32_t run = 0;
  bool host_gone = false;
  bool log_is_new = false;
};  // the host no longer knows, or is given up
struct run_gone_from {
  std::uint32_t run = 0;
  std::string host;
  bool abandoned = false;
};  // the host has nothing of the run, or is down
// A vnode that its run waited for has the environment it asks, or cannot get it.
struct vnode_provisioned {
  std::uint32_t run = 0;
  std::string vnode;
  std::string failed = {};  // why; empty: it has it
};
// What another job means to this one (events/model/job/dependencies.cpp).
struct dependency_told {
  enum class what : std::uint8_t {
    dependent,  // that job waits for this one, or one of both is to run: shown
    counted,    // that job said before...: it takes one count of this one's on:n
    met,        // what this one waited for; or the other is no longer in its set
    failed,     // what this one waited for can't be any more: it is deleted
    unknown,    // there is no such job: it is deleted too
    held,       // one of both is to run, and the other one does
    freed,      // it does no longer
  };
  what is = what::met;
  values::dependency other;  // as this job shows it
};
// Of an array: one of its subjobs runs no more.
struct subjob_told {
  std::uint32_t index = 0, run = 0;
  bool requeued = false;  // it is the array's again
  bool failed = false;    // it has ended with another exit status than 0, or was deleted
  std::int64_t run_count = 0;
  std::string held = {};     // requeued: why it is not tried again; the array is held
  bool not_started = false;  // requeued: its start failed
  std::string comment = {};  // not_started: why
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.index, self.run, self.requeued, self.failed, self.run_count, self.held, self.not_started, self.comment);
  }
};
struct forget_job {
  bool with_array = false;  // of a subjob: its array is forgotten
};                          // its time in the history may be over
struct server_stops {
  bool waits_for_jobs = false;
};  // qterm -t immediate, or -t delay
using job_command =
    std::variant<submit_job, client_request, hook_changes, mom_report, proposed_run, make_room, resume_later, host_load, set_rank, end_wait,
                 run_lost, run_gone_from, vnode_provisioned, dependency_told, subjob_told, forget_job, server_stops>;

outcome decide(const job_state& job, const job_command& command, const stamp& now, const settings& settings);
void apply(job_state& job, const event_place& at, schema::JobEvent::Reader event);
inline void apply(job_state& job, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isJob(), "an event of another kind in a job's stream");
  apply(job, at, event.getJob());
}

// -- what the world still owes this state ------------------------------------------------------------------------------

struct start_run {
  std::string host;
  std::uint32_t run;
};
struct signal_run {
  std::string host;
  std::uint32_t run;
  std::uint64_t id;            // stable: the MoM answers a repeat with what it did
  std::string signal;          // "SIGTERM", "SIGKILL"
  std::uint32_t kill_delay_s;  // SIGKILL follows after this; 0: none
  std::int32_t exit_status;
  bool overrides_exit;              // the job ends with exit_status whatever the program says (rerun: -11)
  std::uint32_t resend_term_s = 0;  // SIGTERM comes once more after this; 0: it does not
};
struct tell_run {
  std::string host;
  std::uint32_t run;
  run_request request;
};
struct discard_run {
  std::string host;
  std::uint32_t run;
};  // until the host has nothing of it, or is down
struct wake_at {
  std::int64_t wall_ns;
};  // then send end_wait
using job_effect = std::variant<start_run, signal_run, tell_run, discard_run, wake_at>;
effect_id id_of(const job_effect& effect);
std::vector<job_effect> pending_effects(const job_state& job, const settings& settings);

// The order a MoM gets for this run.
schema::sealed<schema::ToMom> start_order(const job_state& job, const settings& settings, schema::byte_span inline_script);

// -- the table ---------------------------------------------------------------------------------------------------------

struct job_transition {
  job_phase from;
  schema::JobEvent::Which event;
  job_phase to;
};
std::span<const job_transition> job_transitions();

// Its `depend` as users see it: what it waits for, and who waits for it.
std::string shown_depend(const job_state& job);
// The system hold on it is that of its dependencies (pbs guide: substate 22).
bool held_for_others(const job_state& job);

// The job that a subjob would be if it began now; it is one that has not.
job_state subjob_to_begin(const job_state& array, std::uint32_t index, const stamp& now);

// May this requester do with the job what its owner may?
bool may_act(const job_state& job, const requester& by);
bool may_happen(job_phase from, schema::JobEvent::Which event);

// How long a finished job is kept, in seconds; 0: no history is kept (pbs guide: job_history_enable, job_history_duration).
std::int64_t history_seconds(const settings& settings);

// The letter and the substate qstat shows (pbs guide: job states).
char state_letter(const job_state& job);

}  // namespace annals::model
