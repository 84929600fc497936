// Where a job's run, or another host's part of it, waits for hooks of this host, and what it and the MoM's actor say to each
// other there. Nothing is said when no hook runs at the point: has_hooks is asked first.
#pragma once

#include <caf/actor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/runtime/message_type.hpp"
#include "events/model/hook/ran_hooks.hpp"
#include "events/model/part/part.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/allocation_change.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/schema/message.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

enum class hook_point : std::uint8_t {
  begin,      // execjob_begin: the host hears of the job
  prologue,   // execjob_prologue: before the program
  launch,     // execjob_launch: before the program and before each task
  attach,     // execjob_attach: a session that is there becomes a task of the job
  preterm,    // execjob_preterm: before a kill
  suspended,  // execjob_postsuspend
  resuming,   // execjob_preresume
  resized,    // execjob_resize: some of this host's vnodes were released
  ended,      // execjob_epilogue, execjob_end
  aborted,    // execjob_abort, execjob_end: the job's program never started
};
constexpr std::size_t hook_point_count = 10;

// What every actor of the host may look at: which hooks there are.
struct hook_bits {
  std::atomic<std::uint32_t> events{0};  // bits (hooks-runtime/catalog) of events at which some hook runs
  std::atomic<bool> catching_up{false};  // hooks are on their way
  // Sums of `alarm` of the enabled hooks of execjob_begin, of execjob_prologue.
  std::atomic<std::uint32_t> begin_alarms_s{0}, prologue_alarms_s{0};
  // The site's, as the server said last; none yet: empty.
  std::atomic<std::shared_ptr<const attributes::resource_catalogue>> resources{};
};
// Names of the hook events of a point, in the order in which they come.
const std::vector<const char*>& events_at(hook_point point);
// Whether a run that comes to this point has to wait for anything.
bool has_hooks(const hook_bits* bits, hook_point point);
// Whether some run at execjob_epilogue, which is one of the two events of hook_point::ended.
bool has_epilogue_hooks(const hook_bits* bits);
// Whether somebody wants to know of this host's jobs by the clock.
bool has_periodic_hooks(const hook_bits* bits);

// A job as this host was told of it: by the server, for the primary, or by the primary.
struct hooked_job {
  schema::sealed<schema::ToMom> started;                // startRun
  schema::sealed<schema::ToSister> joined;              // join, or the last update
  model::allocation allocated;                          // what it has now
  std::vector<schema::sealed<schema::HookRun>> before;  // hooks of this host that ran for it: what they changed is seen
  bool primary = true;                                  // this is the job's first host
  std::vector<std::string> failed{};                    // hosts that did not join or were lost, as the primary knows them
  std::vector<std::string> succeeded{};                 // hosts that have joined
  std::int64_t session = 0;                             // of its program; 0: it was not started yet, or runs elsewhere
  std::string jobdir{};                                 // the directory of its program; empty: none yet
  model::usage_set used{};                              // what hooks of this host have set of resources_used
  schema::StartRun::Reader order() const { return started ? started.get().getStartRun() : model::order_in(joined.get()); }
};

struct at_hook_point {
  caf::actor who;  // is answered with hook_point_passed
  std::uint64_t question = 0;
  hook_point point = hook_point::begin;
  hooked_job job;
  ports::run_order program{};                 // launch: what would be started
  std::int64_t pid = 0;                       // attach
  std::optional<std::int32_t> exit_status{};  // ended, on the primary
  model::usage_set usage{};                   // ended
};
struct hook_point_passed {
  std::uint64_t question = 0;
  std::vector<schema::sealed<schema::HookRun>> runs;  // of hooks that ran now
  bool refused = false;                               // not to be started, killed, resumed; never at ended and aborted
  std::uint32_t error = 0;                            // refused: 15169 or 15136 (pbs guide: error numbers)
  bool reruns = false, deletes = false;               // job.rerun(), job.delete(); also of hooks that accept
  std::string text;                                   // refused: the hook's words
  std::string hook;                                   // stops_start: which one
  ports::run_order program;                           // launch: as hooks left it
  std::optional<model::allocation_change> reduced;    // what hooks let go; not if the start stops
  bool reduced_by_select = false;                     // each time they said what is to stay
  std::vector<model::usage_change> used;              // what they have set of resources_used, in their order

  bool stops_start() const { return refused || reruns || deletes; }
  std::string words() const;        // of the hook that stops the start, with its name
  ports::start_failed why() const;  // -16 to -19 (pbs guide: MoM exit codes)
};

// A job that runs here, told once a second while has_periodic_hooks.
struct job_at_work {
  caf::actor who;  // is told what hooks set of resources_used
  values::run_key key;
  hooked_job job;
  model::usage_set usage;
};

struct hook_usage_set {
  std::vector<model::usage_change> changes;
};
// Of a part beside the program: what hooks set on a host has one place, and on the first host that is the run.
struct hook_usage_of_run {
  values::run_key key;
  hook_usage_set set;
};

}  // namespace annals::actors

#define ANNALS_HOOK_POINT_MESSAGES(MESSAGE)  \
  MESSAGE(annals::actors::at_hook_point)     \
  MESSAGE(annals::actors::hook_point_passed) \
  MESSAGE(annals::actors::job_at_work)       \
  MESSAGE(annals::actors::hook_usage_set)    \
  MESSAGE(annals::actors::hook_usage_of_run)
ANNALS_HOOK_POINT_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
