// A host's part of a run: what its MoM does for a job whose program runs elsewhere, or for tasks beside the program. From
// the primary's request to join until nothing of the job is left here, in the MoM's own log.
//
// Promises: JobJoined is on disk before anything is made on the host, TaskStarting before a task is started; only the
// primary of the ticket, or the server, tells a part what to do; an ended task is told until the primary has it.
// Governed by docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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
#include "events/model/vnodes/allocation.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/sister.capnp.h"
#include "events/values/program_key.hpp"

namespace annals::model {

enum class part_phase : std::uint8_t {
  none,
  joining,  // known; its files and directories are being made
  ready,    // tasks may be started
  leaving,  // tasks are killed, then files and directories removed
  left,     // nothing of the job is here
};
constexpr int part_phase_count = 5;

enum class task_phase : std::uint8_t { starting,
                                       started,
                                       ended };

struct task_state {
  task_phase phase = task_phase::starting;
  std::vector<std::string> argv, environment;  // until it has ended
  std::uint32_t node = 0;                      // PBS_NODENUM
  std::int64_t pid = 0, session = 0;
  std::int32_t exit_status = 0;
  std::string text;  // why it did not start; or why the kernel killed processes of it
  bool was_started = false;
  usage_set usage;  // of an ended one
};

// What a primary says to its sisters when the program did not start: their hooks hear of execjob_abort, not of _epilogue.
inline constexpr std::string_view start_failed_elsewhere = "the job did not start";

// Of a join, or of an update.
inline schema::StartRun::Reader order_in(schema::ToSister::Reader told) {
  return told.isUpdate() ? told.getUpdate().getOrder() : told.getJoin().getOrder();
}

// And to one that the run goes on without: hosts that stay may share directories with it.
inline constexpr std::string_view goes_on_without_host = "the run goes on without this host";

// Of hundreds of hosts; mostly the same three times.
using allocation_ptr = std::shared_ptr<const allocation>;
inline const allocation_ptr none_allocated = std::make_shared<const allocation>();

struct part_state {
  part_phase phase = part_phase::none;
  std::uint64_t stream = 0, version = 0;
  std::uint64_t job_serial = 0;
  std::uint32_t run = 0;
  std::string job;                            // "12.borg"
  std::string primary;                        // host name
  schema::sealed<schema::ToSister> request;   // join
  schema::sealed<schema::ToSister> update;    // the last one, of a run that was made smaller, with all attributes; empty: none
  std::uint32_t reductions = 0;               // so often it was
  allocation_ptr allocated = none_allocated;  // what the run has on all its hosts: made from the order
  allocation_ptr confined = none_allocated;   // what confines its processes here is made for what the run had then
  std::uint32_t to_resize = 0, resized = 0;   // the last reduction that took some of this host's vnodes; the last that hooks heard of
  allocation_ptr numbered = none_allocated;   // as it was when the program was started: numbers TM's nodes, as on the primary
  std::map<std::uint32_t, task_state> tasks;  // by number
  std::set<std::uint32_t> active;             // of those: that may have processes
  usage_set ended_usage;                      // of the others (add_ended_task)
  std::int32_t refusal_code = 0;
  std::string refusal;              // why this host could not join; empty: it could
  std::string leave_why;            // as the primary said it
  ran_hooks hooks;                  // of this host, before the job was set up and before its first task
  usage_set hook_usage;             // what hooks of this host have set, in place of what is measured
  bool closing_hooks_used = false;  // the last of them, of execjob_epilogue or execjob_end, has set some

  values::run_key key() const { return {job, run}; }
  values::task_key task_key(std::uint32_t task) const { return {key(), task}; }
  const schema::sealed<schema::ToSister>& told() const { return update ? update : request; }
  schema::StartRun::Reader order() const { return order_in(told().get()); }
  std::uint32_t node() const { return request.get().getJoin().getNode(); }
  // Other hosts have the job when this one is rid of it: it did not join, or was let go.
  bool leaves_alone() const { return !refusal.empty() || leave_why == goes_on_without_host; }
  bool aborted() const { return leave_why == start_failed_elsewhere; }  // the job's program never started
};

// -- commands ------------------------------------------------------------------------------------------------------------

struct join_asked {
  schema::sealed<schema::ToSister> message;
  std::string primary;
};  // the ticket was checked
struct set_up_done {
  std::int32_t code = 0;
  std::string text;
};  // code 0: everything is there
struct update_asked {
  schema::sealed<schema::ToSister> message;
  std::string host;  // this one
};
// Hooks of execjob_resize heard of this reduction; accepted: there were some, and none of them refused.
struct part_resized {
  std::uint32_t number;
  bool accepted;
};
struct spawn_asked {
  schema::sealed<schema::ToSister> message;
};
struct task_began {
  std::uint32_t task;
  ports::program_started what;
};
struct task_failed {
  std::uint32_t task;
  ports::start_failed what;
};
struct task_over {
  std::uint32_t task;
  ports::program_ended what;
};
struct leave_order {
  std::string why;
};
// Hooks of execjob_begin or execjob_prologue accepted.
struct part_hooks_done {
  std::vector<schema::sealed<schema::HookRun>> runs;
  std::vector<usage_change> used = {};
};
// Other hooks of this host set resources_used. closing: they were the last ones.
struct part_hooks_used {
  std::vector<usage_change> changes;
  bool closing = false;
};
struct torn_down {};
using part_command = std::variant<join_asked, set_up_done, spawn_asked, task_began, task_failed, task_over, leave_order, torn_down,
                                  part_hooks_done, part_hooks_used, update_asked, part_resized>;

outcome decide(const part_state& part, const part_command& command, const stamp& now, const settings& settings);
void apply(part_state& part, const event_place& at, schema::PartEvent::Reader event);
inline void apply(part_state& part, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isPart(), "an event of another kind in a part's stream");
  apply(part, at, event.getPart());
}

// -- what is owed ----------------------------------------------------------------------------------------------------------

struct set_up_part {};
struct say_joined {};
struct say_known {};  // to the server, which may have given the run up
struct say_refused {};
struct start_task {
  std::uint32_t task;
};  // idempotent per key: the shepherd's exclusive file
struct watch_task {
  std::uint32_t task;
};  // after a restart: find it again. Whoever has started it watches it: one effect
struct say_task {
  std::uint32_t task;
};                          // running
struct say_ended_tasks {};  // ended or not started: each until the primary has it, which its actor counts
struct say_task_end {
  std::uint32_t task;
};  // one of those
struct kill_task {
  std::uint32_t task;
};
struct say_prologue_over {};  // its actor knows whether the primary asks
struct say_updated {
  std::uint32_t number;
};
struct resize_part {
  std::uint32_t number;
};  // hooks of execjob_resize hear of it, and the cgroup follows if they want it
struct tear_down_part {};
struct say_left {};
using part_effect = std::variant<set_up_part, say_joined, say_known, say_refused, start_task, watch_task, say_task, say_ended_tasks,
                                 say_task_end, kill_task, tear_down_part, say_left, say_prologue_over, say_updated, resize_part>;
std::vector<part_effect> pending_effects(const part_state& part);
effect_id id_of(const part_effect& effect);

struct part_transition {
  part_phase from;
  schema::PartEvent::Which event;
  part_phase to;
};
std::span<const part_transition> part_transitions();
bool may_happen(part_phase from, schema::PartEvent::Which event);

}  // namespace annals::model
