// Hooks that run on hosts: every host is owed the hooks as they are now, and what its hooks want of the server is done, written
// down and acknowledged. Part of the gateway's actor. Governed by docs/design/0023-hooks.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::actors {

class mom_hook_routes {
 public:
  explicit mom_hook_routes(actor_registry& board) : board_(board) {}

  // Every host is owed all hooks of MoMs as they are now, until it says that it has them. Called by a reaction after each change, and
  // before whatever a host must not hear before its hooks: a run to start, the welcome.
  void keep_up();
  void on_installed(const std::string& host, schema::HooksInstalled::Reader installed);
  void on_question(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message);
  void on_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message);

 private:
  void suspend_again(const std::string& host, schema::HookReport::Reader report);
  void carry_out(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message);
  void note_changes(const std::string& vnode, capnp::List<schema::Attribute>::Reader changes) const;
  void write_down(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message);
  void write_down_soon(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message);

  actor_registry& board_;
  std::vector<std::pair<wire::connection_ptr, schema::sealed<schema::FromMom>>> unwritten_;
  std::uint64_t told_sequence_ = 0;  // of what MoMs were told last
};

}  // namespace annals::actors
