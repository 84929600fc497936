// Where requests and events meet the site's hooks in the server: a request waits for its hooks and goes on as they left it, or
// is refused in their words; events that hooks only look on at are shown to them. Part of the gateway's actor.
// Governed by docs/design/0023-hooks.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/server_hooks.hpp"
#include "actors/gateway/objects/one_by_one.hpp"
#include "actors/gateway/objects/wanted_changes.hpp"
#include "actors/server/reactions/reaction.hpp"

namespace annals::actors {

class hook_routes {
 public:
  explicit hook_routes(actor_registry& board);

  void begin() { hooks_.tell_hooks(); }
  void folded(const log::record& record) { hooks_.folded(record); }

  // Runs hooks that look on at what happened (events/model/hook/hook_look.hpp). Refused: one of them could not be read, or what
  // they wanted could not be written.
  void look_on(const reactions::run_looking_hooks& what, reply_ptr reply);
  // The reply to a request of qmgr. When it has been given, hooks see what was asked and answered (management); they hold nothing up.
  reply_ptr seen_by_management(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr to);
  // Runs a periodic hook, because of this record. Refused: as above.
  void run_periodic(const std::string& hook, std::uint64_t cause, reply_ptr reply);

  // Runs the hook that gives a vnode another environment, because of this record. Refused: as above.
  void provision(const reactions::run_provision_hook& what, std::uint64_t cause, reply_ptr reply);

  // The reply to a request that hooks of its event allowed: who asks them next is answered when it has been given.
  reply_ptr decided_with(reply_ptr reply, const hook_runs& runs) {
    return runs.empty() ? std::move(reply) : hooks_.decided_with(std::move(reply));
  }

  // Each asks the hooks of its event, then goes on with the request as they left it and the runs that allowed or changed it.
  // Without hooks it goes on at once.
  using go_on = std::function<void(const schema::sealed<schema::Request>& request, hook_runs runs)>;
  // `by_hooks`: the attributes of a job that the hooks set. They count as a manager's.
  using go_on_with = std::function<void(const schema::sealed<schema::Request>& request, hook_runs runs, std::vector<std::string> by_hooks)>;
  void ask_submit(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on_with then);
  void ask_alter(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on_with then);
  void ask_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then);
  void ask_reserve(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then);
  void ask_alter_reservation(const schema::sealed<schema::Request>& request, const std::string& id, const model::requester& by,
                             const reply_ptr& reply, go_on then);
  // A scheduler or a person (qrun -H, with a command id) proposes to run a job (runjob): refused, the job's comment says why,
  // and what the hook set of it holds. make_room: what comes between the hooks and the run; none: nothing. While there are such hooks runs
  // are decided one after the other: each hook is shown what became of the runs that were asked for before.
  using room_maker = std::function<void(std::function<void()> then)>;
  void ask_run(std::uint64_t number, model::proposed_run proposed, const model::requester& by, reply_ptr reply, std::string command_id = {},
               room_maker make_room = {});

  // Whether a script compiles; what the compiler said.
  void compile(const std::string& name, const std::string& source, std::function<void(std::string)> then) {
    hooks_.compile(name, source, std::move(then));
  }

 private:
  server_hooks_parts hooks_parts();
  void write_run(server_hooks_parts::run_to_write what);
  server_hooks::answer then_go_on(std::string subject, reply_ptr reply, server_hooks::answer then);
  void restart_scheduling(const hooks::chain_result& result);
  struct managed {
    schema::sealed<schema::Request> request;
    model::requester by;
    std::int64_t asked_ns;
  };
  void show_management(const managed& what, const model::rejection& why);
  struct wanted_run {
    std::uint64_t number;
    model::proposed_run proposed;
    model::requester by;
    std::string command_id;
    room_maker make_room;
  };
  std::string id_of(const wanted_run& what) const;
  void ask_run_hooks(const wanted_run& what, const reply_ptr& reply);
  void let_run(const wanted_run& what, const reply_ptr& reply, hook_runs runs, const wanted_changes& changes);
  void run_rejected(std::uint64_t number, const std::string& id, hooks::chain_result& result, const reply_ptr& reply);
  void subjob_rejected(const std::string& id, hooks::chain_result& result, const reply_ptr& reply);
  void change_vnode(const std::string& vnode, const std::vector<hooks::hook_change>& changes, reply_ptr reply, const hook_runs& runs);
  struct owed_run {  // what is written down of it
    std::string subject;
    std::uint64_t cause;
    std::string id;  // that makes, with the run and the object, the command ids of what is wanted
  };
  envelope<model::job_command> change_by_look(const std::string& job, const std::string& hook, const wanted_changes& wanted,
                                              reply_ptr reply, const hook_runs& run);
  void carry_out(const owed_run& what, const hooks::chain_result& result, const reply_ptr& reply);
  bool all_ran(const hooks::hook_event& event, const std::vector<std::string>& names, const hooks::chain_result& result) const;

  actor_registry& board_;
  server_hooks hooks_;
  one_by_one runs_;
};

}  // namespace annals::actors
