#include "actors/gateway/hook_routes.hpp"

#include "actors/gateway/hooked_requests.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/hook_look.hpp"
#include "events/model/run_refusal.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

using schema::ObjectKind;

namespace {

// The rows of the catalogue that the gateway dispatches.
const hooks::hook_event* const queuejob_event = hooks::find_event("queuejob");
const hooks::hook_event* const modifyjob_event = hooks::find_event("modifyjob");
const hooks::hook_event* const runjob_event = hooks::find_event("runjob");
const hooks::hook_event* const movejob_event = hooks::find_event("movejob");
const hooks::hook_event* const management_event = hooks::find_event("management");
const hooks::hook_event* const periodic_event = hooks::find_event("periodic");

}  // namespace

hook_routes::hook_routes(switchboard& board) : board_(board), desk_(desk_parts()) {}

hook_desk_parts hook_routes::desk_parts() {
  const auto& p = board_.parts();
  return {board_.self(), p.runner, p.where, p.shell.reader, p.status, p.notes,
          [this](const std::string& name, model::hook_ran ran, hook_runs before) { write_run(name, std::move(ran), std::move(before)); }};
}

void hook_routes::begin() { desk_.tell_resources(); }

void hook_routes::write_run(const std::string& name, model::hook_ran ran, hook_runs before) {
  if (const auto h = board_.hook(name))
    board_.self()->send(h, board_.wrap<model::hook_command>(std::move(ran), board_.server_itself(), nullptr, std::move(before)));
}

// -- requests ------------------------------------------------------------------------------------------------------------

// The request goes on as hooks left it, or is refused in the words of the hook that stopped it.
hook_desk::answer hook_routes::then_go_on(std::string subject, reply_ptr reply, hook_desk::answer then) {
  return [this, subject = std::move(subject), reply = std::move(reply), then = std::move(then)](hooks::chain_result& result) {
    if (!result.stopped) return then(result);
    desk_.write_rejection(subject, result);
    reply->refused(board_.where().sequence(), result.why);
  };
}

void hook_routes::ask_submit(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then) {
  if (!desk_.wanted(*queuejob_event)) return then(request, {});
  hook_desk::question q{queuejob_event, by, by.user, by.at_host(), {{"job", job_asked(request.get().getQueueJob())}}, {}, {}};
  desk_.run(std::move(q), then_go_on(by.at_host(), reply, [request, then = std::move(then)](hooks::chain_result& result) {
    const auto* job = hooks::object_of(result.parameters, "job");
    then(result.changes.empty() ? request : with_job(request, *job), std::move(result.runs));
  }));
}

void hook_routes::ask_alter(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then) {
  const auto asked = request.get().getAlterJob();
  const auto id = values::parse_job_id(schema::text(asked.getJob()));
  if (!desk_.wanted(*modifyjob_event) || !id || !board_.where().job_serial(id->number)) return then(request, {});
  const auto name = board_.job_id(id->number);
  auto job = job_asked(asked);
  job.name = name;
  hook_desk::question q{modifyjob_event, by, by.user, name, {{"job", std::move(job)}},
                        {{"job_o", ObjectKind::JOB, name, board_.where().sequence()}}, {}};
  desk_.run(std::move(q), then_go_on(name, reply, [request, then = std::move(then)](hooks::chain_result& result) {
    const auto* changed = hooks::object_of(result.parameters, "job");
    then(result.changes.empty() ? request : with_job(request, *changed), std::move(result.runs));
  }));
}

void hook_routes::ask_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then) {
  const auto asked = request.get().getMoveJob();
  const auto id = values::parse_job_id(schema::text(asked.getJob()));
  if (!desk_.wanted(*movejob_event) || !id || !board_.where().job_serial(id->number)) return then(request, {});
  const auto name = board_.job_id(id->number);
  hook_desk::question q{movejob_event, by, by.user, name, {}, {{"job", ObjectKind::JOB, name, board_.where().sequence()}}, {}};
  q.adjust = [to = schema::str(asked.getDestination())](hooks::hook_parameters& p) { show_move(p, to); };
  desk_.run(std::move(q), then_go_on(name, reply, [request, then = std::move(then)](hooks::chain_result& result) {
    const auto* job = hooks::object_of(result.parameters, "job");
    const auto* queue = job ? job->find("queue") : nullptr;
    then(result.changes.empty() || !queue ? request : with_destination(request, queue->value), std::move(result.runs));
  }));
}

void hook_routes::ask_management(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, go_on then) {
  if (!desk_.wanted(*management_event)) return then(request, {});
  const auto subject = schema::str(request.get().getManage().getName());
  hook_desk::question q{management_event, by, by.user, subject, {{"management", management_asked(request.get().getManage())}}, {}, {}};
  desk_.run(std::move(q), then_go_on(subject, reply, [this, request, subject, then = std::move(then)](hooks::chain_result& result) {
    desk_.write_all(subject, result);
    then(request, {});
  }));
}

// -- runs ----------------------------------------------------------------------------------------------------------------

void hook_routes::ask_run(std::uint64_t number, model::proposed_run proposed, const model::requester& by, reply_ptr reply) {
  if (!desk_.wanted(*runjob_event)) return board_.tell_job(number, std::move(proposed), by, std::move(reply));
  const auto id = board_.job_id(number);
  const auto run = proposed.message.get().getRun();
  hook_desk::question q{runjob_event, by, {}, id, {}, {{"job", ObjectKind::JOB, id, board_.where().sequence()}}, {}};
  q.adjust = [exec = schema::str(run.getExecVnode())](hooks::hook_parameters& p) {
    if (auto* job = hooks::find_parameter(p, "job")) std::get<hooks::hook_object>(job->value).put("exec_vnode", {}, exec);
  };
  desk_.run(std::move(q), [this, number, id, proposed = std::move(proposed), by, reply](hooks::chain_result& result) {
    if (result.stopped) return run_rejected(number, id, result, reply);
    board_.tell_job(number, proposed, by, reply, std::move(result.runs));
  });
}

