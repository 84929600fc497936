// One run of a job on the host of its MoM, in the MoM's own log: from the server's order to the last acknowledgement.
//
// Promises: ProgramStarting is on disk before the program is started; what the server was not told yet is told again,
// whatever died meanwhile. Governed by docs/design/0004-shepherd.md and 0009-mom.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/effect.hpp"
#include "events/model/hook/ran_hooks.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/allocation_change.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/values/program_key.hpp"
#include "events/values/tolerance.hpp"

namespace annals::model {

enum class run_phase : std::uint8_t {
  none,
  received,  // the order is known; the run waits for files to be staged in, and for sisters to join
  starting,  // the program may have been started
  started,
  ended,    // the program is gone; its output is not in its place yet
  placed,   // output delivered or kept in undelivered/
  refused,  // never started
  left,     // the server knows everything; the run's files are gone
};
constexpr int run_phase_count = 8;

// Something the server asks of a run that goes on.
struct told_request {
  std::uint64_t id = 0;
  schema::RunRequest::Which what = schema::RunRequest::SIGNAL;
  std::string text;  // the signal's name, or the message
  bool to_errors = false, to_output = false;
  std::optional<allocation_change> release = {};
  std::vector<shown_value> changes = {};  // qalter
  bool operator==(const told_request&) const = default;
};

// Another host of the run, as its primary sees it.
enum class sister_phase : std::uint8_t {
  asked,  // to join
  joined,
  failed,  // did not join, or was lost; part of the job may be there
  left,    // nothing of the job is there, or the host was abandoned
};
struct sister_state {
  sister_phase phase = sister_phase::asked;
  std::string host;
  std::string address;  // of its MoM, as the order says
  std::uint16_t port = 0;
  std::uint32_t node = 0;  // number of the host in the run: the primary is 0
  host_usage usage;        // what it used, as it told last; all of it when it has left
  bool abandoned = false;
  bool ready = false;                 // its execjob_prologue hooks have let the job pass
  std::int64_t away_since_ns = 0;     // no link to it since then; 0: there is one, or it is not missed yet
  bool silent = false;                // away for so long that its tasks were given up; the host was not: it may come back
  std::int64_t dropped_since_ns = 0;  // the run goes on without it since then, and it is asked to leave
  bool stays_failed = false;          // it had failed when hosts were let go, and was not: who asked for that knows of it
  bool dropped() const { return dropped_since_ns != 0; }
  bool own() const { return node == 0; }  // the primary itself, for tasks beside its program
};

using values::tolerance;

// Times that a run of this host counts.
enum class run_timer : std::uint8_t {
  join_alarm,      // $sister_join_job_alarm: for sisters to join
  launch_delay,    // $job_launch_delay: for execjob_prologue hooks of sisters
  sister_silence,  // how long one may be out of reach
  task_silence,    // how long the tasks of one may be, that the job waits for whatever it takes
  leave_wait,      // how long one that is within reach may take to get rid of the job
  term_delay,      // between SIGTERM and the second one
  kill_delay,      // between SIGTERM and SIGKILL
};
// What this host is told to wait; what is not here is in limits.hpp.
struct run_waits {
  std::int64_t join_alarm_s = 30;  // $sister_join_job_alarm
  std::int64_t silence_s = 120;    // of a sister while the program runs: its MoM may be restarted in peace
  std::int64_t launch_delay_s = 30;
};

// A program of the run beside its own, on one of its hosts, as its primary sees it.
struct run_task {
  std::string host;
  std::uint32_t node = 0;                      // PBS_NODENUM
  std::vector<std::string> argv, environment;  // until its host has it
  bool started = false, over = false;          // over without started: it could not be started
  std::int32_t exit_status = 0;
  std::string text;   // why not
  bool lost() const;  // over with its host: nobody knows how it has ended, or whether it has
};

// Files that come before the program is started (pbs guide: stagein).
enum class stage_in_phase : std::uint8_t { not_wanted,
                                           wanted,
                                           done,
                                           failed };

struct run_state {
  run_phase phase = run_phase::none;
  stage_in_phase stage_in = stage_in_phase::not_wanted;
  std::uint64_t stream = 0, version = 0;
  std::uint64_t job_serial = 0;
  std::uint32_t run = 0;
  std::string job;                        // "12.borg"
  tolerance tolerates = tolerance::none;  // as the order says: a later qalter counts from the next run on (RS-08)
  schema::sealed<schema::ToMom> order;    // startRun; empty when the server wanted it killed before it came
  allocation allocated;                   // what it has: made from the order; for whoever asks what and where
  allocation numbered;                    // what it had when its program was started: lines of that node file number TM's nodes (0022)
  std::uint32_t reductions = 0;           // so often it was told to go on with less
  std::uint32_t pruned = 0;               // so often of those before its program was started
  std::uint32_t alterations = 0;          // so often its job was altered
  std::vector<shown_value> changes;       // what the job shows since then, where it is not what the order says
  std::int64_t pid = 0, session = 0;
  std::string jobdir;
  std::int64_t started_s = 0;
  usage_set usage;                  // of this host as measured, when the program has ended
  usage_set hook_usage;             // what hooks of this host have set, in place of what is measured
  bool closing_hooks_used = false;  // the last of them, of execjob_epilogue or execjob_end, has set some
  std::int32_t exit_status = 0;
  std::string text;                        // of a refusal
  bool placed = false, delivered = false;  // tried; and every file is where it belongs
  std::string delivery_text;

