// Site hooks on a host: when they run (hook_points.cpp), with which there are (installed_hooks.hpp), and what the server is told of them
// (hook_reports.hpp). Part of the MoM's actor. Governed by docs/design/0023-hooks.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/hooks/hook_questions.hpp"
#include "actors/mom/hooks/hook_reports.hpp"
#include "actors/mom/hooks/hooked_vnodes.hpp"
#include "actors/mom/hooks/installed_hooks.hpp"
#include "actors/mom/hooks/mom_hooks_parts.hpp"
#include "hooks-runtime/chain/chain.hpp"

namespace annals::actors {

class mom_hooks {
 public:
  // tell: sends to the server, or nowhere while it is not there.
  mom_hooks(caf::event_based_actor* self, mom_hooks_parts parts, installed_hooks::tell_server tell);

  void begin();                                      // the hooks of the files; exechost_startup
  bool starting_up() const { return starting_up_; }  // exechost_startup has not ended: say_hello will be called
  void read_again();                                 // HUP: exechost_startup; files that were rejected before
  // This host's vnodes, with those that hooks made.
  void describe(schema::MomHello::Builder hello) const { vnodes_.describe(hello); }

  void link_is_here() { questions_.server_is_here(); }              // a new connection: nothing is told yet, but the server may be asked
  void server_is_here();                                            // the server has this host's hello: everything owed is told again
  void server_is_gone();                                            // hooks may have changed until it has said its welcome
  void server_has_told_all() { installed_.server_has_told_all(); }  // what it owed to this host came before its welcome
  void on_hooks(const schema::sealed<schema::ToMom>& message) { installed_.on_hooks(message); }
  void on_blob(schema::Blob::Reader blob) { installed_.on_blob(blob); }
  void on_answer(schema::HookAnswer::Reader answer) { questions_.on_answer(answer); }
  void on_ack(schema::HookAck::Reader ack) { reports_.acknowledged(ack.getPosition()); }
  void on_second();  // exechost_periodic; reports that were not acknowledged

  void at_point(at_hook_point at);  // answers at.who
  void at_work(job_at_work job) { jobs_[job.key] = std::move(job); }
  void run_gone(const values::run_key& key) {
    jobs_.erase(key);
    used_.erase(key);
  }

 private:
  struct waiting_start {
    at_hook_point at;
    std::int64_t until_ns;
  };
  struct stages;  // the events of one point, one after another

  std::int64_t wait_until_ns() const;
  void wait_anew();  // the server has said something of hooks
  void let_start(bool all);
  void start_now(at_hook_point at);
  bool take_past_launch(stages& s) const;
  void pass(stages& s);
  void next_stage(const std::shared_ptr<stages>& s);
  void offer_releases(stages& s, hooks::occasion& at);
  void stage_over(const std::shared_ptr<stages>& s, const hooks::hook_event& event, hooks::chain_result& result);
  std::shared_ptr<const hooks::chain_parts> chain_parts() const;
  std::function<void(hooks::sealed_question, hooks::hook_run::answer_to)> ask_server();  // for hooks, on whatever thread
  void run_host_event(const char* event, const std::string& only, std::function<void(hooks::chain_result&)> then = {});
  void run_startup();
  bool waits_for_link() const;  // questions of hooks may wait for the server
  void started_up(const hooks::chain_result& result);
  model::usage_change keep_used(const values::run_key& key, const hooks::hook_change& change);
  void put_used(const values::run_key& key, hooks::hook_object& job) const;
  void note_of_job(const std::string& job, const std::string& text) const {
    if (parts_.notes) parts_.notes->write(log_event::job, "Job", job, text);
  }

  caf::event_based_actor* self_;
  mom_hooks_parts parts_;
  installed_hooks installed_;
  hooked_vnodes vnodes_;
  hook_reports reports_;
  hook_questions questions_;
  jobs_at_work jobs_;                 // job_list of exechost_periodic
  std::deque<waiting_start> starts_;  // until the hooks are there
  // What hooks set of resources_used in this life of the MoM. Later hooks see it, also before it is on disk.
  std::map<values::run_key, std::map<std::string, std::optional<std::string>>> used_;
  bool starting_up_ = false;
  std::int64_t link_until_ns_ = 0;
};

}  // namespace annals::actors
