#include "actors/gateway/hooks/hook_routes.hpp"

#include <algorithm>

#include "actors/gateway/hooks/hooked_requests.hpp"
#include "actors/server/replies.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/job/run_refusal.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

using schema::ObjectKind;

namespace {

// The rows of the catalogue that the gateway dispatches.
const hooks::hook_event* const queuejob_event = hooks::find_event("queuejob");
const hooks::hook_event* const modifyjob_event = hooks::find_event("modifyjob");
const hooks::hook_event* const runjob_event = hooks::find_event("runjob");
const hooks::hook_event* const movejob_event = hooks::find_event("movejob");
const hooks::hook_event* const resvsub_event = hooks::find_event("resvsub");
const hooks::hook_event* const modifyresv_event = hooks::find_event("modifyresv");
const hooks::hook_event* const management_event = hooks::find_event("management");

}  // namespace

hook_routes::hook_routes(actor_registry& board) : board_(board), hooks_(hooks_parts()), runs_(board.self()) {}

server_hooks_parts hook_routes::hooks_parts() {
  const auto& p = board_.parts();
  return {board_.self(), p.runner, p.where, p.base.reader, &board_.reading(), p.status, p.notes,
          [this](server_hooks_parts::run_to_write what) { write_run(std::move(what)); }};
}

void hook_routes::write_run(server_hooks_parts::run_to_write what) {
  const auto h = board_.hook(what.hook);
  if (!h) {  // deleted meanwhile
    if (what.reply) what.reply->done(board_.where().sequence(), "");
    return;
  }
  auto e = board_.wrap<model::hook_command>(std::move(what.ran), board_.server_itself(), std::move(what.reply), std::move(what.before));
  e.cause = what.cause;
  e.outlasts_full_disk = what.outlasts_full_disk;
  board_.self()->send(h, std::move(e));
}

// -- requests ------------------------------------------------------------------------------------------------------------

// pbs.server().scheduler_restart_cycle()
void hook_routes::restart_scheduling(const hooks::chain_result& result) {
  for (const auto& reply : result.replies)
    for (const auto action : reply.get().getActions())
      if (action.isRestartCycle()) return board_.self()->send(board_.parts().status, restart_cycle{});
}

// The request goes on as hooks left it, or is refused in the words of the hook that stopped it.
server_hooks::answer hook_routes::then_go_on(std::string subject, reply_ptr reply, server_hooks::answer then) {
  return [this, subject = std::move(subject), reply = std::move(reply), then = std::move(then)](hooks::chain_result& result) {
    restart_scheduling(result);
    if (!result.stopped) return then(result);
    auto written = [this, reply, why = result.why](const model::rejection&) { reply->refused(board_.where().sequence(), why); };
    hooks_.write_rejection(subject, result, board_.reply_then(std::move(written)));
  };
}

void hook_routes::ask_submit(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply,
                             go_on_with then) {
  if (!hooks_.wanted(*queuejob_event)) return then(request, {}, {});
  server_hooks::question q{queuejob_event, by, by.user, by.at_host(), {}, {}, {}};
  q.parameters.push_back({"job", job_asked(request.get().getQueueJob())});
  hooks_.run(std::move(q), then_go_on(by.at_host(), reply, [request, then = std::move(then)](hooks::chain_result& result) {
               const auto* job = hooks::object_of(result.parameters, "job");
               then(result.changes.empty() ? request : with_job(request, *job), std::move(result.runs), set_in_job(result.changes));
             }));
}

void hook_routes::ask_alter(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply,
                            go_on_with then) {
  const auto asked = request.get().getAlterJob();
  const auto id = values::parse_job_id(schema::text(asked.getJob()));
  const auto number = id ? board_.where().job_named(*id) : std::nullopt;
  if (!hooks_.wanted(*modifyjob_event) || !number) return then(request, {}, {});
  const auto name = board_.job_id(*number);
  auto job = job_asked(asked);
  job.name = name;
  server_hooks::question q{modifyjob_event,
                           by,
                           by.user,
                           name,
                           {{"job", std::move(job)}},
                           {{"job_o", ObjectKind::JOB, name, board_.where().sequence(), {}, true}},
                           {}};
  hooks_.run(std::move(q), then_go_on(name, reply, [request, then = std::move(then)](hooks::chain_result& result) {
               const auto* changed = hooks::object_of(result.parameters, "job");
               then(result.changes.empty() ? request : with_job(request, *changed), std::move(result.runs), set_in_job(result.changes));
             }));
}