  std::uint64_t kill_id = 0;          // the strongest request of the server so far
  std::string kill_signal;            // empty: nobody wants it killed
  std::int32_t kill_exit_status = 0;  // of a run whose start the server has stopped
  std::uint32_t kill_delay_s = 0, resend_term_s = 0;
  std::int64_t kill_sent_ns = 0;  // when its processes were signalled for this request; 0: not yet
  bool term_delay_over = false;   // and they are still there
  bool kill_delay_over = false;   // the same
  std::string kill_why;           // "walltime 10 exceeded limit 3"; empty when the server asked for it
  std::optional<std::int32_t> exit_override;
  std::vector<told_request> requests;  // not carried out yet, in the order they came
  bool suspended = false;
  std::int64_t suspended_at_s = 0, suspended_s = 0;   // since when; how long it was before that
  std::uint64_t last_request = 0, requests_done = 0;  // ids: the newest that came, the newest that is carried out
  std::vector<std::uint64_t> checkpoints;             // ids of those that asked for one
  bool checkpointed = false;                          // it goes on from there in another run
  bool discarded = false;                             // the server no longer knows it: nothing is reported

  // Sisters are waited for since then: the order, its files, hooks or a fresh ticket came.
  std::int64_t join_since_ns = 0;
  std::int64_t launch_since_ns = 0;                    // hosts run execjob_prologue since then; 0: they are not asked to yet
  std::int64_t over_since_ns = 0;                      // the program ended, or will not start
  bool ticket_lapsed = false;                          // sisters are asked when a fresh one comes
  schema::sealed<schema::SignedTicket> fresh_ticket;   // that came after the order; empty: the order's own counts
  std::vector<sister_state> sisters;                   // in the order of their node numbers; none for a run on one host
  std::map<std::uint32_t, run_task> tasks;             // by number, from 2: the run's own program is task 1
  std::set<std::uint32_t> untold_tasks;                // of those: no host has told of them yet
  std::vector<schema::sealed<schema::RunStep>> steps;  // what happened between the hosts, for the server's log
  bool tells_why_killed = false;                       // one of them says that the kernel killed processes of it: the first is told
  ran_hooks hooks;                                     // of this host, before the program

