// Site hooks on a host: which there are (as the server said, kept as files), when they run, and what the server is told of
// them. Part of the MoM's actor. Governed by docs/design/0023-hooks.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/hook_outbox.hpp"
#include "actors/mom/hook_points.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "events/ports/clock.hpp"
#include "hooks-runtime/chain/chain.hpp"
#include "hooks-runtime/chain/hook_files.hpp"

namespace annals::actors {

struct mom_hooks_parts {
  hooks::hook_runner* runner = nullptr;          // null: no hook ever runs
  std::string directory;                         // mom_priv/hooks
  std::string host;
  const ports::clock* clock = nullptr;
  daemon_log* notes = nullptr;
  std::shared_ptr<hook_bits> bits;
  std::function<void(schema::MomHello::Builder)> describe;     // this host's vnodes
};

class mom_hooks {
 public:
  // tell: sends to the server, or nowhere while it is not there.
  mom_hooks(caf::event_based_actor* self, mom_hooks_parts parts, std::function<void(const schema::sealed<schema::FromMom>&)> tell);

  void begin();                                  // the hooks of the files; exechost_startup
  void read_again();                             // HUP: exechost_startup
  void server_is_here();                         // a new connection: everything owed is told again
  void on_hooks(const schema::sealed<schema::ToMom>& message);
  bool on_blob(schema::Blob::Reader blob);       // false: nobody here asked for it
  void on_ack(schema::HookAck::Reader ack) { outbox_.acknowledged(ack.getPosition()); }
  void on_second();                              // exechost_periodic; reports that were not acknowledged

  using passed = std::function<void(hook_point_passed)>;
  void at_point(at_hook_point at, passed then);
  void run_gone(const std::string& key) { jobs_.erase(key); }

 private:
  struct installed { hooks::chain_hook hook; std::int64_t due_ns = 0; };
  struct waiting_start { at_hook_point at; passed then; std::int64_t until_ns; };
  struct stages;                                 // the events of one point, one after another

  void read_files();
  void set_bits();
  void ask_for_blobs();
  void install_if_complete();
  void install(schema::MomHooks::Reader wanted);
  void let_start(bool all);
  void start_now(at_hook_point at, passed then);
  void next_stage(const std::shared_ptr<stages>& s);
  void stage_over(const std::shared_ptr<stages>& s, const hooks::hook_event& event, hooks::chain_result& result);
  std::vector<hooks::chain_hook> hooks_at(const hooks::hook_event& event, const std::string& only = {}) const;
  hooks::chain_parts chain_parts();
  void run_host_event(const char* event, const std::string& only);
  void report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result);
  bool add_fail_action(const hooks::hook_event& event, const std::string& hook, schema::HookReport::Builder report) const;
  std::vector<hooks::hook_object> host_vnodes() const;
  void note(std::uint32_t bits, std::string_view object, const std::string& text) const {
    if (parts_.notes) parts_.notes->write(bits, "Hook", object, text);
  }

  caf::event_based_actor* self_;
  mom_hooks_parts parts_;
  std::function<void(const schema::sealed<schema::FromMom>&)> tell_;
  hooks::hook_directory files_;
  hook_outbox outbox_;
  std::vector<installed> hooks_;
  std::optional<schema::sealed<schema::ToMom>> wanted_;        // hooks that are on their way
  std::map<std::string, std::string> blobs_;                   // what came of them, by hash
  std::set<std::string> asked_;                                // hashes
  std::int64_t wait_ns_ = 0;                                   // sync_mom_hookfiles_timeout
  std::deque<waiting_start> starts_;                           // until the hooks are there
  std::map<std::string, hooks::hook_object> jobs_;             // running, by key: job_list of exechost_periodic
  std::int64_t told_again_ns_ = 0;
};

}  // namespace annals::actors
