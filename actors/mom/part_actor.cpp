#include "actors/mom/part_actor.hpp"

#include "actors/mom/attached.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "events/model/task_limits.hpp"

namespace annals::actors {

namespace {

using repeat_atom = caf::atom_constant<caf::atom("repeat")>;
using phase = model::part_phase;

constexpr std::string_view unwanted = "the server no longer knows the run";    // why a part leaves: nobody takes its output
constexpr auto repeat_period = std::chrono::seconds(5);    // an ended task is told again after this, until it is taken

std::string task_number(std::uint32_t task) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", task);
  return text;
}

}  // namespace

part_actor::part_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, std::string key, std::uint64_t stream, model::site_ptr site)
    : shell(cfg, parts.shell, stream, std::move(site)), parts_(std::move(parts)), mom_(std::move(mom)), key_(std::move(key)), hooks_(mom_, parts_.hooks),
      output_(parts_.outputs, [this](std::uint32_t task) { return state().task_key(task); }, [this](const output_piece& p) { send_piece(p); }) {}

caf::message_handler part_actor::more_handlers() {
  return caf::message_handler{
      [this](const primary_said& p) { on_request(p.message); },
      [this](primary_is_here) {
        told_ = {};                            // a new life of it knows nothing of what was used here
        told_ns_ = 0;
        repeat();
      },
      [this](server_discards) {
        parts_.note(log_event::job, state().job, "the server no longer knows this run of the job: killed");
        output_.drop();
        command(model::leave_order{std::string(unwanted)});
        on_change();                           // a part that was leaving already waits for its output no longer
      },
      [this](const poll_usage& p) { poll(p); },
      [this](hook_point_passed& p) { hooks_.on_passed(p); },
      [this](const new_settings& s) { parts_.settings = s.settings; },
      [this](repeat_atom) {
        did_.erase("repeat");
        repeat();
      },
  }.or_else(task_handlers());
}

void part_actor::on_change() {
  for (const auto& effect : model::pending_effects(state())) perform(effect);
}

void part_actor::perform(const model::part_effect& effect) {
  struct visitor {
    part_actor& a;
    void operator()(const model::set_up_part&) const {
      a.set_up();
    }
    void operator()(const model::say_joined&) const {
      if (a.once("joined")) a.tell_primary([&](auto m) { a.fill_ref(m.initJoined()); });
      if (!a.local() && a.once("known")) a.tell_server();
    }
    void operator()(const model::say_refused&) const { a.leave(true); }
    void operator()(const model::say_left&) const { a.leave(false); }
    void operator()(const model::start_task& t) const {
      a.start(t.task);
    }
    void operator()(const model::watch_task& t) const {
      // Started in this life: the host tells us anyway. After a restart it must look for the task first.
      const auto number = std::to_string(t.task);
      if (!a.did_.contains("start:" + number) && a.once("watch:" + number)) a.parts_.processes->adopt(a.state().task_key(t.task));
    }
    void operator()(const model::say_task& t) const {
      // It was starting when the others were stopped. A repeat harms nobody.
      if (a.suspended_ == true) a.parts_.processes->signal(a.state().task_key(t.task), SIGSTOP);
      if (!a.once("runs:" + std::to_string(t.task))) return;
      a.follow_output(t.task);
      a.tell_task(t.task);
    }
    void operator()(const model::say_ended_tasks&) const { a.say_ended_tasks(); }
    void operator()(const model::kill_task& t) const {
      if (a.once("kill:" + std::to_string(t.task))) a.parts_.processes->signal(a.state().task_key(t.task), SIGKILL);
    }
    void operator()(const model::tear_down_part&) const { a.tear_down(); }
  };
  std::visit(visitor{*this}, effect);
}

// Looks at the tasks that had not ended when it looked last.
void part_actor::say_ended_tasks() {
  for (auto at = state().tasks.upper_bound(last_task_); at != state().tasks.end(); ++at) open_tasks_.insert(last_task_ = at->first);
  std::erase_if(open_tasks_, [this](std::uint32_t task) {
    if (state().active.contains(task)) return false;
    follow_output(task);
    tell_task(task);
    return true;
  });
}

