// Events that hooks look on at, and hooks by the clock (hook_routes.hpp): what they want is carried out when they have run.
#include <algorithm>

#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/gateway/hooks/hooked_requests.hpp"
#include "actors/server/replies.hpp"
#include "events/values/date_time.hpp"
#include "events/values/job_id.hpp"
#include "hooks-runtime/catalog/texts.hpp"

namespace annals::actors {

using schema::ObjectKind;

namespace {

const hooks::hook_event* const resv_end_event = hooks::find_event("resv_end");
const hooks::hook_event* const periodic_event = hooks::find_event("periodic");
const hooks::hook_event* const provision_event = hooks::find_event("provision");

}  // namespace

namespace {

// What was done is written down, and the rest is asked for again.
reply_ptr refused_anyway(reply_ptr to) {
  class refusing final : public reply_to {
   public:
    explicit refusing(reply_ptr to) : to_(std::move(to)) {}
    void done(std::uint64_t sequence, const std::string&) override { to_->refused(sequence, model::refuse(values::pbs_error::hook_error)); }
    void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

   private:
    reply_ptr to_;
  };
  return std::make_shared<refusing>(std::move(to));
}

}  // namespace

// What happened is on disk already. That hooks are to look on at it is a reaction's to say (actors/server/reactions/looking_hooks.cpp),
// so a crash before their run was written down only means that they run again.
void hook_routes::look_on(const reactions::run_looking_hooks& what, reply_ptr reply) {
  const auto& shown = what.event->parameters.front();
  const auto kind = shown.kind == hooks::parameter_kind::job           ? ObjectKind::JOB
                    : shown.kind == hooks::parameter_kind::reservation ? ObjectKind::RESERVATION
                                                                       : ObjectKind::NODE;
  // Of a reservation that has ended there is nothing to see any more.
  const bool before = what.event == resv_end_event;
  server_hooks::question q{what.event, what.by, what.by.user, what.subject, {}, {}, what.hooks};
  q.views.push_back({shown.name, kind, what.subject, before ? what.sequence - 1 : what.sequence});
  if (kind == ObjectKind::NODE && what.sequence > 1) q.views.push_back({"vnode_o", kind, what.subject, what.sequence - 1});
  hooks_.run(std::move(q), [this, what, reply = std::move(reply)](hooks::chain_result& result) {
    carry_out({what.subject, what.sequence, std::to_string(what.sequence)}, result,
              all_ran(*what.event, what.hooks, result) ? reply : refused_anyway(reply));
  });
}

// When it is due is a reaction's to say (actors/server/reactions/periodic_hooks.cpp). It is shown the site as it is now.
void hook_routes::run_periodic(const std::string& hook, std::uint64_t cause, reply_ptr reply) {
  server_hooks::question q{
      periodic_event,
      board_.server_itself(),
      {},
      "periodic",
      {},
      {{"vnode_list", ObjectKind::NODE, {}, board_.where().sequence(), {}, true},
       {"resv_list", ObjectKind::RESERVATION, {}, board_.where().sequence(), {}, true}},
      {hook},
  };
  hooks_.run(std::move(q), [this, hook, cause, reply = std::move(reply)](hooks::chain_result& result) {
    carry_out({"periodic", cause, std::to_string(cause) + " " + hook}, result,
              all_ran(*periodic_event, {hook}, result) ? reply : refused_anyway(reply));
  });
}

// When is a reaction's to say (actors/server/reactions/provisioning.cpp), and what follows from its verdict, too.
void hook_routes::provision(const reactions::run_provision_hook& what, std::uint64_t cause, reply_ptr reply) {
  server_hooks::question q{provision_event, board_.server_itself(), {}, what.vnode, {}, {}, {what.hook}};
  q.parameters.push_back({"aoe", what.aoe});
  q.parameters.push_back({"vnode", what.vnode});
  hooks_.run(std::move(q), [this, what, cause, reply = std::move(reply)](hooks::chain_result& result) {
    hooks_.write_all(what.vnode, cause, result.runs, all_ran(*provision_event, {what.hook}, result) ? reply : refused_anyway(reply));
  });
}

// Of those that are still to run. One that could not be read has not.
bool hook_routes::all_ran(const hooks::hook_event& event, const std::vector<std::string>& names, const hooks::chain_result& result) const {
  return std::ranges::all_of(names, [&](const std::string& name) {
    const auto* hook = board_.where().hook(name);
    return !hook || !hook->runs_at(event.name) ||
           std::ranges::any_of(result.runs, [&](const auto& run) { return schema::text(run.get().getHook()) == name; });
  });
}

// What a run that looked on wants of its job. What holds of it is said, and so is what is refused (golden: hook_events.txt H2).
envelope<model::job_command> hook_routes::change_by_look(const std::string& job, const std::string& hook, const wanted_changes& wanted,
                                                         reply_ptr reply, const hook_runs& run) {
  std::vector<std::string> lines;
  bool holds = false, comments = false;
  for (const auto& c : wanted) {
    const auto attribute = schema::text(c.attribute);
    lines.push_back(hooks::logged_change(hook, attribute, schema::text(c.resource), c.has_value ? schema::text(c.after) : ""));
    holds |= attribute == "Hold_Types" && c.has_value && c.after != "n";
    comments |= attribute == "comment";
  }
  auto changes = wanted;
  const auto comment = hooks::held_comment(hook, values::print_date(board_.parts().base.clock->now_ns() / 1'000'000'000));
  if (holds && !comments) changes.push_back(comment_of(comment));
  auto told = board_.reply_then([this, job, hook, lines = std::move(lines), reply = std::move(reply)](const model::rejection& why) {
    if (why.code != 0) {
      board_.note(log_event::error, "Hook", hook, "what hook '" + hook + "' set of job " + job + " does not hold: " + why.text);
      return reply->refused(0, why);
    }
    for (const auto& line : lines) board_.note(log_event::job, "Job", job, line);
    reply->done(0, "");
  });
  return board_.wrap<model::job_command>(model::client_request{alteration(job, changes), {}}, board_.server_itself(), std::move(told), run);
}

// What the runs want is done first, with command ids, so that it is done once even if they run again after a crash; then the
// runs are written down, and with that they are no longer owed. What can't be written is refused, and so asked for again.
void hook_routes::carry_out(const owed_run& what, const hooks::chain_result& result, const reply_ptr& reply) {
  restart_scheduling(result);
  auto done = [this, subject = what.subject, cause = what.cause, reply, runs = result.runs](const model::rejection& why) {
    if (why.code == values::pbs_error::system_error) return reply->refused(0, why);  // the disk is full: again
    hooks_.write_all(subject, cause, runs, reply);
  };
  const auto asked = requests_of(what.subject, result);
  if (asked.empty()) return done({});
  auto parts = reply_jointly(hooks_.decided_with(board_.reply_then(std::move(done))), asked.size());
  const auto send = [&](std::size_t i, auto envelope, auto&& to) {
    // By its name: when some are written down and others run again, they are fewer.
    const auto hook = schema::str(result.runs[asked[i].run].get().getHook());
    envelope.command_id = repeatable_id("hook " + what.id + " " + hook + " " + asked[i].object);
    envelope.cause = what.cause;
    to(std::move(envelope));
  };
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& w = asked[i];
    const hook_runs run{result.runs[w.run]};
    if (w.of_job) {
      const auto number = values::number_of(values::parse_job_id(w.object).value()).value();
      send(i, change_by_look(w.object, schema::str(run.front().get().getHook()), w.changes, parts[i], run),
           [&](auto e) { board_.tell_job(number, std::move(e)); });
    } else if (const auto h = board_.host_of(w.object)) {
      send(i, board_.wrap<model::host_command>(vnode_change(w.object, w.changes), board_.server_itself(), parts[i], run),
           [&](auto e) { board_.self()->send(h, std::move(e)); });
    } else {
      board_.refuse(parts[i], values::pbs_error::unknown_node);
    }
  }
}

}  // namespace annals::actors
