#include "actors/mom/runs/run_tasks.hpp"

#include <caf/send.hpp>

#include <csignal>
#include <functional>
#include <utility>

#include "actors/mom/host/start_order.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

namespace {

task_answer answer_to_spawn(std::uint32_t number, const model::run_task& t) {
  if (t.started) return {task_answer::kind::spawned, {}, number, 0, {}, 0, {}};
  return t.lost() ? host_failure(t.host) : task_failure(t.text.empty() ? "not started" : t.text);
}

// The number of a new task, when it is on disk; or why there is none. Heard in the turn of the run's actor that asks the host for the
// task: a message could come later than what the task writes, which would be taken for the job's.
class numbered_task final : public reply_to {
 public:
  using heard = std::function<void(std::uint32_t task, const std::string& error)>;
  explicit numbered_task(heard h) : heard_(std::move(h)) {}
  void done(std::uint64_t, const std::string& text) override {
    heard_(static_cast<std::uint32_t>(values::parse_integer(text).value_or(0)), {});
  }
  void refused(std::uint64_t, const model::rejection& why) override { heard_(0, why.text); }

 private:
  heard heard_;
};

}  // namespace

caf::message_handler run_tasks::handlers() {
  return {
      [this](const find_job& f) {
        if (state().phase == model::run_phase::starting) early_finds_.push_back(f);
        else answer_find(f);
      },
      [this](const ask_spawn& a) { spawn({a.asker, {}, a.output}, a.host, a.node, a.argv, a.environment); },
      [this](const ask_signal& a) { signal_task({a.asker, {}}, a.task, a.signal); },
      [this](const ask_tasks& a) { answer({a.asker, {}}, all_tasks()); },
      [this](const ask_end& a) { watch_end({a.asker, {}}, a.task); },
      [this](const ask_publish& a) { published_.publish({a.asker, {}}, a.task, a.name, a.value); },
      [this](const ask_subscribe& a) { subscribe({a.asker, {}}, a.task, a.name); },
      [this](const ask_host& a) { describe_host({a.asker, {}}, a.host); },
      [this](const ask_forget& a) { forget({a.asker, {}}); },
      [this](const task_output_taken& t) { output_.on_taken(t); },
      [this](const output_appended&) { output_.on_appended(); },
  };
}

void run_tasks::on_change() {
  if (state().phase != model::run_phase::starting)
    for (const auto& f : std::exchange(early_finds_, {})) answer_find(f);
  if (!state().tasks.empty()) settle_tasks();
}

void run_tasks::answer_find(const find_job& f) {
  job_found found{f.asker.question, caf::actor(run_.self), {}, {}, 0, 0};
  if (state().phase != model::run_phase::started || !state().order) found.actor = nullptr;
  else describe_job(run_.order(), state().numbered, found);
  caf::anon_send(f.asker.who, std::move(found));
}

void run_tasks::spawn(task_origin origin, std::string host, std::uint32_t node, std::vector<std::string> argv,
                      std::vector<std::string> environment) {
  run_.ask(model::ask_task{std::move(host), run_.parts.settings->host, node, std::move(argv), std::move(environment)},
           std::make_shared<numbered_task>([this, origin = std::move(origin)](std::uint32_t task, const std::string& error) {
             on_numbered(origin, task, error);
           }));
}

void run_tasks::on_numbered(const task_origin& origin, std::uint32_t task, const std::string& error) {
  if (!error.empty()) return answer(origin, task_failure(error));
  spawned_for_[task] = origin;
  if (origin.output) output_.give_to(origin, task);
  settle_task(task);
}

void run_tasks::signal_task(task_origin origin, std::uint32_t task, int signal) {
  const auto at = state().tasks.find(task);
  if (task == 1 && state().phase == model::run_phase::started) {
    run_.parts.processes->signal(run_.key, signal);
    return answer(origin, {});
  }
  if (at == state().tasks.end() || at->second.over) return answer(origin, task_failure("no such task"));
  if (!reaches_(at->second.host)) return answer(origin, host_failure(at->second.host));
  const auto question = ++last_question_;
  asked_hosts_[question] = {std::move(origin), at->second.host};
  run_.tell_sister(at->second.host, [&](auto m) {
    auto s = m.initSignalTask();
    run_.fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    s.setSignal(signal);
    s.setQuestion(question);
  });
}

