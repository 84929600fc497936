// Reports to the server of hooks on this host: what they did, and what they want of it. Each is told until the server has written it down.
// Part of mom_hooks. Governed by docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/mom/hooks/hook_outbox.hpp"
#include "actors/mom/hooks/hooked_vnodes.hpp"
#include "actors/mom/hooks/installed_hooks.hpp"
#include "actors/mom/hooks/mom_hooks_parts.hpp"
#include "hooks-runtime/chain/chain.hpp"

namespace annals::actors {

class hook_reports {
 public:
  using tell_server = std::function<void(const schema::sealed<schema::FromMom>&)>;
  /// jobs: those of this host (job_list of exechost_periodic).
  hook_reports(const mom_hooks_parts& parts, const installed_hooks& hooks, const hooked_vnodes& vnodes,
               const jobs_at_work& jobs, tell_server tell)
      : parts_(parts), hooks_(hooks), vnodes_(vnodes), jobs_(jobs), tell_(std::move(tell)), directory_(parts.directory + "/reports") {}

  /// All hooks of one event have run. `ref`: of the job that it was about; serial 0: of none.
  void report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result);
  /// All reports that were made before are in their files, or can't be.
  void when_safe(std::function<void()> then) const;
  void acknowledged(std::uint64_t position);
  void tell_again() const { outbox_.each(tell_); }
  void tell_again_if_late(std::int64_t now_ns);

 private:
  // A report, until the server has written it down. It is told when it is in its file, or can't be.
  template <class Fill>
  void tell_surely(Fill&& fill);
  using changes_by_job = std::map<std::string, std::vector<const hooks::hook_change*>>;  // by id
  void report_run(std::size_t run, const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result,
                  const std::set<std::string>& made_here);
  void report_of_jobs(const hooks::hook_event& event, schema::HookRun::Reader run, hooks::protocol::Reply::Reader reply,
                      const changes_by_job& changes);
  void reboot_if_asked(const std::string& hook, const hooks::sealed_reply& reply) const;
  // fail_action: vnodes that go out of service, and that come back.
  struct service_change {
    std::vector<std::string> offlined, recovered;
  };
  service_change service_change_of(const std::string& hook, const hooks::hook_event& event, bool failed) const;

  const mom_hooks_parts& parts_;
  const installed_hooks& hooks_;
  const hooked_vnodes& vnodes_;
  const jobs_at_work& jobs_;
  tell_server tell_;
  const std::string directory_;  // of the outbox
  hook_outbox outbox_{directory_};
  std::int64_t told_again_ns_ = 0;
};

}  // namespace annals::actors
