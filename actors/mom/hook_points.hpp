// Where a run waits for hooks, and what it and the MoM's actor say to each other there. Nothing is said when no hook runs at
// the point: the run looks at `hook_events` first.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "events/ports/process_host.hpp"
#include "events/schema/daemon.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// start: execjob_begin, execjob_prologue, execjob_launch; preterm: before a kill; ended: execjob_epilogue, execjob_end.
enum class hook_point : std::uint8_t { start, preterm, ended };

// Bits of the events (hooks-runtime/catalog) at which some hook of this host runs; catching_up while hooks are on their way.
struct hook_bits {
  std::atomic<std::uint32_t> events{0};
  std::atomic<bool> catching_up{false};
};
// Whether a run that comes to this point has to wait for anything.
bool has_hooks(const hook_bits* bits, hook_point point);

struct at_hook_point {
  std::string key;                               // of the run
  hook_point point = hook_point::start;
  schema::sealed<schema::ToMom> order;           // its startRun
  ports::run_order program;                      // start: what would be started
  std::int32_t exit_status = 0;                  // ended
  ports::run_usage usage;                        // ended
};
struct hook_point_passed {
  hook_point point = hook_point::start;
  bool refused = false;                          // not to be started; not to be killed
  ports::start_failed why;                       // start: -16 to -19 (pbs guide: MoM exit codes)
  ports::run_order program;                      // start: as hooks left it
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::at_hook_point)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::hook_point_passed)
