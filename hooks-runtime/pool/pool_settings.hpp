// How a pool of hook workers works, and what it counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hooks-runtime/protocol/hook_limits.hpp"

namespace annals::hooks {

struct pool_settings {
  std::string worker_program;  // PBS_EXEC/libexec/pbs_hook_worker
  bool on_mom = false;
  std::string local_node;                                     // pbs.get_local_nodename()
  std::vector<std::pair<std::string, std::string>> pbs_conf;  // pbs.pbs_conf
  std::vector<std::string> hidden;                            // directories that hooks of the server may not see: PBS_HOME
  // Where the daemon's sockets are, below what is hidden: hooks that may use the network reach them, as commands of PBS do. PBS_HOME/run;
  // empty: nowhere.
  std::string sockets;
  // Where hooks with debug = True leave files: PBS_HOME/server_priv/hooks/tmp; empty: nowhere.
  std::string debug_directory;
  // Where workers have their scratch directories: PBS_HOME/server_priv/hooks/scratch; empty: they have none, as on hosts.
  std::string scratch;
  // Called once on the pool's thread, for its share of the processors; workers inherit it.
  std::function<void()> on_thread_start;
  unsigned workers_max = 0;                                                // that live; 0: as limits::hook_workers_max
  unsigned at_once_max = 0;                                                // that run; 0: as limits::hook_runs_at_once_max
  unsigned runs_max = 0;                                                   // 0: as limits::hook_worker_runs_max
  std::chrono::microseconds attendance_max = limits::hook_attendance_max;  // of a run whose caller attends it
  std::chrono::milliseconds rest_max = limits::hook_worker_rest_max;       // of a worker that may end
};

struct pool_figures {
  std::uint64_t runs = 0, started = 0, alarms = 0, deaths = 0, bad_replies = 0;
  unsigned workers = 0, waiting = 0;
};

}  // namespace annals::hooks
