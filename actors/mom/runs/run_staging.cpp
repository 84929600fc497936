#include "actors/mom/runs/run_staging.hpp"

#include <algorithm>

#include "actors/mom/host/stage_order.hpp"

namespace annals::actors {

void run_staging::stage_in() const {
  run_.note(log_event::debug, "copy file request received");
  auto order = mom::stage_in_for(run_.order(), *run_.parts.settings);
  // The server refuses such a list; a hook or another server may have made it.
  if (order.files.empty()) return run_.command(model::files_staged{{false, "stagein names no files\n", 0, 1}});
  run_.parts.processes->stage_in(run_.key, order);
}

void run_staging::unstage() const { run_.parts.processes->unstage(run_.key, mom::stage_in_for(run_.order(), *run_.parts.settings)); }

void run_staging::place() const {
  const auto what = mom::delivery_for(run_.order(), *run_.parts.settings, state().exit_status, state().exit_override == -11);
  if (!what.files.empty() || !what.out.empty()) run_.note(log_event::debug, "copy file request received");
  if (what.files.empty() && what.out.empty() && what.used.empty()) return run_.command(model::output_placed{{}});
  run_.parts.processes->deliver(run_.key, what);
}

void run_staging::write_node_file() const {
  run_.parts.places->update(mom::place_for(run_.order(), state().allocated, *run_.parts.settings), state().reductions);
}

bool run_staging::node_file_is_new() const { return state().reductions == state().pruned || node_file_ >= state().reductions; }

// What the run has had stays in its state: its other hosts have left it already.
void run_staging::on_other_hosts_released() const {
  if (state().phase != model::run_phase::ended && state().phase != model::run_phase::placed) return;
  auto left = state().allocated;
  if (left.hosts().size() < 2) return;
  const std::vector<std::string> others(left.hosts().begin() + 1, left.hosts().end());
  if (!left.release(left.on(others))) return;
  run_.parts.places->update(mom::place_for(run_.order(), left, *run_.parts.settings), state().reductions);
}

void run_staging::on_node_file(const node_file_written& w) {
  if (!w.error.empty()) run_.note(log_event::error, "the node file could not be written: " + w.error);
  node_file_ = std::max(node_file_, w.number);
  run_.reconcile();
}

}  // namespace annals::actors
