#include "actors/mom/parts/part_actor.hpp"

#include <csignal>
#include <utility>

#include "actors/mom/host/order_words.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/model/run/task_limits.hpp"

namespace annals::actors {

template class event_sourced_actor<part_aggregate>;
template class effect_running_actor<part_aggregate, model::part_effect>;

namespace {

using part_phase = model::part_phase;

constexpr std::string_view unwanted = "the server no longer knows the run";  // why a part leaves: nobody takes its output
constexpr std::int64_t repeat_ns = 5'000'000'000;                            // an ended task is told again after this, until it is taken

// The run stages its files out without its other hosts, as PBS logs it.
bool is_released_at_stage_out(schema::StartRun::Reader order) {
  return mom::attribute(order, "release_nodes_on_stageout") == "True" && !mom::attribute(order, "stageout").empty();
}

}  // namespace

part_actor::part_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
                       model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)),
      part_(context_of(std::move(parts), std::move(mom), std::move(key))),
      hooks_(hooks_owner()),
      start_(part_, hooks_),
      signals_(part_, hooks_),
      usage_(part_, hooks_),
      questions_(part_),
      output_(part_.parts.outputs, output_of()) {}

part_context part_actor::context_of(mom_parts parts, caf::actor mom, values::run_key key) {
  return {.parts = std::move(parts),
          .self = this,
          .mom = std::move(mom),
          .key = std::move(key),
          .state = state(),
          .receive = [this](envelope<model::part_command> e) { receive(std::move(e)); },
          .reconcile = [this] { reconcile(); }};
}

part_output::part part_actor::output_of() {
  return {.key_of = [this](std::uint32_t task) { return state().task_key(task); },
          .send = [this](const output_piece& p) { send_piece(p); },
          .aside = [this](part_output::work what) { send(part_.mom, file_work{caf::actor(this), std::move(what)}); },
          .reconcile = [this] { reconcile(); }};
}

job_hooks::owner part_actor::hooks_owner() {
  return {.self = this,
          .mom = part_.mom,
          .parts = part_.parts,
          .job = state().job,
          .ran = state().hooks,
          .used = state().hook_usage,
          .now = [this] { return job_of(state(), local()); },
          .write = [this](std::vector<model::usage_change> changes, bool closing,
                          reply_ptr reply) { part_.command(model::part_hooks_used{std::move(changes), closing}, std::move(reply)); },
          .reconcile = [this] { reconcile(); },
          .hand_over = [this](std::vector<model::usage_change>& changes) {
            if (local() && !changes.empty()) send(part_.mom, hook_usage_of_run{part_.key, {std::move(changes)}});
            return local(); }};
}

caf::message_handler part_actor::other_handlers() {
  return caf::message_handler{
      [this](const primary_said& p) { on_request(p.message); },
      [this](primary_is_here) {
        usage_.tell_anew();
        repeat_to_primary();
      },
      [this](server_discards) { on_discarded(); },
      [this](const poll_usage& p) { poll(p); },
      [this](const task_grown& g) { output_.look(g.key.task); },
      [](run_this& what) { what.work(); },
      [this](const new_settings& s) { part_.parts.settings = s.settings; },
  }
      .or_else(hooks_.handlers())
      .or_else(questions_.handlers());
}

void part_actor::on_discarded() {
  part_.note(log_event::job, "the server no longer knows this run of the job: killed");
  output_.drop();
  part_.command(model::leave_order{std::string(unwanted)});
  on_change();  // a part that was leaving already waits for its output no longer
}

void part_actor::poll(const poll_usage& p) {
  if (++polls_ % limits::output_repeat_s == 0) {
    output_.repeat();
    output_.look();  // what no watch has told of
    reconcile();     // of tasks whose files could not be read before
  }
  usage_.poll(p.report_interval_s);
}

void part_actor::on_change() {
  find_ended_tasks();
  reconcile();
}

