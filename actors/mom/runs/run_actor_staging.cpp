// Files of a run: what comes before its program is started, and where it all goes when it has ended.
// docs/design/0025-staging.md.
#include "actors/mom/host/stage_order.hpp"
#include "actors/mom/runs/run_actor.hpp"

namespace annals::actors {

void run_actor::stage_in() {
  parts_.note(log_event::debug, state().job, "copy file request received");
  auto order = mom::stage_in_for(this->order(), *parts_.settings);
  // The server refuses such a list; a hook or another server may have made it.
  if (order.files.empty()) return command(model::files_staged{{false, "stagein names no files\n", 0, 1}});
  parts_.processes->stage_in(key_, order);
}

void run_actor::unstage() { parts_.processes->unstage(key_, mom::stage_in_for(order(), *parts_.settings)); }

void run_actor::place() {
  const auto what = mom::delivery_for(order(), *parts_.settings, state().exit_status, state().exit_override == -11);
  if (!what.files.empty() || !what.out.empty()) parts_.note(log_event::debug, state().job, "copy file request received");
  if (what.files.empty() && what.out.empty() && what.used.empty()) return command(model::output_placed{{}});
  parts_.processes->deliver(key_, what);
}

void run_actor::clean_up() {
  parts_.note(log_event::debug, state().job, "delete job request received");
  if (state().order && !state().discarded && state().placed && !state().delivered) parts_.processes->keep_jobdir(key_);
  drop_checkpoint();
  parts_.processes->forget(key_);
  send(mom_, run_gone{key_, state().job_serial, state().run});
  quit();
}

}  // namespace annals::actors
