#include "actors/mom/parts/part_registry.hpp"

#include <algorithm>

#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

schema::RunRef::Reader run_of(schema::ToSister::Reader m) {
  switch (m.which()) {
    case schema::ToSister::JOIN: return m.getJoin().getOrder().getRef();
    case schema::ToSister::LEAVE: return m.getLeave().getRef();
    case schema::ToSister::SIGNAL: return m.getSignal().getRef();
    case schema::ToSister::SPAWN: return m.getSpawn().getTask().getRef();
    case schema::ToSister::SIGNAL_TASK: return m.getSignalTask().getTask().getRef();
    case schema::ToSister::TASK_TAKEN: return m.getTaskTaken().getRef();
    case schema::ToSister::ANSWER: return m.getAnswer().getRef();
    case schema::ToSister::OUTPUT: return m.getOutput().getTask().getRef();
    case schema::ToSister::OUTPUT_TAKEN: return m.getOutputTaken().getTask().getRef();
    case schema::ToSister::DESCRIBE: return m.getDescribe().getRef();
    case schema::ToSister::USAGE_NOW: return m.getUsageNow().getRef();
    case schema::ToSister::STILL_THERE: return m.getStillThere();
    case schema::ToSister::PROLOGUE: return m.getPrologue();
    case schema::ToSister::UPDATE: return m.getUpdate().getOrder().getRef();
    case schema::ToSister::PRESENT: return m.getPresent().getRef();
  }
  return {};  // a message of a later release: about no run that is known
}

// What happened to a task's process, as the part hears it.
model::part_command about_task(std::uint32_t task, model::run_command&& c) {
  if (auto* began = std::get_if<model::program_began>(&c)) return model::task_began{task, std::move(began->what)};
  if (auto* failed = std::get_if<model::program_failed>(&c)) return model::task_failed{task, std::move(failed->what)};
  auto& over = std::get<model::program_over>(c);
  over.what.usage = over.factors.of(over.what.usage);
  return model::task_over{task, std::move(over.what)};
}

}  // namespace

part_registry::part_registry(caf::event_based_actor* self, mom_parts parts, ticket_gate gate, const std::vector<left_run>& left)
    : self_(self), with_(std::move(parts)), gate_(std::move(gate)) {
  for (const auto& l : left) left_.remember(l);
}

envelope<model::part_command> part_registry::wrap(model::part_command c) const {
  return {std::move(c), {"pbs_mom", with_.settings->host, schema::Role::MOM}, {}, nullptr, settings_, {}, 0, {}};
}

caf::actor part_registry::spawn(const known_run& what, const std::string& primary) {
  auto a = self_->spawn<part_actor>(with_, caf::actor(self_), what.key, what.stream, settings_);
  parts_[what.key] = {what, a, primary};
  return a;
}

void part_registry::revive(const known_part& p) { spawn(p.what, p.primary); }

// -- primaries -----------------------------------------------------------------------------------------------------------------

// One that was cut off may be back before its old connection is known to be broken: it has forgotten what was asked over it.
void part_registry::primary_came(const wire::connection_ptr& peer) {
  const auto& name = peer->peer().name;
  if (const auto at = primaries_.find(name); at != primaries_.end()) {
    const auto old = at->second;
    primary_went(old);
    old->close("the primary connected anew");
  }
  primaries_[name] = peer;
  for (const auto& [key, p] : parts_)
    if (p.primary == name) self_->send(p.actor, primary_is_here{});
}

void part_registry::primary_went(const wire::connection_ptr& peer) {
  const auto at = primaries_.find(peer->peer().name);
  if (at == primaries_.end() || at->second != peer) return;
  for (const auto& [key, p] : parts_)
    if (p.primary == at->first) self_->send(p.actor, primary_is_gone{});
  primaries_.erase(at);
}

void part_registry::send(const to_primary& t) {
  if (const auto at = primaries_.find(t.host); at != primaries_.end()) at->second->send(t.message);
}

