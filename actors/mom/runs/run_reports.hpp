// Reports of a run to the server, each told until it is acknowledged. The effects of the run say which are owed, and when they are told
// again (model::pending_effects, model::is_report).
#pragma once

#include <cstddef>
#include <cstdint>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/usage_collector.hpp"

namespace annals::actors {

class run_reports {
 public:
  run_reports(const run_context& run, const job_hooks& hooks, usage_collector& usage) : run_(run), hooks_(hooks), usage_(usage) {}
  /// The run was found in the log: an earlier life has noted its steps in the daemon's log.
  void revive() { steps_noted_ = state().steps.size(); }

  void steps();
  void started(bool can_checkpoint) const;
  void refused() const;
  void exited();
  void left() const;
  void requests_done(std::uint64_t up_to) const;
  void want_ticket() const;

  /// The server has so many steps. Returns whether these are all.
  bool take(std::uint32_t steps);
  /// A new connection: steps that are not taken are told from the first.
  void tell_steps_again() { steps_told_ = 0; }
  /// The server has not all of them. Of a run that is over it takes no more steps: they come first.
  bool steps_are_out() const;

 private:
  const model::run_state& state() const { return run_.state; }
  template <class List>
  void fill_abandoned(List&& list) const {
    const auto hosts = state().abandoned_hosts();
    for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
  }

  const run_context& run_;
  const job_hooks& hooks_;
  usage_collector& usage_;
  std::size_t steps_noted_ = 0, steps_told_ = 0;
  std::uint32_t steps_taken_ = 0;  // the server has so many of state().steps
};

}  // namespace annals::actors