void run_tasks::watch_end(task_origin origin, std::uint32_t task) {
  const auto at = state().tasks.find(task);
  if (at == state().tasks.end()) return answer(origin, task_failure("no such task"));
  watched_for_.emplace(task, std::move(origin));
  settle_task(task);
}

task_answer run_tasks::all_tasks() const {
  task_answer a;
  a.what = task_answer::kind::tasks;
  a.tasks.push_back({1, run_.parts.settings->host, 0, state().phase != model::run_phase::started, state().exit_status});
  for (const auto& [number, t] : state().tasks) a.tasks.push_back({number, t.host, t.node, t.over, t.exit_status});
  return a;
}

// A host whose task's end is on disk here need not repeat it.
void run_tasks::settle_tasks() {
  open_tasks_.look(state().tasks, [this](std::uint32_t task) {
    settle_task(task);
    if (!state().tasks.at(task).over) return false;
    tell_taken(task);
    return true;
  });
}

// Whoever waits for something that has happened hears of it.
void run_tasks::settle_task(std::uint32_t number) {
  const auto& t = state().tasks.at(number);
  if (!t.started && !t.over) return;
  if (const auto asked = spawned_for_.extract(number)) answer(asked.mapped(), answer_to_spawn(number, t));
  if (!t.over) return;
  const auto end = t.lost() ? host_failure(t.host) : task_answer{task_answer::kind::over, {}, number, t.exit_status, {}, 0, {}};
  for (auto [at, last] = watched_for_.equal_range(number); at != last; ++at) answer(at->second, end);
  watched_for_.erase(number);
  output_.over(number);
  if (t.lost()) published_.fail(number, host_failure(t.host));
}

void run_tasks::tell_taken(std::uint32_t task) const {
  run_.tell_sister(state().tasks.at(task).host, [&](auto m) {
    run_.fill_ref(m.initTaskTaken().initRef());
    m.getTaskTaken().setTask(task);
  });
}

void run_tasks::spawn_on_host(std::uint32_t task) const {
  const auto& t = state().tasks.at(task);
  run_.tell_sister(t.host, [&](auto m) {
    auto s = m.initSpawn();
    run_.fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    auto argv = s.initArgv(static_cast<unsigned>(t.argv.size()));
    for (unsigned i = 0; i < t.argv.size(); ++i) argv.set(i, t.argv[i]);
    auto environment = s.initEnvironment(static_cast<unsigned>(t.environment.size()));
    for (unsigned i = 0; i < t.environment.size(); ++i) environment.set(i, t.environment[i]);
    s.setNode(t.node);
  });
}

// -- what a sister says of tasks ---------------------------------------------------------------------------------------------

void run_tasks::on_task_state(schema::TaskState::Reader t, const std::string& host) {
  using told = model::task_told::state;
  const auto number = t.getTask().getTask();
  const auto at = state().tasks.find(number);
  if (at == state().tasks.end() || at->second.host != host) return;
  // The acknowledgement was lost, or the task was given up while its host was away.
  if (at->second.over) {
    if (at->second.lost() && t.getPhase() == schema::TaskState::Phase::RUNNING) kill_task(number);
    return tell_taken(number);
  }
  const auto what = t.getPhase() == schema::TaskState::Phase::RUNNING ? told::running
                    : t.getPhase() == schema::TaskState::Phase::ENDED ? told::ended
                                                                      : told::not_started;
  run_.command(model::task_told{number, host, what, t.getExitStatus(), schema::str(t.getText())});
}

// Nobody asked, and nobody is answered.
void run_tasks::kill_task(std::uint32_t task) const {
  run_.tell_sister(state().tasks.at(task).host, [&](auto m) {
    auto s = m.initSignalTask();
    run_.fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    s.setSignal(SIGKILL);
  });
}

void run_tasks::on_task_signalled(schema::TaskSignalled::Reader s) {
  if (const auto asked = asked_hosts_.extract(s.getQuestion()))
    answer(asked.mapped().origin, s.getFound() ? task_answer{} : task_failure("no such task"));
}