void part_registry::on_request(const std::string& from, const wire::connection_ptr& peer, schema::sealed<schema::ToSister> message) {
  const auto m = message.get();
  const auto ref = run_of(m);
  const auto at = parts_.find(annals::mom::key_of(ref));
  if (at == parts_.end()) {
    if (m.isJoin() && !left_.has(ref.getJobSerial(), ref.getRun())) return join(from, peer, std::move(message));
    if (!m.isJoin() && !m.isLeave() && !m.isSpawn() && !m.isSignalTask() && !m.isStillThere() && !m.isPrologue() &&
        !m.isUpdate() && !m.isPresent() && !m.isUsageNow())
      return;
    return say_left(from, ref);
  }
  if (at->second.primary != from) {
    with_.note(log_event::error | log_event::security, schema::str(ref.getJob()),
               "request of " + from + " refused: the primary is " + at->second.primary);
    if (peer) peer->close("not the primary of this job");
    return;
  }
  self_->send(at->second.actor, primary_said{std::move(message)});
}

// The primary may have missed it when the part said so.
void part_registry::say_left(const std::string& to, schema::RunRef::Reader ref) {
  const auto* was = left_.find(ref.getJobSerial(), ref.getRun());
  if (was && was->primary != to) was = nullptr;
  if (was && !was->refusal.empty()) return say_refused(to, ref, was->refusal_code, was->refusal);
  answer(to, [&](auto b) {
    auto left = b.initLeft();
    left.setRef(ref);
    if (!was) return;
    left.setHasUsage(true);
    model::write_host_usage({with_.settings->host, was->usage, with_.base.clock->now_ns()}, left.initUsage());
  });
}

void part_registry::say_refused(const std::string& to, schema::RunRef::Reader ref, std::int32_t code, const std::string& text) {
  answer(to, [&](auto b) {
    auto r = b.initRefused();
    r.setRef(ref);
    r.setCode(code);
    r.setText(text);
  });
}

// The server has ordered a later run, so it has given this one up; its primary may be cut off and not know.
bool part_registry::is_run_again(schema::RunRef::Reader ref) const {
  return std::ranges::any_of(parts_, [&](const auto& one) {
    return one.second.what.job_serial == ref.getJobSerial() && one.first.run > ref.getRun();
  });
}

void part_registry::join(const std::string& from, const wire::connection_ptr& peer, schema::sealed<schema::ToSister> message) {
  const auto ref = message.get().getJoin().getOrder().getRef();
  // Whoever asks from within is the run itself, which the server ordered.
  auto why = peer ? gate_.why_not(message.get().getJoin(), from, with_.base.clock->now_ns()) : std::string();
  if (why.empty() && is_run_again(ref)) why = "the job is run again, and this host is one of the later run";
  if (!why.empty()) {
    with_.note(log_event::error | log_event::security, schema::str(ref.getJob()), "join asked by " + from + " refused: " + why);
    return say_refused(from, ref, values::pbs_error::sister_rejected, why);
  }
  const auto order = message.get().getJoin().getOrder();
  const known_run what{annals::mom::key_of(ref), 0, ref.getJobSerial(), annals::mom::cookie_of(order), schema::str(order.getEuser())};
  self_->send(spawn(what, from), wrap(model::join_asked{std::move(message), from}));
}

// -- what happens here -----------------------------------------------------------------------------------------------------------

bool part_registry::discard(schema::RunRef::Reader ref) {
  const auto at = parts_.find(annals::mom::key_of(ref));
  if (at == parts_.end()) {
    left_.remember({ref.getJobSerial(), ref.getRun(), {}, {}, 0, {}});  // a primary that was cut off may still ask this host to join
    return false;
  }
  at->second.discarded = true;
  self_->send(at->second.actor, server_discards{});
  return true;
}

void part_registry::on_task_event(const values::task_key& task, model::run_command command) {
  on_event(task.run, about_task(task.task, std::move(command)));
}

void part_registry::on_grown(const task_grown& g) {
  if (const auto at = parts_.find(g.key.run); at != parts_.end()) self_->send(at->second.actor, g);
}

void part_registry::on_event(const values::run_key& key, model::part_command command) {
  if (const auto at = parts_.find(key); at != parts_.end()) self_->send(at->second.actor, wrap(std::move(command)));
}

bool part_registry::find(const find_job& f) {
  for (const auto& [key, p] : parts_) {
    if (p.primary == with_.settings->host || !is_wanted(f, key.job, p.what.cookie)) continue;
    self_->send(p.actor, f);
    return true;
  }
  return false;
}

bool part_registry::gone(const part_gone& g) {
  const auto gone = parts_.extract(g.key);
  left_.remember(g.what);
  return gone && gone.mapped().discarded;
}

}  // namespace annals::actors
