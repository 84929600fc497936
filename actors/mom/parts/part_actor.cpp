#include "actors/mom/parts/part_actor.hpp"

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/hooks/hook_usage.hpp"
#include "actors/mom/host/order_words.hpp"
#include "actors/mom/tasks/attached.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "events/model/run/order_now.hpp"
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

std::string task_number(std::uint32_t task) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", task);
  return text;
}

}  // namespace

part_actor::part_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
                       model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)),
      parts_(std::move(parts)),
      mom_(std::move(mom)),
      key_(std::move(key)),
      hooks_(mom_, parts_.hooks),
      output_(
          parts_.outputs, [this](std::uint32_t task) { return state().task_key(task); }, [this](const output_piece& p) { send_piece(p); }) {
}

caf::message_handler part_actor::other_handlers() {
  return caf::message_handler{
      [this](const primary_said& p) { on_request(p.message); },
      [this](primary_is_here) {
        told_ = {};  // a new life of it knows nothing of what was used here
        told_ns_ = 0;
        repeat_to_primary();
      },
      [this](server_discards) {
        parts_.note(log_event::job, state().job, "the server no longer knows this run of the job: killed");
        output_.drop();
        command(model::leave_order{std::string(unwanted)});
        on_change();  // a part that was leaving already waits for its output no longer
      },
      [this](const poll_usage& p) { poll(p); },
      [this](hook_point_passed& p) {
        hooks_.on_passed(p);
        keep(std::move(p.used));
      },
      [this](hook_usage_set& u) { keep(std::move(u.changes)); },
      [this](const closing_usage_settled& s) {
        note_not_kept(parts_, state().job, s);
        hooks_.open(s.point);
        reconcile();
      },
      [this](const new_settings& s) { parts_.settings = s.settings; },
  }
      .or_else(task_handlers());
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
  if (prologue_asked_ && state().phase == part_phase::ready) all.push_back(model::say_prologue_over{});
  return all;
}

effect_time part_actor::when(const model::part_effect& effect) const {
  return {0, std::holds_alternative<model::say_task_end>(effect) ? repeat_ns : 0};
}

begun part_actor::begin(const model::part_effect& effect) {
  struct visitor {
    part_actor& a;
    begun operator()(const model::set_up_part&) const { return a.set_up(); }
    begun operator()(const model::say_joined&) const {
      a.tell_primary([&](auto m) { a.fill_ref(m.initJoined()); });
      return begun::yes;
    }
    begun operator()(const model::say_known&) const {
      if (!a.local()) a.tell_server();
      return begun::yes;
    }
    begun operator()(const model::say_refused&) const { return a.leave(true), begun::yes; }
    begun operator()(const model::say_left&) const { return a.leave(false), begun::yes; }
    begun operator()(const model::start_task& t) const { return a.start(t.task); }
    begun operator()(const model::watch_task& t) const {  // not started in this life: the host must look for it first
      a.parts_.processes->adopt(a.state().task_key(t.task));
      return begun::yes;
    }
    begun operator()(const model::say_task& t) const { return a.say_running(t.task), begun::yes; }
    begun operator()(const model::say_ended_tasks&) const { return begun::yes; }  // told one by one
    begun operator()(const model::say_task_end& t) const {
      if (!a.output_.all_taken(t.task)) return begun::not_yet;
      const auto& task = a.state().tasks.at(t.task);
      a.tell_task(t.task, task.was_started ? schema::TaskState::Phase::ENDED : schema::TaskState::Phase::NOT_STARTED);
      return begun::yes;
    }
    begun operator()(const model::kill_task& t) const {
      a.parts_.processes->signal(a.state().task_key(t.task), SIGKILL);
      return begun::yes;
    }
    begun operator()(const model::say_prologue_over&) const { return a.say_prologue_over(); }
    begun operator()(const model::say_updated& u) const { return a.say_updated(u.number), begun::yes; }
    begun operator()(const model::resize_part& r) const { return a.resize(r.number), begun::yes; }
    begun operator()(const model::tear_down_part&) const { return a.tear_down(); }
  };
  return std::visit(visitor{*this}, effect);
}

