// One run of a job on the host of its MoM, in the MoM's own log: from the server's order to the last acknowledgement.
//
// Promises: ProgramStarting is on disk before the program is started; what the server was not told yet is told again,
// whatever died meanwhile. Governed by docs/design/0004-shepherd.md and 0009-mom.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/site.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/daemon.capnp.h"

namespace annals::model {

enum class run_phase : std::uint8_t {
  none,
  received,    // the order is known
  starting,    // the program may have been started
  started,
  ended,       // the program is gone; its output is not in its place yet
  placed,      // output delivered or kept in undelivered/
  refused,     // never started
  left,        // the server knows everything; the run's files are gone
};
constexpr int run_phase_count = 8;

// Something the server asks of a run that goes on.
struct told_wish {
  std::uint64_t id = 0;
  schema::Wish::Which what = schema::Wish::SIGNAL;
  std::string text;                        // the signal's name, or the message
  bool to_errors = false, to_output = false;
  bool operator==(const told_wish&) const = default;
};

struct run_state {
  run_phase phase = run_phase::none;
  std::uint64_t stream = 0, version = 0;
  std::uint64_t job_serial = 0;
  std::uint32_t run = 0;
  std::string job;                         // "12.borg"
  schema::sealed<schema::ToMom> order;     // startRun; empty when the server wanted it killed before it came
  std::int64_t pid = 0, session = 0;
  std::string jobdir;
  std::int64_t started_s = 0;
  ports::run_usage usage;
  std::int32_t exit_status = 0;
  std::string text;                        // of a refusal
  bool delivered = false;
  std::string delivery_text;

  std::uint64_t kill_id = 0;               // the strongest wish of the server so far
  std::string kill_signal;                 // empty: nobody wants it killed
  std::uint32_t kill_delay_s = 0;
  std::string kill_why;                    // "walltime 10 exceeded limit 3"; empty when the server wished it
  std::optional<std::int32_t> exit_override;
  std::vector<told_wish> wishes;           // not carried out yet, in the order they came
  bool suspended = false;
  std::int64_t suspended_at_s = 0, suspended_s = 0;   // since when; how long it was before that
  std::uint64_t last_wish = 0, wishes_done = 0;   // ids: the newest that came, the newest that is carried out
  bool discarded = false;                  // the server no longer knows it: nothing is reported

  std::string key() const { return job + "." + std::to_string(run); }
  bool active() const { return phase == run_phase::starting || phase == run_phase::started; }
};

// -- commands ------------------------------------------------------------------------------------------------------------

struct take_order { schema::sealed<schema::ToMom> message; };
struct program_began { ports::program_started what; };
struct program_failed { ports::start_failed what; };
struct program_over { ports::program_ended what; };
struct output_placed { ports::delivery_result what; };
struct kill_order { schema::sealed<schema::ToMom> message; };        // signalRun
struct limit_met { std::int32_t exit_status; std::string why; std::uint32_t kill_delay_s; };
struct tell_order { schema::sealed<schema::ToMom> message; };        // tellRun
struct wish_carried_out { std::uint64_t id; };
struct discard_order { schema::sealed<schema::ToMom> message; };     // discardRun
struct acknowledged { schema::Ack::What what; };
using run_command = std::variant<take_order, program_began, program_failed, program_over, output_placed,
                                 kill_order, limit_met, tell_order, wish_carried_out, discard_order, acknowledged>;

outcome decide(const run_state& run, const run_command& command, const stamp& now, const site& site);
void apply(run_state& run, const event_place& at, schema::Event::Reader event);

// -- what is owed ----------------------------------------------------------------------------------------------------------

struct start_program {};                   // idempotent per key: the shepherd's exclusive file
struct watch_program {};                   // after a restart: find it again
struct kill_program { std::string signal; std::uint32_t kill_delay_s; std::string why; };
struct carry_out { told_wish wish; };
struct place_output {};
struct report_started {};
struct report_refused {};
struct report_exited {};
struct report_left {};
struct report_wishes { std::uint64_t done; };   // every wish up to this one
struct clean_up {};                        // remove the run's files
using run_effect = std::variant<start_program, watch_program, kill_program, place_output, report_started,
                                report_refused, report_exited, report_left, carry_out, report_wishes, clean_up>;
std::vector<run_effect> pending_effects(const run_state& run);

// What counts of a measured usage: wall time in which the run was suspended does not (pbs guide: walltime).
ports::run_usage counted(const run_state& run, ports::run_usage measured, std::int64_t now_s);

// -- limits ----------------------------------------------------------------------------------------------------------------

// A limit of the job's Resource_List that this usage exceeds (pbs guide: limits). `enforce_mem`: $enforce mem is set.
std::optional<limit_met> exceeded_limit(schema::StartRun::Reader order, const ports::run_usage& usage, bool enforce_mem);

// Whether the server is to hear what a run uses now. `told`: what it heard last, so many seconds ago; `interval_s`: how often it
// wants to hear at most. Every report becomes an event, so an older run is told of less often (limits.hpp).
bool worth_reporting(const ports::run_usage& now, const ports::run_usage& told, std::int64_t since_told_s, std::int64_t interval_s);

struct run_transition { run_phase from; schema::Event::Which event; run_phase to; };
std::span<const run_transition> run_transitions();
bool may_happen(run_phase from, schema::Event::Which event);

}  // namespace annals::model
