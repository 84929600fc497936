// Site hooks on a host: which there are (as the server said, kept as files), when they run (hook_points.cpp), and what the
// server is told of them (hook_reports.cpp). Part of the MoM's actor. Governed by docs/design/0023-hooks.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/hooks/hook_outbox.hpp"
#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/hooks/hook_questions.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "events/ports/clock.hpp"
#include "hooks-runtime/chain/chain.hpp"
#include "hooks-runtime/chain/hook_files.hpp"

namespace annals::actors {

struct mom_hooks_parts {
  hooks::hook_runner* runner = nullptr;  // null: no hook ever runs
  std::string directory;                 // mom_priv/hooks
  std::string host;
  const ports::clock* clock = nullptr;
  daemon_log* notes = nullptr;
  std::shared_ptr<hook_bits> bits;
  std::function<void(schema::MomHello::Builder)> describe;  // this host's vnodes, without those that hooks made
  std::function<void()> say_hello;                          // to the server, if it is there: the host's vnodes are known, or are others
  std::function<bool()> rejects_files;                      // $reject_root_scripts: no file of a hook is taken from the server
  std::string version{};                                    // pbs_version of this host's vnodes
  std::uint16_t port = 0;                                   // where its MoM listens
  // Does what may wait for the disk elsewhere, one piece after the other, and what it returns in the MoM's actor.
  std::function<void(helper_pool::work)> aside{};
};

class mom_hooks {
 public:
  // tell: sends to the server, or nowhere while it is not there.
  mom_hooks(caf::event_based_actor* self, mom_hooks_parts parts, std::function<void(const schema::sealed<schema::FromMom>&)> tell);

  void begin();                                          // the hooks of the files; exechost_startup
  bool starting_up() const { return starting_up_; }      // exechost_startup has not ended: say_hello will be called
  void describe(schema::MomHello::Builder hello) const;  // this host's vnodes, with those that hooks made
  void read_again();                                     // HUP: exechost_startup; files that were rejected before
  void link_is_here() { questions_.server_is_here(); }   // a new connection: nothing is told yet, but the server may be asked
  void server_is_here();                                 // the server has this host's hello: everything owed is told again
  void server_is_gone();                                 // hooks may have changed until it has said its welcome
  void server_has_told_all();                            // what it owed to this host came before its welcome
  void on_hooks(const schema::sealed<schema::ToMom>& message);
  void on_blob(schema::Blob::Reader blob);
  void on_answer(schema::HookAnswer::Reader answer) { questions_.on_answer(answer); }
  void on_ack(schema::HookAck::Reader ack);
  void on_second();  // exechost_periodic; reports that were not acknowledged

  void at_point(at_hook_point at);  // answers at.who
  void at_work(job_at_work job) { jobs_[job.key] = std::move(job); }
  void run_gone(const values::run_key& key) {
    jobs_.erase(key);
    used_.erase(key);
  }

 private:
  struct installed {
    hooks::chain_hook hook;
    std::int64_t due_ns = 0;
  };
  struct waiting_start {
    at_hook_point at;
    std::int64_t until_ns;
  };
  struct stages;  // the events of one point, one after another

