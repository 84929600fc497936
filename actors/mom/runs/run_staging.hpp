// Files of a run: what comes before its program is started, its node file, and where it all goes when it has ended.
// docs/design/0025-staging.md.
#pragma once

#include <cstdint>

#include "actors/mom/runs/run_context.hpp"

namespace annals::actors {

class run_staging {
 public:
  explicit run_staging(const run_context& run) : run_(run) {}

  /// Each ends in a command to the run: files_staged, output_placed.
  void stage_in() const;
  void place() const;
  /// The run will not start: what came is removed.
  void unstage() const;
  /// Writes the node file of what the run has now; ends in node_file_written.
  void write_node_file() const;
  /// One that can't be written keeps nobody waiting.
  void on_node_file(const node_file_written& w);
  /// Whether the node file has what the run has, and no more.
  bool node_file_is_new() const;
  /// At stage-out (release_nodes_on_stageout): the run's other hosts are released.
  void on_other_hosts_released() const;

 private:
  const model::run_state& state() const { return run_.state; }

  const run_context& run_;
  std::uint32_t node_file_ = 0;  // it was written in this life when the run was reduced so often
};

}  // namespace annals::actors
