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
#include "hooks-runtime/pool/pool_settings.hpp"

namespace annals::hooks {

class pool_server;

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
  std::unique_ptr<pool_server> server_;
};

}  // namespace annals::hooks
