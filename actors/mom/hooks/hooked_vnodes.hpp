// The vnodes of this host as its hooks and the server see them: its own, and those that exechost_startup hooks made. Part of mom_hooks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/hooks/mom_hooks_parts.hpp"
#include "hooks-runtime/chain/chain.hpp"

namespace annals::actors {

inline bool makes_vnodes(const hooks::hook_event& event) { return std::string_view(event.name) == "exechost_startup"; }

class hooked_vnodes {
 public:
  explicit hooked_vnodes(const mom_hooks_parts& parts) : parts_(parts) {}

  std::vector<hooks::hook_object> own() const;  // without those that hooks made
  std::vector<hooks::hook_object> all() const;
  /// Fills in the vnodes of a hello, with those that hooks made.
  void describe(schema::MomHello::Builder hello) const;
  /// vnode_list[name] = pbs.vnode(name) made vnodes: they are the host's from now on, as its own is. Those before are gone.
  void take_made(const hooks::chain_result& result);
  void clear() { made_.clear(); }
  std::set<std::string> names_made() const;

 private:
  const mom_hooks_parts& parts_;
  std::map<std::string, hooks::hook_object> made_;  // by name
};

}  // namespace annals::actors
