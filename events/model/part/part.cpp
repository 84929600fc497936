#include "events/model/part/part.hpp"

#include <algorithm>

#include "events/model/vnodes/allocation_change.hpp"

namespace annals::model {

using which = schema::PartEvent::Which;
using phase = part_phase;

namespace {

constexpr part_transition transitions[] = {
    {phase::none, which::JOINED, phase::joining},
    {phase::joining, which::HOOK_RAN, phase::joining},
    {phase::joining, which::HOOK_USED, phase::joining},
    {phase::joining, which::SET_UP, phase::ready},
    {phase::joining, which::JOIN_REFUSED, phase::leaving},
    {phase::joining, which::LEAVE_ASKED, phase::leaving},
    {phase::ready, which::HOOK_RAN, phase::ready},
    {phase::ready, which::HOOK_USED, phase::ready},
    {phase::ready, which::UPDATED, phase::ready},
    {phase::ready, which::RESIZED, phase::ready},
    {phase::ready, which::TASK_STARTING, phase::ready},
    {phase::ready, which::TASK_STARTED, phase::ready},
    {phase::ready, which::TASK_ENDED, phase::ready},
    {phase::ready, which::LEAVE_ASKED, phase::leaving},
    {phase::leaving, which::TASK_STARTED, phase::leaving},
    {phase::leaving, which::TASK_ENDED, phase::leaving},
    {phase::leaving, which::HOOK_USED, phase::leaving},
    {phase::leaving, which::LEFT, phase::left},
};

const part_transition* row_of(phase from, which event) {
  const auto* at = std::find_if(std::begin(transitions), std::end(transitions),
                                [&](const part_transition& t) { return t.from == from && t.event == event; });
  return at == std::end(transitions) ? nullptr : at;
}

template <class Fill>
std::vector<event> one(Fill&& fill) { return {make_event(std::forward<Fill>(fill))}; }

const task_state* task_of(const part_state& part, std::uint32_t number, task_phase in) {
  const auto at = part.tasks.find(number);
  return at != part.tasks.end() && at->second.phase == in ? &at->second : nullptr;
}

// -- decide, one per command -----------------------------------------------------------------------------------------------

outcome on_join(const part_state& part, const join_asked& c) {
  if (part.phase != phase::none) return no_change;  // a repeat: answered with what was done
  const auto ref = c.message.get().getJoin().getOrder().getRef();
  const auto bytes = c.message.bytes();
  return one([&](auto e) {
    auto j = e.initPart().initJoined();
    j.setJob(ref.getJob());
    j.setRun(ref.getRun());
    j.setJobSerial(ref.getJobSerial());
    j.setPrimary(c.primary);
    j.setOrder({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
  });
}

outcome on_set_up(const part_state& part, const set_up_done& c) {
  if (part.phase != phase::joining) return no_change;
  if (c.code == 0) return one([](auto e) { e.initPart().setSetUp(); });
  return one([&](auto e) {
    auto r = e.initPart().initJoinRefused();
    r.setCode(c.code);
    r.setText(c.text);
  });
}

outcome on_spawn(const part_state& part, const spawn_asked& c) {
  const auto s = c.message.get().getSpawn();
  if (part.phase != phase::ready || part.tasks.contains(s.getTask().getTask())) return no_change;
  return one([&](auto e) {
    auto t = e.initPart().initTaskStarting();
    t.setTask(s.getTask().getTask());
    t.setArgv(s.getArgv());
    t.setEnvironment(s.getEnvironment());
    t.setNode(s.getNode());
  });
}

// What the run had when this host was asked to join.
allocation_ptr joined_with(const part_state& part) {
  if (part.reductions == 0) return part.allocated;
  return std::make_shared<const allocation>(allocation_of(part.request.get().getJoin().getOrder()));
}

std::vector<std::uint32_t> gone_in(schema::UpdateJob::Reader update) {
  std::vector<std::uint32_t> gone;
  for (const auto part : update.getGone()) gone.push_back(part);
  return gone;
}

// The ticket was for what it was asked to join with.
bool is_of_same_job(const part_state& part, schema::UpdateJob::Reader update) {
  const auto joined = part.request.get().getJoin().getOrder(), now = update.getOrder();
  return joined.getEuser() == now.getEuser() && joined.getEgroup() == now.getEgroup() && joined.getOwner() == now.getOwner();
}

outcome on_update(const part_state& part, const update_asked& c) {
  const auto update = c.message.get().getUpdate();
  if (part.phase != phase::ready || update.getNumber() <= part.reductions || !is_of_same_job(part, update)) return no_change;
  const auto gone = gone_in(update);
  const auto here = joined_with(part)->parts_on(c.host, gone);
  if (gone.empty() || !here || here->then_on_first_host == 0) return no_change;
  const auto before = part.reductions == 0 ? here->now : part.allocated->parts_on(c.host, {})->now;
  const auto bytes = c.message.bytes();
  return one([&](auto e) {
    auto u = e.initPart().initUpdated();
    u.setNumber(update.getNumber());
    u.setLessHere(here->then > 0 && here->then < before);
    u.setOrder({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
  });
}

outcome on_resized(const part_state& part, const part_resized& c) {
  if (part.phase != phase::ready || c.number != part.to_resize || c.number <= part.resized) return no_change;
  return one([&](auto e) {
    auto r = e.initPart().initResized();
    r.setNumber(c.number);
    r.setAccepted(c.accepted);
  });
}

outcome on_began(const part_state& part, const task_began& c) {
  if (!task_of(part, c.task, task_phase::starting)) return no_change;
  return one([&](auto e) {
    auto t = e.initPart().initTaskStarted();
    t.setTask(c.task);
    t.setPid(c.what.pid);
    t.setSession(c.what.session);
  });
}

outcome on_task_failed(const part_state& part, const task_failed& c) {
  if (!task_of(part, c.task, task_phase::starting)) return no_change;
  return one([&](auto e) {
    auto t = e.initPart().initTaskEnded();
    t.setTask(c.task);
    t.setExitStatus(c.what.code);
    t.setText(c.what.text.empty() ? "not started" : c.what.text);
  });
}

outcome on_task_over(const part_state& part, const task_over& c) {
  if (!task_of(part, c.task, task_phase::started)) return no_change;
  return one([&](auto e) {
    auto t = e.initPart().initTaskEnded();
    t.setTask(c.task);
    t.setExitStatus(c.what.exit_status);
    t.setText(c.what.why);
    write_usage(measured_usage(c.what.usage), t.initUsage());
  });
}

outcome on_leave(const part_state& part, const leave_order& c) {
  if (part.phase != phase::joining && part.phase != phase::ready) return no_change;
  return one([&](auto e) { e.initPart().initLeaveAsked().setText(c.why); });
}

// The closing ones are told of also if they have set what was there: nobody has a word after them.
void note_used(const part_state& part, const std::vector<usage_change>& set_by_hooks, bool closing, std::vector<event>& out) {
  const auto news = news_in(set_by_hooks, part.hook_usage);
  if (news.empty() && !(closing && !set_by_hooks.empty())) return;
  out.push_back(make_event([&](auto e) {
    auto used = e.initPart().initHookUsed();
    used.setClosing(closing);
    write_changes(news, used.initChanges(static_cast<unsigned>(news.size())));
  }));
}

outcome on_hooks_used(const part_state& part, const part_hooks_used& c) {
  const bool too_late = part.closing_hooks_used && !c.closing;  // a periodic hook began before the closing ones, which have the last word
  std::vector<event> out;
  if (part.phase != phase::none && part.phase != phase::left && !too_late) note_used(part, c.changes, c.closing, out);
  return out;
}

outcome on_hooks_done(const part_state& part, const part_hooks_done& c) {
  if (part.phase != phase::joining && part.phase != phase::ready) return on_hooks_used(part, {c.used, false});
  auto out = hook_events(c.runs, part.job, [](auto e) { return e.initPart().initHookRan(); });
  note_used(part, c.used, false, out);
  return out;
}

outcome on_torn_down(const part_state& part) {
  if (part.phase != phase::leaving || !part.active.empty()) return no_change;
  return one([](auto e) { e.initPart().setLeft(); });
}

}  // namespace

outcome decide(const part_state& part, const part_command& command, const stamp&, const settings&) {
  struct visitor {
    const part_state& part;
    outcome operator()(const join_asked& c) const { return on_join(part, c); }
    outcome operator()(const set_up_done& c) const { return on_set_up(part, c); }
    outcome operator()(const spawn_asked& c) const { return on_spawn(part, c); }
    outcome operator()(const task_began& c) const { return on_began(part, c); }
    outcome operator()(const task_failed& c) const { return on_task_failed(part, c); }
    outcome operator()(const task_over& c) const { return on_task_over(part, c); }
    outcome operator()(const leave_order& c) const { return on_leave(part, c); }
    outcome operator()(const update_asked& c) const { return on_update(part, c); }
    outcome operator()(const part_resized& c) const { return on_resized(part, c); }
    outcome operator()(const torn_down&) const { return on_torn_down(part); }
    outcome operator()(const part_hooks_done& c) const { return on_hooks_done(part, c); }
    outcome operator()(const part_hooks_used& c) const { return on_hooks_used(part, c); }
  };
  return std::visit(visitor{part}, command);
}

// -- apply -----------------------------------------------------------------------------------------------------------------

namespace {

void on_joined(part_state& part, const event_place& at, schema::JobJoined::Reader e) {
  part.stream = at.stream;
  part.job = schema::str(e.getJob());
  part.run = e.getRun();
  part.job_serial = e.getJobSerial();
  part.primary = schema::str(e.getPrimary());
  auto message = schema::sealed_message::from_bytes(schema::bytes_of(e.getOrder()));
  ANNALS_INVARIANT(message.has_value(), "a request in the log is well-formed");
  part.request = schema::sealed<schema::ToSister>(std::move(*message));
  part.allocated = part.numbered = part.confined = std::make_shared<const allocation>(allocation_of(part.order()));
}

// The order as it would be given now, in full.
schema::sealed<schema::ToSister> order_after(const part_state& part, schema::UpdateJob::Reader update) {
  std::vector<shown_value> changes;
  for (const auto a : update.getOrder().getAttributes()) changes.push_back(read_change(a));
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    m.initUpdate().setOrder(update.getOrder());
    write_changed(part.request.get().getJoin().getOrder().getAttributes(), changes, m.getUpdate().getOrder());
  });
}

void on_updated(part_state& part, schema::JobUpdated::Reader e) {
  auto message = schema::sealed_message::from_bytes(schema::bytes_of(e.getOrder()));
  ANNALS_INVARIANT(message.has_value(), "an update in the log is well-formed");
  auto left = joined_with(part)->without(gone_in(message->root<schema::ToSister>().getUpdate()));
  ANNALS_INVARIANT(left, "an update in the log follows from the join");
  left->renumber({}, {});  // the select that comes with it counts its chunks
  part.update = order_after(part, message->root<schema::ToSister>().getUpdate());
  part.reductions = e.getNumber();
  part.allocated = part.numbered = std::make_shared<const allocation>(std::move(*left));
  if (part.tasks.empty()) part.confined = part.allocated;  // there are no processes yet
  if (e.getLessHere()) part.to_resize = part.reductions;
}

void on_resized(part_state& part, schema::PartResized::Reader e) {
  part.resized = e.getNumber();
  if (e.getAccepted()) part.confined = part.allocated;
}

task_state& known(part_state& part, std::uint32_t number) {
  const auto at = part.tasks.find(number);
  ANNALS_INVARIANT(at != part.tasks.end(), "a task begins with TaskStarting");
  return at->second;
}

void on_starting(part_state& part, schema::TaskStarting::Reader e) {
  auto& t = part.tasks[e.getTask()];
  part.active.insert(e.getTask());
  t.argv = schema::texts(e.getArgv());
  t.environment = schema::texts(e.getEnvironment());
  t.node = e.getNode();
}

void on_ended(part_state& part, schema::TaskEnded::Reader e) {
  auto& t = known(part, e.getTask());
  t.phase = task_phase::ended;
  t.exit_status = e.getExitStatus();
  t.text = schema::str(e.getText());
  t.usage = read_usage(e.getUsage());
  part.active.erase(e.getTask());
  add_ended_task(part.ended_usage, t.usage);
  t.argv = t.environment = {};  // as many tasks may have ended as a run may have
}

}  // namespace

void apply(part_state& part, const event_place& at, schema::PartEvent::Reader event) {
  const auto* row = row_of(part.phase, event.which());
  ANNALS_INVARIANT(row, "an event the part's table does not list");
  switch (event.which()) {
    case which::JOINED: on_joined(part, at, event.getJoined()); break;
    case which::JOIN_REFUSED:
      part.refusal_code = event.getJoinRefused().getCode();
      part.refusal = schema::str(event.getJoinRefused().getText());
      break;
    case which::LEAVE_ASKED: part.leave_why = schema::str(event.getLeaveAsked().getText()); break;
    case which::HOOK_RAN: part.hooks.add(event.getHookRan()); break;
    case which::HOOK_USED:
      apply_changes(part.hook_usage, event.getHookUsed().getChanges());
      part.closing_hooks_used |= event.getHookUsed().getClosing();
      break;
    case which::UPDATED: on_updated(part, event.getUpdated()); break;
    case which::RESIZED: on_resized(part, event.getResized()); break;
    case which::TASK_STARTING: on_starting(part, event.getTaskStarting()); break;
    case which::TASK_STARTED: {
      auto& t = known(part, event.getTaskStarted().getTask());
      t.phase = task_phase::started;
      t.was_started = true;
      t.pid = event.getTaskStarted().getPid();
      t.session = event.getTaskStarted().getSession();
      break;
    }
    case which::TASK_ENDED: on_ended(part, event.getTaskEnded()); break;
    case which::SET_UP:
    case which::LEFT: break;  // the phase says it
  }
  part.phase = row->to;
  part.version = at.version;
}

// -- effects ---------------------------------------------------------------------------------------------------------------

std::vector<part_effect> pending_effects(const part_state& part) {
  std::vector<part_effect> owed;
  const bool leaving = part.phase == phase::leaving;
  if (part.phase == phase::joining) owed.push_back(set_up_part{});
  if (part.phase == phase::ready) {
    owed.push_back(say_joined{});
    owed.push_back(say_known{});
    if (part.reductions > 0) owed.push_back(say_updated{part.reductions});
    if (part.to_resize > part.resized) owed.push_back(resize_part{part.to_resize});
  }
  for (const auto number : part.active) {
    if (part.tasks.at(number).phase == task_phase::starting) {
      owed.push_back(leaving ? part_effect(watch_task{number}) : part_effect(start_task{number}));
      continue;
    }
    owed.push_back(watch_task{number});
    owed.push_back(say_task{number});
    if (leaving) owed.push_back(kill_task{number});
  }
  if (part.phase != phase::left && part.tasks.size() > part.active.size()) owed.push_back(say_ended_tasks{});
  if (leaving && part.active.empty()) owed.push_back(tear_down_part{});
  // A host that could not join says so when nothing it made is left.
  if (part.phase == phase::left) owed.push_back(part.refusal.empty() ? part_effect(say_left{}) : part_effect(say_refused{}));
  return owed;
}

effect_id id_of(const part_effect& effect) {
  struct visitor {
    effect_id operator()(const set_up_part&) const { return {"set up"}; }
    effect_id operator()(const say_joined&) const { return {"say joined"}; }
    effect_id operator()(const say_known&) const { return {"say known"}; }
    effect_id operator()(const say_refused&) const { return {"leave"}; }
    effect_id operator()(const say_left&) const { return {"leave"}; }
    effect_id operator()(const start_task& e) const { return {"task", {}, e.task}; }
    effect_id operator()(const watch_task& e) const { return {"task", {}, e.task}; }
    effect_id operator()(const say_task& e) const { return {"say running", {}, e.task}; }
    effect_id operator()(const say_ended_tasks&) const { return {"say ends"}; }
    effect_id operator()(const say_task_end& e) const { return {"say end", {}, e.task}; }
    effect_id operator()(const kill_task& e) const { return {"kill", {}, e.task}; }
    effect_id operator()(const say_prologue_over&) const { return {"say prologue over"}; }
    effect_id operator()(const say_updated& e) const { return {"say updated", {}, e.number}; }
    effect_id operator()(const resize_part& e) const { return {"resize", {}, e.number}; }
    effect_id operator()(const tear_down_part&) const { return {"tear down"}; }
  };
  return std::visit(visitor{}, effect);
}

std::span<const part_transition> part_transitions() { return transitions; }
bool may_happen(phase from, which event) { return row_of(from, event) != nullptr; }

}  // namespace annals::model