void hook_routes::ask_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then) {
  const auto asked = request.get().getMoveJob();
  const auto id = values::parse_job_id(schema::text(asked.getJob()));
  const auto number = id ? board_.where().job_named(*id) : std::nullopt;
  if (!hooks_.wanted(*movejob_event) || !number) return then(request, {});
  const auto name = board_.job_id(*number);
  server_hooks::question q{movejob_event, by, by.user, name, {}, {{"job", ObjectKind::JOB, name, board_.where().sequence(), {}, true}}, {}};
  q.adjust = [to = schema::str(asked.getDestination())](hooks::hook_parameters& p) { show_move(p, to); };
  hooks_.run(std::move(q), then_go_on(name, reply, [request, then = std::move(then)](hooks::chain_result& result) {
               const auto* job = hooks::object_of(result.parameters, "job");
               const auto* queue = job ? job->find("queue") : nullptr;
               then(result.changes.empty() || !queue ? request : with_destination(request, queue->value), std::move(result.runs));
             }));
}

namespace {

server_hooks::answer with_changed_reservation(const schema::sealed<schema::Request>& request, hook_routes::go_on then) {
  return [request, then = std::move(then)](hooks::chain_result& result) {
    const auto* resv = hooks::object_of(result.parameters, "resv");
    then(result.changes.empty() ? request : with_reservation(request, *resv), std::move(result.runs));
  };
}

}  // namespace

void hook_routes::ask_reserve(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply,
                              go_on then) {
  if (!hooks_.wanted(*resvsub_event)) return then(request, {});
  server_hooks::question q{resvsub_event, by, by.user, by.at_host(), {}, {}, {}};
  q.parameters.push_back({"resv", reservation_asked(request.get().getSubmitReservation())});
  hooks_.run(std::move(q), then_go_on(by.at_host(), reply, with_changed_reservation(request, std::move(then))));
}

void hook_routes::ask_alter_reservation(const schema::sealed<schema::Request>& request, const std::string& id, const model::requester& by,
                                        const reply_ptr& reply, go_on then) {
  if (!hooks_.wanted(*modifyresv_event)) return then(request, {});
  auto resv = reservation_asked(request.get().getAlterReservation());
  resv.name = id;
  server_hooks::question q{modifyresv_event,
                           by,
                           by.user,
                           id,
                           {{"resv", std::move(resv)}},
                           {{"resv_o", ObjectKind::RESERVATION, id, board_.where().sequence(), {}, true}},
                           {}};
  hooks_.run(std::move(q), then_go_on(id, reply, with_changed_reservation(request, std::move(then))));
}

reply_ptr hook_routes::seen_by_management(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr to) {
  class seen final : public reply_to {
   public:
    seen(reply_ptr to, reply_ptr then) : to_(std::move(to)), then_(std::move(then)) {}
    void done(std::uint64_t sequence, const std::string& text) override {
      to_->done(sequence, text);
      then_->done(sequence, text);
    }
    void refused(std::uint64_t sequence, const model::rejection& why) override {
      to_->refused(sequence, why);
      then_->refused(sequence, why);
    }

   private:
    reply_ptr to_, then_;
  };
  auto show = [this, request, by, asked_ns = board_.parts().base.clock->now_ns()](const model::rejection& why) {
    show_management({request, by, asked_ns}, why);
  };
  return std::make_shared<seen>(std::move(to), board_.reply_then(std::move(show)));
}