  values::run_key key() const { return {job, run}; }
  bool active() const { return phase == run_phase::starting || phase == run_phase::started; }
  bool over() const { return phase == run_phase::ended || phase == run_phase::refused; }
  bool is_checkpointing() const { return !requests.empty() && requests.front().what == schema::RunRequest::CHECKPOINT; }
  // Before its program the server has asked for its end.
  bool start_is_unwanted() const { return phase == run_phase::starting && (kill_id > 0 || discarded); }
  bool bears_failures() const;  // of its other hosts, now
  schema::SignedTicket::Reader ticket() const { return fresh_ticket ? fresh_ticket.get() : order.get().getStartRun().getTicket(); }
  bool all_left() const;  // the run is on no other host any more
  const sister_state* sister(std::string_view host) const;
  std::vector<std::string> abandoned_hosts() const;
  // The primary first, which is this host, with what was measured of it. A host that was let go and has used nothing is left out.
  // last: what a sister has told, if that is more than stands in the log. job_total() makes what the job shows of it.
  using last_usage = std::function<const host_usage&(const sister_state&)>;
  std::vector<host_usage> usage_by_host(host_usage own, const attributes::resource_catalogue& resources, const last_usage& last = {}) const;
};

// -- commands ------------------------------------------------------------------------------------------------------------

struct take_order {
  schema::sealed<schema::ToMom> message;
};
struct program_began {
  ports::program_started what;
};
struct program_failed {
  ports::start_failed what;
};
struct program_over {
  ports::program_ended what;
  ports::time_factors factors = {};  // of its host
};
struct files_staged {
  ports::delivery_result what;
};
struct output_placed {
  ports::delivery_result what;
};
struct kill_order {
  schema::sealed<schema::ToMom> message;
};  // signalRun
struct limit_met {
  std::int32_t exit_status;
  std::string why;
  std::uint32_t kill_delay_s;
};
struct tell_order {
  schema::sealed<schema::ToMom> message;
};  // tellRun
struct request_carried_out {
  std::uint64_t id;
  bool checkpointed = false;
};
struct discard_order {
  schema::sealed<schema::ToMom> message;
};  // discardRun
struct acknowledged {
  schema::Ack::What what;
};
struct sister_joined {
  std::string host;
};
struct sister_refused {
  std::string host;
  std::int32_t code;
  std::string text;
};
// Of hosts that have joined: they are not there before the program, which was handed to nobody yet.
struct sisters_absent {
  std::vector<std::string> hosts;
  std::string why;
};
// The server wants it killed, and its program was handed to nobody yet.
struct start_stopped {};
// Nobody is asked to join any more. `prologues`: this host, as every other, has hooks of execjob_prologue.
struct joins_over {
  bool prologues;
};
struct prologue_over {
  std::string host;
  std::int32_t code;
  std::string text;
};  // of a sister; code 0: its hooks let the job pass
struct sister_left {
  host_usage usage;
};  // usage.host: which
struct sister_away {
  std::string host;
  std::int64_t since_ns;
};  // there is no link to it
struct sister_back {
  std::string host;
  std::int64_t since_ns;
};
struct ticket_lapsed {};  // seen before a host could be asked
struct kill_sent {
  std::uint64_t id;
  std::string signal;
};
// Something the state waited for has not come in time. `last_known`: what the host has used, if it is about one.
struct wake {
  run_timer what;
  std::string host;
  std::int64_t since_ns;
  std::int64_t at_ns;
};
struct timer_fired {
  wake timer;
  host_usage last_known;
};
struct sisters_used {
  std::vector<host_usage> hosts;
};  // so far, by those that have told it
struct ask_task {
  std::string host, own_host;
  std::uint32_t node;
  std::vector<std::string> argv, environment;
};
struct task_told {
  enum class state { running,
                     ended,
                     not_started };
  std::uint32_t task;
  std::string host;  // who tells
  state what;
  std::int32_t exit_status;
  std::string text;
};
// Hooks of one event ran before the program (pbs guide: execjob_begin, _prologue, _launch). refused: it is not to start.
// reduced: what they want it to go on with (job.release_nodes()).
struct hooks_done {
  std::vector<schema::sealed<schema::HookRun>> runs;
  std::optional<ports::start_failed> refused;
  std::optional<allocation_change> reduced = {};
  std::vector<usage_change> used = {};
};
// Other hooks of this host set resources_used. closing: they were the last ones.
struct hooks_used {
  std::vector<usage_change> changes;
  bool closing = false;
};
using run_command = std::variant<take_order, files_staged, program_began, program_failed, program_over, output_placed, kill_order,
                                 limit_met, tell_order, request_carried_out, discard_order, acknowledged, sister_joined, sister_refused,
                                 sister_left, sister_away, sister_back, ticket_lapsed, kill_sent, timer_fired, sisters_used, ask_task,
                                 task_told, hooks_done, hooks_used, joins_over, prologue_over, start_stopped, sisters_absent>;

outcome decide(const run_state& run, const run_command& command, const stamp& now, const settings& settings);
void apply(run_state& run, const event_place& at, schema::RunEvent::Reader event);
inline void apply(run_state& run, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isRun(), "an event of another kind in a run's stream");
  apply(run, at, event.getRun());
}

// -- what is owed ----------------------------------------------------------------------------------------------------------

