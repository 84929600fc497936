// Site hooks in the server: which run at an event, with what they are shown, and what is written down of them. Part of the
// gateway's actor; the scripts run elsewhere, and nothing waits for them but the request they were asked about.
// Governed by docs/design/0023-hooks.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "actors/gateway/hooks/open_decisions.hpp"
#include "actors/queries/hook_views.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "actors/runtime/reply.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/log/log_reader.hpp"
#include "hooks-runtime/chain/chain.hpp"

namespace annals::actors {

struct server_hooks_parts {
  caf::event_based_actor* self = nullptr;
  hooks::hook_runner* runner = nullptr;  // null: no hook ever runs
  std::shared_ptr<directory> where;
  const log::log_reader* reader = nullptr;
  helper_pool* reading = nullptr;  // of the log
  caf::actor status;               // answers view_wanted
  daemon_log* notes = nullptr;
  // Writes a run into the stream of its hook.
  struct run_to_write {
    std::string hook;
    model::hook_ran ran;
    std::uint64_t cause = 0;
    std::vector<schema::sealed<schema::HookRun>> before{};  // that ran before it at the same event
    reply_ptr reply{};                                      // may be empty
    bool outlasts_full_disk = false;                        // it is written, and then answered, when there is space again
  };
  std::function<void(run_to_write)> write;
};

class server_hooks {
 public:
  explicit server_hooks(server_hooks_parts parts) : parts_(std::move(parts)) {}

  // Whether any hook runs at this event: without hooks this is all a request pays.
  bool wanted(const hooks::hook_event& event) const { return parts_.runner && (parts_.where->hook_events() & event.bit) != 0; }

  // A parameter that is read from the projections before the first hook runs: one object, those of a list, or all of the kind.
  struct view {
    std::string parameter;
    schema::ObjectKind kind;
    std::string name;
    std::uint64_t sequence;
    std::vector<std::string> listed{};
    bool or_later = false;  // as it is now: at the first position from `sequence` on that costs no replay
  };
  struct question {
    const hooks::hook_event* event = nullptr;
    model::requester by;
    std::string owner;    // of the job
    std::string subject;  // what the event is about, for the log
    hooks::hook_parameters parameters;
    std::vector<view> views;
    std::vector<std::string> only{};                        // these hooks alone; empty: all of the event
    std::function<void(hooks::hook_parameters&)> adjust{};  // once the views are there
  };
  using answer = std::function<void(hooks::chain_result&)>;
  void run(question what, answer then);
  // The reply to what is decided now that hooks have ended: hooks that begin after that, and ask, are answered when it has been given.
  reply_ptr decided_with(reply_ptr reply) { return decisions_->until(std::move(reply)); }

  // Writes down runs that no other event tells of: all of them when the event only looks on (cause: its sequence), the last
  // when it rejected. Answered when that is on disk or can't be; a full disk keeps the first waiting, and refuses the second.
  void write_all(const std::string& subject, std::uint64_t cause, const std::vector<schema::sealed<schema::HookRun>>& runs,
                 reply_ptr reply) const;
  void write_rejection(const std::string& subject, const hooks::chain_result& result, reply_ptr reply) const;

  void compile(const std::string& name, const std::string& source, std::function<void(std::string)> then);

  void tell_hooks();                       // the runner, if they are others now: at the start, and when a script was read
  void folded(const log::record& record);  // of any stream

 private:
  struct pending;
  void tell_resources();  // what the workers must know of the site
  void fetch(const std::shared_ptr<pending>& p);
  void start(const std::shared_ptr<pending>& p);
  std::vector<const model::hook_state*> hooks_of(const question& what) const;
  using code_ptr = std::shared_ptr<const hooks::hook_code>;
  struct hook_files {
    model::hook_content script, configuration;
    bool operator==(const hook_files&) const = default;
  };
  struct read_hook {
    hook_files files;
    code_ptr code;
  };  // without code: it could not be read
  using after_read = std::function<void(const read_hook&)>;
  code_ptr code_of(const model::hook_state& hook) const;  // null: it is not known yet
  void read(const model::hook_state& hook, after_read then);
  void on_read(const std::string& name, const read_hook& hook);
  void read_then_start(const model::hook_state& hook, const std::shared_ptr<pending>& p);
  void note_unreadable(const std::string& name, const hook_files& files);
  std::shared_ptr<const hooks::chain_parts> chain_parts();
  hooks::occasion::run_asker answers_from(std::uint64_t sequence);
  std::function<void(std::function<void()>)> post() const;
  static model::hook_ran ran(const std::string& subject, schema::HookRun::Reader run);

  server_hooks_parts parts_;
  struct who_answers;
  std::shared_ptr<const who_answers> who_;                 // made for the first chain
  std::shared_ptr<const hooks::chain_parts> chain_parts_;  // the same
  const std::shared_ptr<open_decisions> decisions_ = std::make_shared<open_decisions>();
  model::settings_ptr told_;                                // whose resources the workers know
  std::optional<std::set<hooks::known_hook>> told_hooks_;   // unset: the runner was told of none yet
  std::map<std::string, read_hook> codes_;                  // by name; read again when the blobs are others
  std::map<std::string, hook_files> unreadable_;            // by name, at the last attempt: the log has a line of each
  std::map<std::string, std::vector<after_read>> reading_;  // hooks that are being read, and who waits for each
};

}  // namespace annals::actors