// Not to be had for those who may not use qmgr: they could keep the site's hooks busy.
void hook_routes::show_management(const managed& what, const model::rejection& why) {
  if (why.code == values::pbs_error::unauthorized || !hooks_.wanted(*management_event)) return;
  const auto asked = what.request.get().getManage();
  const auto subject = schema::str(asked.getName());
  server_hooks::question q{management_event, what.by, what.by.user, subject, {}, {}, {}};
  q.parameters.push_back({"management", management_done(asked, why, what.asked_ns / 1'000'000'000)});
  hooks_.run(std::move(q), [this, subject](hooks::chain_result& result) {
    restart_scheduling(result);
    hooks_.write_all(subject, 0, result.runs, board_.reply_then([](const model::rejection&) {}));  // of no event: a refusal has none
  });
}

// -- runs ----------------------------------------------------------------------------------------------------------------

void hook_routes::ask_run(std::uint64_t number, model::proposed_run proposed, const model::requester& by, reply_ptr reply,
                          std::string command_id, room_maker make_room) {
  wanted_run what{number, std::move(proposed), by, std::move(command_id), std::move(make_room)};
  if (!hooks_.wanted(*runjob_event) && runs_.idle()) return let_run(what, reply, {}, {});
  runs_.put(std::move(reply), [this, what = std::move(what)](const reply_ptr& in_turn) { ask_run_hooks(what, in_turn); });
}

std::string hook_routes::id_of(const wanted_run& what) const {
  const auto run = what.proposed.message.get().getRun();
  return board_.job_id(run.getOfArray() ? values::subjob_number(what.number, run.getIndex()) : what.number);
}

void hook_routes::ask_run_hooks(const wanted_run& what, const reply_ptr& reply) {
  if (!hooks_.wanted(*runjob_event)) return let_run(what, reply, {}, {});
  const auto run = what.proposed.message.get().getRun();
  const auto id = id_of(what);
  const auto now = board_.where().sequence();
  server_hooks::question q{runjob_event, what.by, {}, id, {}, {{"job", ObjectKind::JOB, id, now, {}, true}}, {}};
  if (const auto where = values::parse_exec_vnode(schema::text(run.getExecVnode())); where && !where->chunks.empty())
    q.views.push_back({"vnode_list", ObjectKind::NODE, {}, now, where->vnodes(), true});
  q.adjust = [exec = schema::str(run.getExecVnode()), walltime = run.getWalltimeSeconds()](hooks::hook_parameters& p) {
    auto* parameter = hooks::find_parameter(p, "job");
    if (!parameter) return;
    auto& job = std::get<hooks::hook_object>(parameter->value);
    job.put("exec_vnode", {}, exec);
    if (walltime > 0) job.put("Resource_List", "walltime", values::print_duration(static_cast<std::int64_t>(walltime)));
  };
  hooks_.run(std::move(q), [this, what, of_array = run.getOfArray(), id, reply](hooks::chain_result& result) {
    if (result.stopped) return of_array ? subjob_rejected(id, result, reply) : run_rejected(what.number, id, result, reply);
    restart_scheduling(result);
    let_run(what, reply, std::move(result.runs), changes_of_job(result));
  });
}

void hook_routes::let_run(const wanted_run& what, const reply_ptr& reply, hook_runs runs, const wanted_changes& changes) {
  auto as_left = what.proposed;
  if (!changes.empty()) as_left.changes = model::client_request{alteration(id_of(what), changes), {}};
  auto run_it = [this, number = what.number, by = what.by, command_id = what.command_id, as_left = std::move(as_left), reply,
                 runs = std::move(runs)] {
    if (model::winding_up(*board_.settings())) return board_.refuse(reply, values::pbs_error::server_down);
    auto e = board_.wrap<model::job_command>(as_left, by, decided_with(reply, runs), runs);
    e.command_id = command_id;
    board_.tell_job(number, std::move(e));
  };
  if (what.make_room && !model::winding_up(*board_.settings())) what.make_room(std::move(run_it));
  else run_it();
}

void hook_routes::run_rejected(std::uint64_t number, const std::string& id, hooks::chain_result& result, const reply_ptr& reply) {
  const auto comment = model::comment_not_run(result.why);
  const auto* job = hooks::object_of(result.parameters, "job");
  const auto* before = job ? job->find("comment") : nullptr;
  auto refuse = [this, reply, why = model::rejection{result.why.code, comment}](const model::rejection&) {
    reply->refused(board_.where().sequence(), why);
  };
  auto vnodes = requests_of(id, result);
  std::erase_if(vnodes, [](const asked_of& w) { return w.of_job; });
  // The next cycle will say the same: only what is new is written, or the cycles would never end.
  if (before && before->value == comment && std::ranges::all_of(result.changes, changes_nothing)) return refuse({});
  restart_scheduling(result);
  auto changes = changes_of_job(result);
  changes.push_back(comment_of(comment));
  auto parts = reply_jointly(hooks_.decided_with(board_.reply_then(std::move(refuse))), 1 + vnodes.size());
  board_.tell_job(number, model::client_request{alteration(id, changes), {}}, board_.server_itself(), parts.back(), result.runs);
  for (std::size_t i = 0; i < vnodes.size(); ++i) change_vnode(vnodes[i].object, vnodes[i].changes, parts[i], result.runs);
}

void hook_routes::change_vnode(const std::string& vnode, const std::vector<hooks::hook_change>& changes, reply_ptr reply,
                               const hook_runs& runs) {
  const auto h = board_.host_of(vnode);
  if (!h) return board_.refuse(reply, values::pbs_error::unknown_node);
  board_.self()->send(h, board_.wrap<model::host_command>(vnode_change(vnode, changes), board_.server_itself(), std::move(reply), runs));
}

// It is no job yet that could show why, and its array has others: the refusal alone is written (PROPOSAL_REFUSED), with what was set of
// vnodes.
void hook_routes::subjob_rejected(const std::string& id, hooks::chain_result& result, const reply_ptr& reply) {
  auto refuse = [this, reply, why = model::rejection{result.why.code, model::comment_not_run(result.why)}](const model::rejection&) {
    reply->refused(board_.where().sequence(), why);
  };
  auto vnodes = requests_of(id, result);
  std::erase_if(vnodes, [](const asked_of& w) { return w.of_job || std::ranges::all_of(w.changes, changes_nothing); });
  if (vnodes.empty()) return refuse({});
  restart_scheduling(result);
  auto parts = reply_jointly(hooks_.decided_with(board_.reply_then(std::move(refuse))), vnodes.size());
  for (std::size_t i = 0; i < vnodes.size(); ++i) change_vnode(vnodes[i].object, vnodes[i].changes, parts[i], result.runs);
}

}  // namespace annals::actors