void hook_routes::run_rejected(std::uint64_t number, const std::string& id, hooks::chain_result& result, const reply_ptr& reply) {
  const auto comment = model::comment_not_run(result.why);
  const auto* job = hooks::object_of(result.parameters, "job");
  const auto* before = job ? job->find("comment") : nullptr;
  // The next cycle will say the same: only what is new is written, or the cycles would never end.
  const bool known = before && before->value == comment && result.changes.empty();
  if (!known) {
    std::vector<hooks::hook_change> changes;
    for (const auto& c : result.changes)
      if (c.parameter == "job" && c.before != c.after) changes.push_back(c);
    hooks::hook_change says;
    says.attribute = "comment";
    says.has_value = true;
    says.after = comment;
    changes.push_back(says);
    board_.tell_job(number, model::client_request{alteration(id, changes), {}}, board_.server_itself(), nullptr, result.runs);
  }
  reply->refused(board_.where().sequence(), {result.why.code, comment});
}

// -- events --------------------------------------------------------------------------------------------------------------

// Events that hooks only look on at: what happened is on disk already.
void hook_routes::on_committed(const log::record& r) {
  const auto e = r.event();
  if (e.isResourceCreated() || e.isResourceChanged() || e.isResourceDeleted()) return desk_.tell_resources();
  const auto seen = model::look_at(e);
  const auto* event = seen ? hooks::find_event(seen->event) : nullptr;
  if (!event || !desk_.wanted(*event)) return;
  const auto stream = r.get().getStream();
  if (!seen->of_job) {
    for (const auto& [vnode, host] : board_.where().vnodes())
      if (host == stream && (seen->vnode.empty() || seen->vnode == vnode)) look_on(*event, r, ObjectKind::NODE, vnode);
  } else if (const auto number = board_.where().job_number(stream)) {
    look_on(*event, r, ObjectKind::JOB, board_.job_id(*number));
  }
}

void hook_routes::look_on(const hooks::hook_event& event, const log::record& r, ObjectKind kind, const std::string& name) {
  const auto who = r.get().getWho();
  const auto sequence = r.sequence();
  const bool of_job = kind == ObjectKind::JOB;
  const model::requester by{schema::str(who.getUser()), schema::str(who.getHost()), who.getRole()};
  hook_desk::question q{&event, by, by.user, name, {}, {}, {}};
  q.views.push_back({of_job ? "job" : "vnode", kind, name, sequence});
  if (!of_job && sequence > 1) q.views.push_back({"vnode_o", kind, name, sequence - 1});
  desk_.run(std::move(q), [this, name, of_job](hooks::chain_result& result) {
    desk_.write_all(name, result);
    if (of_job) alter_as_hooks_say(name, result);
  });
}

void hook_routes::alter_as_hooks_say(const std::string& id, const hooks::chain_result& result) {
  std::vector<hooks::hook_change> changes;
  for (const auto& c : result.changes)
    if (c.parameter == "job") changes.push_back(c);
  const auto parsed = values::parse_job_id(id);
  if (changes.empty() || !parsed) return;
  board_.tell_job(parsed->number, model::client_request{alteration(id, changes), {}}, board_.server_itself(), nullptr);
}

// -- by the clock --------------------------------------------------------------------------------------------------------

// Periodic hooks: each when its freq is over since its last run (pbs guide: freq).
void hook_routes::on_tick() {
  if (!desk_.wanted(*periodic_event)) return;
  const auto now = board_.parts().shell.clock->now_ns();
  for (const auto& [serial, hook] : board_.where().hook_states()) {
    if (!hook.enabled() || hook.code.hash.empty() || !hook.has_event("periodic")) continue;
    const auto next = now + hook.number(attributes::hook::freq) * 1'000'000'000;
    auto& due = due_.try_emplace(serial, next).first->second;
    if (now < due) continue;
    due = next;
    run_periodic(hook.name);
  }
}

void hook_routes::run_periodic(const std::string& name) {
  const auto sequence = board_.where().sequence();
  hook_desk::question q{periodic_event, board_.server_itself(), {}, "periodic", {{"resv_list", hook_objects{}}},
                        {{"vnode_list", ObjectKind::NODE, {}, sequence}}, name};
  desk_.run(std::move(q), [this](hooks::chain_result& result) {
    desk_.write_all("periodic", result);
    std::map<std::string, std::vector<hooks::hook_change>> of_vnode;
    for (const auto& c : result.changes)
      if (c.parameter == "vnode_list") of_vnode[c.object].push_back(c);
    for (const auto& [vnode, changes] : of_vnode) change_vnode(vnode, vnode_change(vnode, changes));
    for (const auto& reply : result.replies)
      for (auto action : reply.get().getActions())
        if (action.isRestartCycle()) board_.self()->send(board_.parts().status, restart_cycle{});
  });
}

void hook_routes::change_vnode(const std::string& vnode, schema::sealed<schema::Request> change) {
  const auto host_name = board_.where().host_of_vnode(vnode);
  if (const auto h = host_name ? board_.host(*host_name) : caf::actor())
    board_.self()->send(h, board_.wrap<model::host_command>(std::move(change), board_.server_itself()));
}

}  // namespace annals::actors