// Of the tasks that have ended, those that the primary may not have; and what it asks in this life.
std::vector<model::part_effect> part_actor::owed() {
  std::vector<model::part_effect> all;
  for (auto& effect : model::pending_effects(state())) {
    if (!std::holds_alternative<model::say_ended_tasks>(effect)) all.push_back(std::move(effect));
    else
      for (const auto task : untaken_) {
        all.push_back(model::say_task{task});
        all.push_back(model::say_task_end{task});
      }
  }
  if (start_.is_prologue_wanted() && state().phase == part_phase::ready) all.push_back(model::say_prologue_over{});
  return all;
}

effect_time part_actor::when(const model::part_effect& effect) const {
  return {0, std::holds_alternative<model::say_task_end>(effect) ? repeat_ns : 0};
}

struct part_actor::beginner {
  part_actor& a;

  begun operator()(const model::set_up_part&) const { return a.set_up(); }
  begun operator()(const model::say_joined&) const {
    a.part_.tell_primary([&](auto m) { a.part_.fill_ref(m.initJoined()); });
    return begun::yes;
  }
  begun operator()(const model::say_known&) const {
    if (!a.local()) a.usage_.tell_server();
    return begun::yes;
  }
  begun operator()(const model::say_refused&) const { return a.leave(true), begun::yes; }
  begun operator()(const model::say_left&) const { return a.leave(false), begun::yes; }
  begun operator()(const model::start_task& t) const { return a.start_.start(t.task); }
  begun operator()(const model::watch_task& t) const {  // not started in this life: the host must look for it first
    a.part_.parts.processes->adopt(a.state().task_key(t.task));
    return begun::yes;
  }
  begun operator()(const model::say_task& t) const { return a.say_running(t.task); }
  begun operator()(const model::say_ended_tasks&) const { return begun::yes; }  // told one by one
  begun operator()(const model::say_task_end& t) const { return a.say_ended(t.task); }
  begun operator()(const model::kill_task& t) const {
    a.part_.parts.processes->signal(a.state().task_key(t.task), SIGKILL);
    return begun::yes;
  }
  begun operator()(const model::say_prologue_over&) const { return a.start_.say_prologue_over(); }
  begun operator()(const model::say_updated& u) const { return a.say_updated(u.number), begun::yes; }
  begun operator()(const model::resize_part& r) const { return a.resize(r.number), begun::yes; }
  begun operator()(const model::tear_down_part&) const { return a.tear_down(); }
};

begun part_actor::begin(const model::part_effect& effect) { return std::visit(beginner{*this}, effect); }

void part_actor::find_ended_tasks() {
  open_tasks_.look(state().tasks, [this](std::uint32_t task) {
    if (state().active.contains(task)) return false;
    follow_output(task);
    untaken_.insert(task);
    return true;
  });
}

void part_actor::follow_output(std::uint32_t task) {
  if (state().leave_why == unwanted) output_.drop();
  output_.follow(task, schema::str(state().order().getEuser()));
}

begun part_actor::set_up() {
  if (!local() && !start_.hooks_allow(hook_point::begin)) return begun::not_yet;
  if (local()) return part_.command(model::set_up_done{}), begun::yes;  // the run has made everything
  part_.note(log_event::job, "JOIN_JOB as node " + std::to_string(state().node()));
  part_.parts.places->set_up(mom::place_for(state().order(), *state().allocated, *part_.parts.settings));
  return begun::yes;
}

// RS-107. The node file is written anew after a restart too: the one before may be what is there.
void part_actor::say_updated(std::uint32_t number) {
  if (!local()) {
    auto place = mom::place_for(state().order(), *state().allocated, *part_.parts.settings);
    place.node_file_is_read = !state().active.empty();
    part_.parts.places->update(place, number);
  }
  if (std::exchange(updates_noted_, number) != number) part_.note(log_event::job, "updated nodes info");
  part_.tell_primary([&](auto m) {
    part_.fill_ref(m.initUpdated().initRef());
    m.getUpdated().setNumber(number);
  });
}