void run_tasks::on_ask(schema::Ask::Reader a, const std::string& host) {
  const task_origin origin{{nullptr, a.getQuestion()}, host};
  switch (a.which()) {
    case schema::Ask::SPAWN:
      // A session is attached by the host it is on, and by no other.
      if (a.getSpawn().getArgv().size() == 0 && schema::text(a.getSpawn().getHost()) != host)
        return answer(origin, task_failure("not a session of this host"));
      return spawn({origin.asker, host, a.getSpawn().getOutput()}, schema::str(a.getSpawn().getHost()), a.getSpawn().getNode(),
                   schema::texts(a.getSpawn().getArgv()), schema::texts(a.getSpawn().getEnvironment()));
    case schema::Ask::SIGNAL: return signal_task(origin, a.getSignal().getTask(), a.getSignal().getSignal());
    case schema::Ask::TASKS: return answer(origin, all_tasks());
    case schema::Ask::WATCH: return watch_end(origin, a.getWatch());
    case schema::Ask::PUBLISH:
      return published_.publish(origin, a.getPublish().getTask(), schema::str(a.getPublish().getName()),
                                text_of(a.getPublish().getValue()));
    case schema::Ask::SUBSCRIBE: return subscribe(origin, a.getSubscribe().getTask(), schema::str(a.getSubscribe().getName()));
    case schema::Ask::DESCRIBE: return describe_host(origin, schema::str(a.getDescribe()));
    case schema::Ask::FORGET: return forget(origin);
  }
}

// To an asker on this host, or through the sister's part to one there.
void run_tasks::answer(const task_origin& to, task_answer what) const {
  what.question = to.asker.question;
  if (to.host.empty()) return caf::anon_send(to.asker.who, std::move(what));
  run_.tell_sister(to.host, [&](auto m) {
    auto a = m.initAnswer();
    run_.fill_ref(a.initRef());
    a.setQuestion(what.question);
    write_answer(what, a);
  });
}

// -- what is published, and what a host is -------------------------------------------------------------------------------------

void run_tasks::subscribe(const task_origin& origin, std::uint32_t task, const std::string& name) {
  const auto publisher = state().tasks.find(task);
  if (task != 1 && publisher == state().tasks.end()) return answer(origin, task_failure("no such task"));
  if (const auto* value = published_.find(task, name)) return answer(origin, task_bytes(*value));
  if (publisher != state().tasks.end() && publisher->second.lost()) return answer(origin, host_failure(publisher->second.host));
  published_.subscribe(origin, task, name);
}

// "Linux n1 6.1.0 #1 SMP x86_64:ncpus=1,place=free" (tm.h: tm_rescinfo)
void run_tasks::describe_host(const task_origin& origin, const std::string& host) {
  if (host == run_.parts.settings->host)
    return answer(origin, task_bytes(run_.parts.settings->system + ":" + mom::resource_list_text(run_.order())));
  const auto* s = state().sister(host);
  if (!s || s->phase != model::sister_phase::joined) return answer(origin, task_failure("no such host"));
  if (!reaches_(host)) return answer(origin, host_failure(host));
  const auto question = ++last_question_;
  asked_hosts_[question] = {origin, host};
  run_.tell_sister(host, [&](auto m) {
    run_.fill_ref(m.initDescribe().initRef());
    m.getDescribe().setQuestion(question);
  });
}

void run_tasks::on_described(schema::Described::Reader d) {
  if (const auto asked = asked_hosts_.extract(d.getQuestion()))
    answer(asked.mapped().origin, task_bytes(schema::str(d.getSystem()) + ":" + mom::resource_list_text(run_.order())));
}

// -- who asked is gone ---------------------------------------------------------------------------------------------------------

void run_tasks::forget(const task_origin& origin) {
  output_.forget(origin);
  published_.forget(origin);
  std::erase_if(watched_for_, [&](const auto& one) { return one.second.is(origin); });
}

void run_tasks::fail_questions_to(const std::string& host) {
  for (auto at = asked_hosts_.begin(); at != asked_hosts_.end();) {
    const bool lost = at->second.host == host;
    if (lost) answer(at->second.origin, host_failure(host));
    at = lost ? asked_hosts_.erase(at) : std::next(at);
  }
}

void run_tasks::forget_askers_of(const std::string& host) {
  const auto gone = [&](const auto& one) { return one.second.host == host; };
  output_.forget_askers_of(host);
  published_.forget_askers_of(host);
  std::erase_if(watched_for_, gone);
  std::erase_if(spawned_for_, gone);
}

}  // namespace annals::actors
