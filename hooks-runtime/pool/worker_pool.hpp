// The pool of warm, sandboxed hook workers of one daemon (docs/design/0019-hook-workers.md). One thread of its own
// serves all workers; a run whose worker is idle is handed over by the caller's, and a caller who attends it takes the reply
// himself if it comes soon. No process is started before the first run, so that a daemon without hooks pays nothing.
//
// A worker belongs to one hook (code, configuration, user, sandbox) from its first run on, until it is replaced: after
// a crash, an alarm, a bad reply, runs_max runs, or when another hook needs its place. It ends when its hook is turned off, deleted or
// another one, and after a rest: on hosts each, in the server each but one of its hook. One unbound worker is kept ready, unless there
// is no hook.
//
// With CAF: give `done` a lambda that sends the reply to the actor (anon_send from any thread is allowed).
#pragma once

#include <memory>

#include "hooks-runtime/pool/hook_runner.hpp"
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

class worker_pool final : public hook_runner {
 public:
  explicit worker_pool(pool_settings settings);
  // Kills every worker; runs that are not done end in error, their `done` is called before this returns.
  ~worker_pool() override;

  void run(hook_run order, run_done done) override;
  void compile(std::shared_ptr<const hook_code> code, std::function<void(std::string)> done) override;
  void know_resources(std::vector<resource_type> custom) override;
  void know_hooks(std::set<known_hook> hooks) override;
  pool_figures figures() const;

 private:
  class server;
  std::unique_ptr<server> server_;
};

}  // namespace annals::hooks