void part_actor::follow_output(std::uint32_t task) {
  if (state().leave_why == unwanted) output_.drop();
  if (once("output:" + std::to_string(task))) output_.follow(task, schema::str(state().order().getEuser()));
}

void part_actor::set_up() {
  if (!local() && !hooks_allow(hook_point::begin)) return;
  if (!once("set-up")) return;
  if (local()) return command(model::set_up_done{});        // the run has made everything
  parts_.note(log_event::job, state().job, "JOIN_JOB as node " + std::to_string(state().node()));
  parts_.places->set_up(mom::place_for(state().order(), *parts_.settings));
}

void part_actor::start(std::uint32_t number) {
  if (!local() && !hooks_allow(hook_point::prologue)) return;
  if (!once("start:" + std::to_string(number))) return;
  const auto& task = state().tasks.at(number);
  mom::task_words words{state().task_key(number), number, task.node, task.argv, task.environment};
  if (const auto session = attached_of(task.argv, task.environment)) {
    if (is_attached(*session, number)) return command(model::task_failed{number, {-2, std::string(session_is_attached)}});
    words.attached = *session;
    parts_.note(log_event::job, state().job, "task " + task_number(number) + " attached, session " + std::to_string(session->session));
  } else {
    parts_.note(log_event::job, state().job, "task " + task_number(number) + " started, " + (task.argv.empty() ? std::string() : task.argv.front()));
  }
  start_after_hooks(number, mom::task_order_for(state().order(), *parts_.settings, words));
}

// By another task: what it uses would be counted twice.
bool part_actor::is_attached(const ports::attached_session& session, std::uint32_t but) const {
  return std::any_of(state().active.begin(), state().active.end(), [&](std::uint32_t number) {
    const auto& task = state().tasks.at(number);
    const auto other = attached_of(task.argv, task.environment);
    return number != but && other && other->session == session.session;
  });
}

void part_actor::tell_task(std::uint32_t number) {
  const auto& task = state().tasks.at(number);
  const bool ended = task.phase == model::task_phase::ended;
  if (ended && (taken_.contains(number) || !output_.all_taken(number))) return;
  tell_primary([&](auto m) {
    auto t = m.initTaskState();
    fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    using reported = schema::TaskState::Phase;
    t.setPhase(!ended ? reported::RUNNING : task.text.empty() ? reported::ENDED : reported::NOT_STARTED);
    t.setPid(task.pid);
    t.setExitStatus(task.exit_status);
    t.setText(task.text);
    model::write_usage(task.usage, t.initUsage());
  });
  if (ended && once("repeat")) delayed_send(this, repeat_period, repeat_atom::value);
}

void part_actor::tear_down() {
  if (!output_.all_taken() || !closing_hooks_are_over() || !once("tear-down")) return;
  for (const auto& [number, task] : state().tasks) parts_.processes->forget(state().task_key(number));
  if (local()) return command(model::torn_down{});
  parts_.places->tear_down(mom::place_for(state().order(), *parts_.settings));
}

void part_actor::leave(bool refused) {
  if (!once("leave")) return;
  if (!local() && !state().aborted()) parts_.note(log_event::job, state().job, "DELETE_JOB received");
  const auto used = usage_now();
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
  send(mom_, part_gone{key_, {state().job_serial, state().run, state().primary, used.usage, state().refusal_code, state().refusal}});
  quit();
}

// -- what the primary wants ------------------------------------------------------------------------------------------------