struct stage_files_in {};  // a repeat ends an earlier one that still goes on
struct unstage_files {};   // the run will not start
struct discard_again {};   // those files are on their way out: a run that is given up may go
struct note_discarded {};  // a line in this host's log
struct fetch_script {};    // the server sends it
struct start_program {};   // idempotent per key: the shepherd's exclusive file
struct watch_program {};   // after a restart: find it again. Whoever has started it watches it: one effect
struct kill_program {
  std::uint64_t id;
  std::string signal;
  std::string why;
};  // until hooks allow it and the signal is sent
struct term_again {
  std::uint64_t id;
};  // at once: no hook is asked a second time
struct kill_harder {
  std::uint64_t id;
};                         // at once: the delay is over
struct kill_discarded {};  // at once: no hook is asked, whatever one has refused before
struct kill_on {
  std::string host;
  std::uint64_t id;
  std::string signal;
};  // a sister kills what it has of the run
struct carry_out {
  told_request request;
};
struct place_output {};
struct report_started {};
struct report_refused {};
struct report_exited {};
struct report_left {};
struct report_requests {
  std::uint64_t done;
};  // every request up to this one
struct write_node_file {
  std::uint32_t number;
};                   // anew, since the run was reduced so often
struct clean_up {};  // remove the run's files
struct report_steps {
  std::uint64_t count;
};                      // what happened between the hosts: so many so far
struct want_ticket {};  // a fresh one, of the server
struct ask_sister {
  std::string host;
};  // to join, until it has answered
struct update_sister {
  std::string host;
  std::uint32_t number;
};                       // told what the run has since it was reduced so often
struct begin_launch {};  // nobody is asked to join any more
struct run_prologue {};  // execjob_prologue hooks of this host, beside those of the sisters
struct ask_prologue {
  std::string host;
};  // to run its own, until it has answered
struct keep_sister {
  std::string host;
};  // the link to it is watched
struct release_sister {
  std::string host;
};  // asked to leave, until it has
struct spawn_task_on {
  std::uint32_t task;
};  // its host is asked, until it has answered
// wake (above): at its time it becomes the command timer_fired.
using run_effect =
    std::variant<stage_files_in, unstage_files, discard_again, note_discarded, fetch_script, start_program, watch_program, kill_program,
                 term_again, kill_harder, kill_discarded, kill_on, place_output, report_started, report_refused, report_exited, report_left,
                 carry_out, report_requests, clean_up, report_steps, want_ticket, ask_sister, keep_sister, release_sister, spawn_task_on,
                 wake, begin_launch, run_prologue, ask_prologue, update_sister, write_node_file>;
std::vector<run_effect> pending_effects(const run_state& run, const run_waits& waits);
effect_id id_of(const run_effect& effect);
bool script_comes_later(schema::StartRun::Reader order);                // it is too large to come with the order
std::string sister_of(const run_state& run, const run_effect& effect);  // the sister it is done on; empty: none
bool is_report(const run_effect& effect);                               // told to the server
std::optional<effect_id> answered_by(schema::Ack::What what);           // the report that the server's word acknowledges

std::string start_error(schema::SisterStep::Reader failure);  // what PBS says of a host that failed before the program started

// What counts of a measured usage: wall time in which the run was suspended does not (pbs guide: walltime), and the rest as its host
// counts time.
ports::run_usage counted(const run_state& run, ports::run_usage measured, std::int64_t now_s, const ports::time_factors& factors);

// -- limits ----------------------------------------------------------------------------------------------------------------

// A limit of the job's Resource_List that this usage exceeds (pbs guide: limits). `enforce_mem`: $enforce mem is set.
std::optional<limit_met> exceeded_limit(schema::StartRun::Reader order, const usage_set& usage, bool enforce_mem);

// Whether the server is to hear what a run uses now. `told`: what it heard last, so many seconds ago; `interval_s`: how often it
// wants to hear at most. Every report becomes an event, so an older run is told of less often (limits.hpp).
bool worth_reporting(const usage_set& now, const usage_set& told, std::int64_t since_told_s, std::int64_t interval_s);

struct run_transition {
  run_phase from;
  schema::RunEvent::Which event;
  run_phase to;
};
std::span<const run_transition> run_transitions();
bool may_happen(run_phase from, schema::RunEvent::Which event);

}  // namespace annals::model