// Of a task that has ended already it is said only while what it wrote is not taken: who asked for that waits to hear of the task first.
begun part_actor::say_running(std::uint32_t number) {
  follow_output(number);
  const bool ended = !state().active.contains(number);
  const auto left = ended ? output_.left_of(number) : part_output::left::something;
  if (left == part_output::left::unknown) return begun::not_yet;
  if (left == part_output::left::nothing) return begun::yes;
  if (!ended && signals_.is_suspended())
    part_.parts.processes->signal(state().task_key(number), SIGSTOP);  // it was starting when the others were stopped
  tell_task(number, schema::TaskState::Phase::RUNNING);
  return begun::yes;
}

begun part_actor::say_ended(std::uint32_t number) {
  if (!output_.all_taken(number)) return begun::not_yet;
  const auto& task = state().tasks.at(number);
  tell_task(number, task.was_started ? schema::TaskState::Phase::ENDED : schema::TaskState::Phase::NOT_STARTED);
  return begun::yes;
}

void part_actor::tell_task(std::uint32_t number, schema::TaskState::Phase phase) {
  const auto& task = state().tasks.at(number);
  part_.tell_primary([&](auto m) {
    auto t = m.initTaskState();
    part_.fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setPhase(phase);
    t.setPid(task.pid);
    t.setExitStatus(task.exit_status);
    t.setText(task.text);
    model::write_usage(task.usage, t.initUsage());
  });
}

// RD-25: what confines the job's processes on this host becomes smaller only if a hook wants it. Hooks hear of one after the other: two
// that run at a time could look at what is left in the wrong order.
void part_actor::resize(std::uint32_t number) {
  if (!hooks_.wanted(hook_point::resized)) return part_.command(model::part_resized{number, false});
  if (std::exchange(resize_asked_, true)) return;
  hooks_.ask(hooks_.at(hook_point::resized), [this, number](hook_point_passed& p) {
    resize_asked_ = false;
    if (state().phase != model::part_phase::ready) return;
    if (number != state().to_resize) return resize(state().to_resize);  // there was another one meanwhile
    const auto share = mom::share_here(*state().allocated, *part_.parts.settings);
    if (!p.refused && share) part_.parts.processes->confine(part_.key, *share);
    part_.command(model::part_resized{number, !p.refused});
  });
}

// Whether the host may clean up; else it does when they are over. A job that was refused here has begun nothing.
bool part_actor::closing_hooks_are_over() {
  const auto point = state().aborted() ? hook_point::aborted : hook_point::ended;
  const bool none = local() || !state().refusal.empty() || state().closing_hooks_used;
  return hooks_.closing_are_over(point, none, [this](at_hook_point& a) { a.usage = usage_.now().usage; });
}

begun part_actor::tear_down() {
  if (!output_.all_taken() || !closing_hooks_are_over()) return begun::not_yet;
  for (const auto& [number, task] : state().tasks) part_.parts.processes->forget(state().task_key(number));
  if (local()) part_.command(model::torn_down{});
  else {
    auto place = mom::place_for(state().order(), *state().allocated, *part_.parts.settings);
    place.run_goes_on = state().leaves_alone();
    part_.parts.places->tear_down(place);
  }
  return begun::yes;
}

void part_actor::leave(bool refused) {
  if (!local() && !state().aborted())
    part_.note(log_event::job, is_released_at_stage_out(state().order()) ? "DELETE_JOB2 received" : "DELETE_JOB received");
  const auto used = usage_.now();
  // First of all: what the primary says when it has heard of it would come to an actor that is no more.
  send(part_.mom,
       part_gone{part_.key, {state().job_serial, state().run, state().primary, used.usage, state().refusal_code, state().refusal}});
  part_.tell_primary([&](auto m) {
    if (refused) {
      auto r = m.initRefused();
      part_.fill_ref(r.initRef());
      r.setCode(state().refusal_code);
      r.setText(state().refusal);
    } else {
      auto l = m.initLeft();
      part_.fill_ref(l.initRef());
      l.setHasUsage(true);
      model::write_host_usage(used, l.initUsage());
    }
  });
  quit();
}

// -- what the primary wants ------------------------------------------------------------------------------------------------

