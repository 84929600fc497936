// The site hooks of a host: files in mom_priv/hooks, as the server said last. What the server says is installed when all of it has come.
// Part of mom_hooks. Governed by docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/hooks/mom_hooks_parts.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "hooks-runtime/chain/chain.hpp"
#include "hooks-runtime/chain/hook_files.hpp"

namespace annals::actors {

class installed_hooks {
 public:
  using tell_server = std::function<void(const schema::sealed<schema::FromMom>&)>;
  /// news(): what jobs may wait for has changed: must_wait() or wait_ns().
  installed_hooks(const mom_hooks_parts& parts, tell_server tell, std::function<void()> news);

  void read_files();
  /// Files that were rejected are looked at once more ($reject_root_scripts may be another one now).
  void read_again();

  // The server's word.
  void server_is_here();       // what is missing is asked for
  void server_is_gone();       // hooks may have changed until it has said its welcome
  void server_has_told_all();  // what it owed to this host came before its welcome
  void on_hooks(const schema::sealed<schema::ToMom>& message);
  void on_blob(schema::Blob::Reader blob);

  /// Hooks may be on their way that a job has to wait for.
  bool must_wait() const { return !told_all_ || (wanted_ && wait_ns_ > 0); }
  bool has_told_all() const { return told_all_; }
  std::int64_t wait_ns() const { return wait_ns_; }  // sync_mom_hookfiles_timeout

  /// Enabled hooks of this event in their order; `only`: the name of one, or empty.
  std::vector<hooks::chain_hook> at(const hooks::hook_event& event, const std::string& only = {}) const;
  /// Names of the hooks of exechost_periodic whose time has come. Each is due again after its freq.
  std::vector<std::string> due(std::int64_t now_ns);
  /// Bits (hooks-runtime/catalog) of the fail_actions of the hook that this event knows (pbs guide: fail_action).
  std::uint8_t fail_actions_of(const std::string& hook, const hooks::hook_event& event) const;
  /// Vnodes that fail_action of this hook took out of service: they stand in a file until it succeeds.
  std::vector<std::string> offlined(const std::string& hook) const;
  void write_offlined(const std::string& hook, const std::vector<std::string>& vnodes) const;  // empty: the file is removed

 private:
  struct installed {
    hooks::chain_hook hook;
    std::int64_t due_ns = 0;
  };
  void set_bits();
  void know_resources(attributes::resource_catalogue resources);
  void tell_hooks();  // the runner
  void ask_for_blobs();
  void install_if_complete();
  bool is_here(schema::MomHook::Reader hook) const;
  void install(schema::MomHooks::Reader wanted);
  hooks::chain_hook made_from(schema::MomHook::Reader hook);
  void write_file(const std::string& file, const std::string& text, std::vector<std::string>& changed);
  void remove_unwanted(const std::vector<installed>& before, const std::set<std::string>& wanted);
  void say_installed(std::uint64_t sequence, const std::vector<std::string>& changed);
  void keep_as_it_was(const std::string& name, const std::vector<installed>& before);

  const mom_hooks_parts& parts_;
  tell_server tell_;
  std::function<void()> news_;
  hooks::hook_directory files_;
  std::vector<installed> hooks_;
  std::optional<schema::sealed<schema::ToMom>> wanted_;    // hooks that are on their way
  std::optional<schema::sealed<schema::ToMom>> rejected_;  // hooks of which not all were taken
  std::map<std::string, std::string> blobs_;               // what came of them, by hash
  std::set<std::string> asked_;                            // hashes
  std::int64_t wait_ns_ = 0;
  bool told_all_ = false;  // by the server, over this connection
};

}  // namespace annals::actors