  void read_files();
  void set_bits();
  void know_resources(attributes::resource_catalogue resources);
  void tell_hooks();  // the runner
  void ask_for_blobs();
  void install_if_complete();
  bool is_here(schema::MomHook::Reader hook) const;
  void install(schema::MomHooks::Reader wanted);
  void keep_as_it_was(const std::string& name, const std::vector<installed>& before);
  bool must_wait() const { return !told_all_ || (wanted_ && wait_ns_ > 0); }
  std::int64_t wait_until_ns() const;
  void wait_anew();  // the server has said something of hooks
  void let_start(bool all);
  void start_now(at_hook_point at);
  bool take_past_launch(stages& s) const;
  void pass(stages& s);
  void next_stage(const std::shared_ptr<stages>& s);
  void offer_releases(stages& s, hooks::occasion& at);
  void stage_over(const std::shared_ptr<stages>& s, const hooks::hook_event& event, hooks::chain_result& result);
  std::vector<hooks::chain_hook> hooks_at(const hooks::hook_event& event, const std::string& only = {}) const;
  hooks::chain_parts chain_parts();
  std::function<void(hooks::sealed_question, hooks::hook_run::answer_to)> ask_server();  // for hooks, on whatever thread
  void run_host_event(const char* event, const std::string& only, std::function<void(hooks::chain_result&)> then = {});
  void run_startup();
  bool waits_for_link() const;  // questions of hooks may wait for the server
  void started_up(const hooks::chain_result& result);
  // A report, until the server has written it down. It is told when it is in its file, or can't be.
  template <class Fill>
  void tell_surely(Fill&& fill);
  // When all reports that were made before are in their files, or can't be.
  void when_safe(std::function<void()> then);
  using changes_by_job = std::map<std::string, std::vector<const hooks::hook_change*>>;  // by id
  void report_of_jobs(const hooks::hook_event& event, schema::HookRun::Reader run, hooks::protocol::Reply::Reader reply,
                      const changes_by_job& changes);
  void report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result);
  void reboot_if_asked(const std::string& hook, const hooks::sealed_reply& reply);
  // fail_action: vnodes that go out of service, and that come back.
  struct service_change {
    std::vector<std::string> offlined, recovered;
  };
  service_change service_change_of(const std::string& hook, const hooks::hook_event& event, bool failed) const;
  void write_offlined(const std::string& hook, const std::vector<std::string>& vnodes) const;  // empty: the file is removed
  std::uint8_t fail_actions_of(const std::string& hook, const hooks::hook_event& event) const;
  static bool makes_vnodes(const hooks::hook_event& event) { return std::string_view(event.name) == "exechost_startup"; }
  std::vector<hooks::hook_object> host_vnodes() const;  // without those that hooks made
  std::vector<hooks::hook_object> all_vnodes() const;
  model::usage_change keep_used(const values::run_key& key, const hooks::hook_change& change);
  void put_used(const values::run_key& key, hooks::hook_object& job) const;
  void note(std::uint32_t bits, std::string_view object, const std::string& text) const {
    if (parts_.notes) parts_.notes->write(bits, "Hook", object, text);
  }
  void note_of_job(const std::string& job, const std::string& text) const {
    if (parts_.notes) parts_.notes->write(log_event::job, "Job", job, text);
  }

  caf::event_based_actor* self_;
  mom_hooks_parts parts_;
  std::function<void(const schema::sealed<schema::FromMom>&)> tell_;
  hooks::hook_directory files_;
  const std::string reports_;  // directory of the outbox
  hook_outbox outbox_;
  hook_questions questions_;
  std::vector<installed> hooks_;
  std::optional<schema::sealed<schema::ToMom>> wanted_;    // hooks that are on their way
  std::optional<schema::sealed<schema::ToMom>> rejected_;  // hooks of which not all were taken
  std::map<std::string, std::string> blobs_;               // what came of them, by hash
  std::set<std::string> asked_;                            // hashes
  std::int64_t wait_ns_ = 0;                               // sync_mom_hookfiles_timeout
  std::deque<waiting_start> starts_;                       // until the hooks are there
  std::map<values::run_key, job_at_work> jobs_;            // job_list of exechost_periodic
  // What hooks set of resources_used in this life of the MoM. Later hooks see it, also before it is on disk.
  std::map<values::run_key, std::map<std::string, std::optional<std::string>>> used_;
  std::map<std::string, hooks::hook_object> made_vnodes_;  // by exechost_startup hooks, by name
  bool starting_up_ = false;
  std::int64_t link_until_ns_ = 0;
  bool told_all_ = false;  // by the server, over this connection
  std::int64_t told_again_ns_ = 0;
};

}  // namespace annals::actors