void part_actor::on_request(const schema::sealed<schema::ToSister>& message) {
  const auto m = message.get();
  switch (m.which()) {
    case schema::ToSister::STILL_THERE:
    case schema::ToSister::JOIN:
      effects().again_one(id_of(model::part_effect(model::say_joined{})));  // asked again: answered again
      return reconcile();
    case schema::ToSister::PROLOGUE:
      start_.want_prologue();
      effects().again_one(id_of(model::part_effect(model::say_prologue_over{})));
      return reconcile();
    case schema::ToSister::PRESENT:
      if (state().phase == part_phase::ready) say_present(m.getPresent().getQuestion());  // else it is leaving, and says so
      return;
    case schema::ToSister::USAGE_NOW:
      if (state().phase == part_phase::ready) usage_.tell_primary(usage_.now(), m.getUsageNow().getQuestion());
      return;
    case schema::ToSister::UPDATE:
      effects().again_one(id_of(model::part_effect(model::say_updated{m.getUpdate().getNumber()})));  // a repeat is answered again
      part_.command(model::update_asked{message, part_.parts.settings->host});
      return reconcile();
    case schema::ToSister::LEAVE: return on_leave(m.getLeave());
    case schema::ToSister::SIGNAL: return signals_.on_all(m.getSignal());
    case schema::ToSister::SPAWN:
      effects().again_one(id_of(model::part_effect(model::say_task{m.getSpawn().getTask().getTask()})));  // a repeat is answered again
      part_.command(model::spawn_asked{message});
      return reconcile();
    case schema::ToSister::SIGNAL_TASK: return signals_.on_one(m.getSignalTask());
    case schema::ToSister::TASK_TAKEN:
      untaken_.erase(m.getTaskTaken().getTask());
      return reconcile();
    case schema::ToSister::ANSWER: return questions_.on_answer(m.getAnswer());
    case schema::ToSister::OUTPUT: return questions_.on_output(m.getOutput());
    case schema::ToSister::OUTPUT_TAKEN: {
      const auto taken = read_taken(m.getOutputTaken());
      output_.taken(taken.task, taken.errors, taken.up_to);
      return reconcile();  // the end of the task waited for it, and a host that leaves
    }
    case schema::ToSister::DESCRIBE: return say_system(m.getDescribe().getQuestion());
  }
}

void part_actor::on_leave(schema::LeaveJob::Reader order) {
  const auto why = schema::text(order.getWhy());
  if (!local() && (state().phase == part_phase::joining || state().phase == part_phase::ready)) {
    if (why == model::goes_on_without_host) part_.note(log_event::debug, "DELETE_JOB2 received");  // RD-86
    else part_.note(log_event::job, why == model::start_failed_elsewhere ? "ABORT_JOB received" : "KILL_JOB received");
    part_.note(log_event::job, "kill_job");
  }
  output_.repeat();  // nobody but the job's files takes what is left
  part_.command(model::leave_order{std::string(why)});
}

void part_actor::say_present(std::uint32_t question) {
  part_.tell_primary([&](auto m) {
    part_.fill_ref(m.initPresent().initRef());
    m.getPresent().setQuestion(question);
  });
}

void part_actor::say_system(std::uint64_t question) {
  part_.tell_primary([&](auto m) {
    part_.fill_ref(m.initDescribed().initRef());
    m.getDescribed().setQuestion(question);
    m.getDescribed().setSystem(part_.parts.settings->system);
  });
}

void part_actor::send_piece(const output_piece& piece) {
  part_.tell_primary([&](auto m) {
    auto o = m.initOutput();
    part_.fill_ref(o.initTask().initRef());
    write_piece(piece, o);
  });
}

// A new connection of the primary: it asks again for what it wants; what it may have missed is told again.
void part_actor::repeat_to_primary() {
  effects().again([](const model::part_effect& e) {
    return std::holds_alternative<model::say_task>(e) || std::holds_alternative<model::say_task_end>(e);
  });
  reconcile();
  output_.repeat();
}

}  // namespace annals::actors