void part_actor::on_request(const schema::sealed<schema::ToSister>& message) {
  const auto m = message.get();
  switch (m.which()) {
    case schema::ToSister::STILL_THERE:
    case schema::ToSister::JOIN:
      did_.erase("joined");                  // asked again: answered again
      return on_change();
    case schema::ToSister::LEAVE:
      if (!local() && once("leaving")) {
        const bool aborted = schema::text(m.getLeave().getWhy()) == model::start_failed_elsewhere;
        parts_.note(log_event::job, state().job, aborted ? "ABORT_JOB received" : "KILL_JOB received");
        parts_.note(log_event::job, state().job, "kill_job");
      }
      output_.repeat();                      // nobody but the job's files takes what is left
      return command(model::leave_order{schema::str(m.getLeave().getWhy())});
    case schema::ToSister::SIGNAL: return signal_all(m.getSignal());
    case schema::ToSister::SPAWN:
      did_.erase("runs:" + std::to_string(m.getSpawn().getTask().getTask()));    // a repeat is answered again
      command(model::spawn_asked{message});
      return on_change();
    case schema::ToSister::SIGNAL_TASK: return signal_one(m.getSignalTask());
    case schema::ToSister::TASK_TAKEN: taken_.insert(m.getTaskTaken().getTask()); return;
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

void part_actor::signal_all(schema::SignalPart::Reader wish) {
  if (wish.getId() != 0 && wish.getId() <= signal_id_) return;
  signal_id_ = std::max(signal_id_, wish.getId());
  using what = schema::SignalPart::What;
  if (wish.getId() != 0) return kill_if_allowed(wish.getSignal());
  if (wish.getWhat() != what::SIGNAL) return suspend_or_resume(wish.getWhat() == what::SUSPEND);
  signal_tasks(wish.getSignal());
}

void part_actor::signal_tasks(int signal) {
  for (const auto number : state().active) parts_.processes->signal(state().task_key(number), signal);
}

void part_actor::signal_one(schema::SignalTask::Reader wish) {
  const auto number = wish.getTask().getTask();
  const auto at = state().tasks.find(number);
  const bool found = at != state().tasks.end() && at->second.phase == model::task_phase::started;
  if (found) parts_.processes->signal(state().task_key(number), wish.getSignal());
  tell_primary([&](auto m) {
    auto t = m.initTaskSignalled();
    fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setQuestion(wish.getQuestion());
    t.setFound(found);
  });
}

// A new connection of the primary: it asks again for what it wants; what it may have missed is told again.
void part_actor::repeat() {
  for (const auto& [number, task] : state().tasks)
    if (task.phase != model::task_phase::starting) tell_task(number);
  output_.repeat();
}

// -- usage -------------------------------------------------------------------------------------------------------------------

model::host_usage part_actor::usage_now() {
  auto now = state().ended_usage;
  ports::run_usage alive;
  for (const auto number : state().active)
    if (state().tasks.at(number).phase == model::task_phase::started)
      if (const auto u = parts_.processes->usage(state().task_key(number))) model::add_usage(alive, *u);
  now.cpu_seconds += alive.cpu_seconds;
  now.cpu_percent = alive.cpu_percent;
  highest_.mem_kb = std::max(highest_.mem_kb, alive.mem_kb);
  highest_.vmem_kb = std::max(highest_.vmem_kb, alive.vmem_kb);
  now.mem_kb = std::max(highest_.mem_kb, now.mem_kb);
  now.vmem_kb = std::max(highest_.vmem_kb, now.vmem_kb);
  return {parts_.settings->host, now, parts_.shell.clock->now_ns()};
}

// The server has a run discarded that a MoM speaks of and that it has given up: a primary that was cut off may not know that
// yet, and a hostile one may not say it.
void part_actor::tell_server() {
  send(mom_, to_server{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto u = m.initRunUsage();
    fill_ref(u.initRef());
    model::write_usage(usage_now().usage, u.initUsage());
  })});
}

void part_actor::poll(const poll_usage& p) {
  if (++polls_ % limits::output_repeat_s == 0) {
    output_.repeat();
    output_.look();                          // what no watch has told of
  }
  if (!local() && polls_ % static_cast<unsigned>(limits::part_word_s) == 0) tell_server();
  if (state().phase != phase::ready) return;
  tell_periodic_hooks();
  if (state().tasks.empty()) return;
  const auto now = usage_now();
  const std::uint32_t asked = state().request.get().getJoin().getUsageIntervalSeconds();
  const auto interval = std::int64_t{asked == 0 ? p.report_interval_s : asked} * 1'000'000'000;
  if (now.usage == told_ || (told_ns_ != 0 && now.measured_ns - told_ns_ < interval)) return;
  told_ns_ = now.measured_ns;
  told_ = now.usage;
  tell_primary([&](auto m) {
    auto u = m.initUsage();
    fill_ref(u.initRef());
    model::write_host_usage(now, u.initUsage());
  });
}

void part_actor::fill_ref(schema::RunRef::Builder ref) const {
  ref.setJobSerial(state().job_serial);
  ref.setRun(state().run);
  ref.setJob(state().job);
}

}  // namespace annals::actors