// Looks at the tasks that had not ended when it looked last.
void part_actor::find_ended_tasks() {
  for (auto at = state().tasks.upper_bound(last_task_); at != state().tasks.end(); ++at) open_tasks_.insert(last_task_ = at->first);
  std::erase_if(open_tasks_, [this](std::uint32_t task) {
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
  if (!local() && !hooks_allow(hook_point::begin)) return begun::not_yet;
  if (local()) return command(model::set_up_done{}), begun::yes;  // the run has made everything
  parts_.note(log_event::job, state().job, "JOIN_JOB as node " + std::to_string(state().node()));
  parts_.places->set_up(mom::place_for(state().order(), *state().allocated, *parts_.settings));
  return begun::yes;
}

// RS-107. The node file is written anew after a restart too: the one before may be what is there.
void part_actor::say_updated(std::uint32_t number) {
  if (!local()) {
    auto place = mom::place_for(state().order(), *state().allocated, *parts_.settings);
    place.node_file_is_read = !state().active.empty();
    parts_.places->update(place, number);
  }
  if (std::exchange(updates_noted_, number) != number) parts_.note(log_event::job, state().job, "updated nodes info");
  tell_primary([&](auto m) {
    fill_ref(m.initUpdated().initRef());
    m.getUpdated().setNumber(number);
  });
}

begun part_actor::start(std::uint32_t number) {
  if (!local() && !hooks_allow(hook_point::prologue)) return begun::not_yet;
  const auto& task = state().tasks.at(number);
  mom::task_words words{state().task_key(number), number, task.node, task.argv, task.environment};
  if (const auto session = attached_of(task.argv, task.environment)) {
    if (is_attached(*session, number)) return command(model::task_failed{number, {-2, std::string(session_is_attached)}}), begun::yes;
    words.attached = *session;
    parts_.note(log_event::job, state().job, "task " + task_number(number) + " attached, session " + std::to_string(session->session));
  } else {
    parts_.note(log_event::job, state().job,
                "task " + task_number(number) + " started, " + (task.argv.empty() ? std::string() : task.argv.front()));
  }
  const auto by_hooks = order_changes(state().hooks.runs);
  const auto changed = by_hooks.empty() ? schema::sealed<schema::StartRun>() : model::order_with(state().order(), by_hooks);
  auto order = mom::task_order_for(changed ? changed.get() : state().order(), *state().allocated, *parts_.settings, words);
  order.share = mom::share_here(*state().confined, *parts_.settings);
  start_after_hooks(number, std::move(order));
  return begun::yes;
}

// By another task: what it uses would be counted twice.
bool part_actor::is_attached(const ports::attached_session& session, std::uint32_t but) const {
  return std::any_of(state().active.begin(), state().active.end(), [&](std::uint32_t number) {
    const auto& task = state().tasks.at(number);
    const auto other = attached_of(task.argv, task.environment);
    return number != but && other && other->session == session.session;
  });
}

// Of a task that has ended already it is said only while what it wrote is not taken: who asked for that waits to hear of the task first.
void part_actor::say_running(std::uint32_t number) {
  follow_output(number);
  const bool ended = !state().active.contains(number);
  if (ended && output_.all_taken(number)) return;
  if (!ended && suspended_ == true)
    parts_.processes->signal(state().task_key(number), SIGSTOP);  // it was starting when the others were stopped
  tell_task(number, schema::TaskState::Phase::RUNNING);
}

void part_actor::tell_task(std::uint32_t number, schema::TaskState::Phase phase) {
  const auto& task = state().tasks.at(number);
  tell_primary([&](auto m) {
    auto t = m.initTaskState();
    fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setPhase(phase);
    t.setPid(task.pid);
    t.setExitStatus(task.exit_status);
    t.setText(task.text);
    model::write_usage(task.usage, t.initUsage());
  });
}

begun part_actor::tear_down() {
  if (!output_.all_taken() || !closing_hooks_are_over()) return begun::not_yet;
  for (const auto& [number, task] : state().tasks) parts_.processes->forget(state().task_key(number));
  if (local()) command(model::torn_down{});
  else {
    auto place = mom::place_for(state().order(), *state().allocated, *parts_.settings);
    place.run_goes_on = state().leaves_alone();
    parts_.places->tear_down(place);
  }
  return begun::yes;
}

void part_actor::leave(bool refused) {
  if (!local() && !state().aborted())
    parts_.note(log_event::job, state().job, is_released_at_stage_out(state().order()) ? "DELETE_JOB2 received" : "DELETE_JOB received");
  const auto used = usage_now();
  // First of all: what the primary says when it has heard of it would come to an actor that is no more.
  send(mom_, part_gone{key_, {state().job_serial, state().run, state().primary, used.usage, state().refusal_code, state().refusal}});
  tell_primary([&](auto m) {
    if (refused) {
      auto r = m.initRefused();
      fill_ref(r.initRef());
      r.setCode(state().refusal_code);
      r.setText(state().refusal);
    } else {
      auto l = m.initLeft();
      fill_ref(l.initRef());
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
      prologue_asked_ = true;
      effects().again_one(id_of(model::part_effect(model::say_prologue_over{})));
      return reconcile();
    case schema::ToSister::PRESENT:
      if (state().phase != part_phase::ready) return;  // it is leaving, and says so
      return tell_primary([&](auto b) {
        fill_ref(b.initPresent().initRef());
        b.getPresent().setQuestion(m.getPresent().getQuestion());
      });
    case schema::ToSister::USAGE_NOW:
      if (state().phase == part_phase::ready) tell_usage(usage_now(), m.getUsageNow().getQuestion());
      return;
    case schema::ToSister::UPDATE:
      effects().again_one(id_of(model::part_effect(model::say_updated{m.getUpdate().getNumber()})));  // a repeat is answered again
      command(model::update_asked{message, parts_.settings->host});
      return reconcile();
    case schema::ToSister::LEAVE:
      if (!local() && (state().phase == part_phase::joining || state().phase == part_phase::ready)) {
        const auto why = schema::text(m.getLeave().getWhy());
        if (why == model::goes_on_without_host) parts_.note(log_event::debug, state().job, "DELETE_JOB2 received");  // RD-86
        else parts_.note(log_event::job, state().job, why == model::start_failed_elsewhere ? "ABORT_JOB received" : "KILL_JOB received");
        parts_.note(log_event::job, state().job, "kill_job");
      }
      output_.repeat();  // nobody but the job's files takes what is left
      return command(model::leave_order{schema::str(m.getLeave().getWhy())});
    case schema::ToSister::SIGNAL: return signal_all(m.getSignal());
    case schema::ToSister::SPAWN:
      effects().again_one(id_of(model::part_effect(model::say_task{m.getSpawn().getTask().getTask()})));  // a repeat is answered again
      command(model::spawn_asked{message});
      return reconcile();
    case schema::ToSister::SIGNAL_TASK: return signal_one(m.getSignalTask());
    case schema::ToSister::TASK_TAKEN:
      untaken_.erase(m.getTaskTaken().getTask());
      return reconcile();
    case schema::ToSister::ANSWER: return on_answer(m.getAnswer());
    case schema::ToSister::OUTPUT: return on_output(m.getOutput());
    case schema::ToSister::OUTPUT_TAKEN: return on_output_taken(m.getOutputTaken());
    case schema::ToSister::DESCRIBE:
      return tell_primary([&](auto b) {
        fill_ref(b.initDescribed().initRef());
        b.getDescribed().setQuestion(m.getDescribe().getQuestion());
        b.getDescribed().setSystem(parts_.settings->system);
      });
  }
}

void part_actor::signal_all(schema::SignalPart::Reader request) {
  if (request.getId() != 0 && request.getId() <= signal_id_) return;
  signal_id_ = std::max(signal_id_, request.getId());
  using what = schema::SignalPart::What;
  if (request.getId() != 0) return kill_if_allowed(request.getSignal());
  if (request.getWhat() != what::SIGNAL) return suspend_or_resume(request.getWhat() == what::SUSPEND);
  signal_tasks(request.getSignal());
}

void part_actor::signal_tasks(int signal) {
  for (const auto number : state().active) parts_.processes->signal(state().task_key(number), signal);
}

void part_actor::signal_one(schema::SignalTask::Reader request) {
  const auto number = request.getTask().getTask();
  const auto at = state().tasks.find(number);
  const bool found = at != state().tasks.end() && at->second.phase == model::task_phase::started;
  if (found) parts_.processes->signal(state().task_key(number), request.getSignal());
  tell_primary([&](auto m) {
    auto t = m.initTaskSignalled();
    fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setQuestion(request.getQuestion());
    t.setFound(found);
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

// -- usage -------------------------------------------------------------------------------------------------------------------

model::host_usage part_actor::usage_now() {
  ports::run_usage alive;
  for (const auto number : state().active)
    if (state().tasks.at(number).phase == model::task_phase::started)
      if (const auto u = parts_.processes->usage(state().task_key(number))) alive.add(*u);
  highest_.mem_kb = std::max(highest_.mem_kb, alive.mem_kb);
  highest_.vmem_kb = std::max(highest_.vmem_kb, alive.vmem_kb);
  alive = parts_.settings->config.factors.of(alive);
  auto used = model::with_hooks(model::tasks_usage(state().ended_usage, alive, highest_), state().hook_usage);
  return {parts_.settings->host, std::move(used), parts_.base.clock->now_ns()};
}

// The server has a run discarded that a MoM speaks of and that it has given up: a primary that was cut off may not know that
// yet, and a hostile one may not say it.
void part_actor::tell_server() {
  send(mom_, to_server{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
         auto u = m.initRunUsage();
         fill_ref(u.initRef());
         model::write_host_usage(usage_now(), u.initHosts(1)[0]);
       })});
}

void part_actor::poll(const poll_usage& p) {
  if (++polls_ % limits::output_repeat_s == 0) {
    output_.repeat();
    output_.look();  // what no watch has told of
    reconcile();     // of tasks whose files could not be read before
  }
  if (!local() && polls_ % static_cast<unsigned>(limits::part_word_s) == 0) tell_server();
  if (state().phase != part_phase::ready) return;
  tell_periodic_hooks();
  if (state().tasks.empty() && state().hook_usage.empty()) return;
  const auto now = usage_now();
  const std::uint32_t asked = state().request.get().getJoin().getUsageIntervalSeconds();
  const auto interval = std::int64_t{asked == 0 ? p.report_interval_s : asked} * 1'000'000'000;
  if (now.usage == told_ || (told_ns_ != 0 && now.measured_ns - told_ns_ < interval)) return;
  tell_usage(now, 0);
}

void part_actor::tell_usage(const model::host_usage& now, std::uint64_t question) {
  told_ns_ = now.measured_ns;
  told_ = now.usage;
  tell_primary([&](auto m) {
    auto u = m.initUsage();
    fill_ref(u.initRef());
    model::write_host_usage(now, u.initUsage());
    u.setQuestion(question);
  });
}

void part_actor::fill_ref(schema::RunRef::Builder ref) const {
  ref.setJobSerial(state().job_serial);
  ref.setRun(state().run);
  ref.setJob(state().job);
}

}  // namespace annals::actors
