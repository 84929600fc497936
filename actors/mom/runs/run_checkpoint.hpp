// A run that is checkpointed by the site's script and ends, and one that goes on from its checkpoint. The script is a program with a run
// file of its own: a MoM that is killed meanwhile finds it, or how it ended. docs/design/0053-checkpoint.md.
#pragma once

#include <caf/message_handler.hpp>

#include <cstdint>

#include "actors/mom/runs/run_context.hpp"

namespace annals::actors {

class run_checkpoint {
 public:
  explicit run_checkpoint(const run_context& run) : run_(run) {}
  caf::message_handler handlers();

  /// Whether a request for one could succeed now: the server is told.
  bool is_possible() const;
  /// Starts the script for this request, or takes note that an earlier life has. If it can't be started, or fails, the request is over and
  /// the log of the daemon says why.
  void begin(std::uint64_t request);
  /// Makes the program one that goes on from the checkpoint that its order names. Returns false if there is no way to: the start has
  /// failed.
  bool put_restart(ports::run_order& program) const;
  /// The run is gone: removes the files that nobody needs any more.
  void drop() const;

 private:
  const model::run_state& state() const { return run_.state; }

  const run_context& run_;
};

}  // namespace annals::actors
