// The tasks of a run: who asked for them, and what the hosts say of them. actors/mom/tasks/task_interface.hpp is the contract.
#include <algorithm>
#include <csignal>
#include <functional>

#include "actors/mom/host/environment.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/mom/runs/run_actor.hpp"
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

caf::message_handler run_actor::task_handlers() {
  return caf::message_handler{
      [this](const find_job& f) {
        if (state().phase == model::run_phase::starting) early_finds_.push_back(f);
        else answer_find(f);
      },
      [this](const ask_spawn& a) { spawn({a.asker, {}, a.output}, a.host, a.node, a.argv, a.environment); },
      [this](const ask_signal& a) { signal_task({a.asker, {}}, a.task, a.signal); },
      [this](const ask_tasks& a) { answer({a.asker, {}}, all_tasks()); },
      [this](const ask_end& a) { watch_end({a.asker, {}}, a.task); },
  }
      .or_else(output_handlers());
}

void run_actor::answer_find(const find_job& f) {
  job_found found{f.asker.question, caf::actor(this), {}, {}, 0, 0};
  if (state().phase != model::run_phase::started || !state().order) found.actor = nullptr;
  else describe_job(order(), state().numbered, found);
  send(f.asker.who, std::move(found));
}

void run_actor::spawn(task_origin origin, std::string host, std::uint32_t node, std::vector<std::string> argv,
                      std::vector<std::string> environment) {
  receive({model::ask_task{std::move(host), parts_.settings->host, node, std::move(argv), std::move(environment)},
           {"pbs_mom", parts_.settings->host, schema::Role::MOM},
           {},
           std::make_shared<numbered_task>([this, origin = std::move(origin)](std::uint32_t task, const std::string& error) {
             on_numbered(origin, task, error);
           }),
           nullptr,
           {},
           0,
           {}});
}

void run_actor::on_numbered(const task_origin& origin, std::uint32_t task, const std::string& error) {
  if (!error.empty()) return answer(origin, task_failure(error));
  spawned_for_[task] = origin;
  if (origin.output) output_for_[task] = origin;
  settle_task(task);
}

void run_actor::signal_task(task_origin origin, std::uint32_t task, int signal) {
  const auto at = state().tasks.find(task);
  if (task == 1 && state().phase == model::run_phase::started) {
    parts_.processes->signal(key_, signal);
    return answer(origin, {});
  }
  if (at == state().tasks.end() || at->second.over) return answer(origin, task_failure("no such task"));
  if (!contact_of(at->second.host).open) return answer(origin, host_failure(at->second.host));
  const auto question = ++last_question_;
  asked_hosts_[question] = {std::move(origin), at->second.host};
  tell_sister(at->second.host, [&](auto m) {
    auto s = m.initSignalTask();
    fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    s.setSignal(signal);
    s.setQuestion(question);
  });
}

void run_actor::watch_end(task_origin origin, std::uint32_t task) {
  const auto at = state().tasks.find(task);
  if (at == state().tasks.end()) return answer(origin, task_failure("no such task"));
  watched_for_.emplace(task, std::move(origin));
  settle_task(task);
}

task_answer run_actor::all_tasks() const {
  task_answer a;
  a.what = task_answer::kind::tasks;
  a.tasks.push_back({1, parts_.settings->host, 0, state().phase != model::run_phase::started, state().exit_status});
  for (const auto& [number, t] : state().tasks) a.tasks.push_back({number, t.host, t.node, t.over, t.exit_status});
  return a;
}

// Looks at the tasks that were not over when it looked last; a host whose task's end is on disk here need not repeat it.
void run_actor::settle_tasks() {
  for (auto at = state().tasks.upper_bound(last_task_); at != state().tasks.end(); ++at) open_tasks_.insert(last_task_ = at->first);
  std::erase_if(open_tasks_, [this](std::uint32_t task) {
    settle_task(task);
    if (!state().tasks.at(task).over) return false;
    tell_taken(task);
    return true;
  });
}

// Whoever waits for something that has happened hears of it.
void run_actor::settle_task(std::uint32_t number) {
  const auto& t = state().tasks.at(number);
  if (!t.started && !t.over) return;
  if (const auto asked = spawned_for_.extract(number)) answer(asked.mapped(), answer_to_spawn(number, t));
  if (!t.over) return;
  const auto end = t.lost() ? host_failure(t.host) : task_answer{task_answer::kind::over, {}, number, t.exit_status, {}, 0, {}};
  for (auto [at, last] = watched_for_.equal_range(number); at != last; ++at) answer(at->second, end);
  watched_for_.erase(number);
  output_for_.erase(number);
  if (t.lost()) fail_subscribers_of(number);
}

void run_actor::tell_taken(std::uint32_t task) {
  tell_sister(state().tasks.at(task).host, [&](auto m) {
    fill_ref(m.initTaskTaken().initRef());
    m.getTaskTaken().setTask(task);
  });
}

void run_actor::spawn_on_host(std::uint32_t task) {
  const auto& t = state().tasks.at(task);
  tell_sister(t.host, [&](auto m) {
    auto s = m.initSpawn();
    fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    auto argv = s.initArgv(static_cast<unsigned>(t.argv.size()));
    for (unsigned i = 0; i < t.argv.size(); ++i) argv.set(i, t.argv[i]);
    auto environment = s.initEnvironment(static_cast<unsigned>(t.environment.size()));
    for (unsigned i = 0; i < t.environment.size(); ++i) environment.set(i, t.environment[i]);
    s.setNode(t.node);
  });
}

// -- what a sister says of tasks ---------------------------------------------------------------------------------------------

void run_actor::on_task_state(schema::TaskState::Reader t, const std::string& host) {
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
  command(model::task_told{number, host, what, t.getExitStatus(), schema::str(t.getText())});
}

// Nobody asked, and nobody is answered.
void run_actor::kill_task(std::uint32_t task) {
  tell_sister(state().tasks.at(task).host, [&](auto m) {
    auto s = m.initSignalTask();
    fill_ref(s.initTask().initRef());
    s.getTask().setTask(task);
    s.setSignal(SIGKILL);
  });
}

void run_actor::on_task_signalled(schema::TaskSignalled::Reader s) {
  if (const auto asked = asked_hosts_.extract(s.getQuestion()))
    answer(asked.mapped().origin, s.getFound() ? task_answer{} : task_failure("no such task"));
}

void run_actor::on_ask(schema::Ask::Reader a, const std::string& host) {
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
      return publish(origin, a.getPublish().getTask(), schema::str(a.getPublish().getName()), text_of(a.getPublish().getValue()));
    case schema::Ask::SUBSCRIBE: return subscribe(origin, a.getSubscribe().getTask(), schema::str(a.getSubscribe().getName()));
    case schema::Ask::DESCRIBE: return describe_host(origin, schema::str(a.getDescribe()));
    case schema::Ask::FORGET: return forget(origin);
  }
}

// To an asker on this host, or through the sister's part to one there.
void run_actor::answer(const task_origin& to, task_answer what) {
  what.question = to.asker.question;
  if (to.host.empty()) return send(to.asker.who, std::move(what));
  tell_sister(to.host, [&](auto m) {
    auto a = m.initAnswer();
    fill_ref(a.initRef());
    a.setQuestion(what.question);
    write_answer(what, a);
  });
}

void write_answer(const task_answer& from, schema::Answer::Builder to) {
  switch (from.what) {
    case task_answer::kind::done: return to.setDone();
    case task_answer::kind::failed: return to.setFailed(from.error);
    case task_answer::kind::spawned: return to.setSpawned(from.task);
    case task_answer::kind::over: return to.setOver(from.exit_status);
    case task_answer::kind::bytes: return to.setBytes({reinterpret_cast<const kj::byte*>(from.bytes.data()), from.bytes.size()});
    case task_answer::kind::tasks: break;
  }
  auto list = to.initTasks(static_cast<unsigned>(from.tasks.size()));
  for (unsigned i = 0; i < from.tasks.size(); ++i) {
    list[i].setTask(from.tasks[i].task);
    list[i].setHost(from.tasks[i].host);
    list[i].setNode(from.tasks[i].node);
    list[i].setOver(from.tasks[i].over);
    list[i].setExitStatus(from.tasks[i].exit_status);
  }
}

task_answer read_answer(schema::Answer::Reader from) {
  task_answer a;
  a.question = from.getQuestion();
  switch (from.which()) {
    case schema::Answer::DONE: break;
    case schema::Answer::FAILED:
      a = task_failure(schema::str(from.getFailed()));
      a.question = from.getQuestion();
      break;
    case schema::Answer::SPAWNED:
      a.what = task_answer::kind::spawned;
      a.task = from.getSpawned();
      break;
    case schema::Answer::OVER:
      a.what = task_answer::kind::over;
      a.exit_status = from.getOver();
      break;
    case schema::Answer::BYTES:
      a.what = task_answer::kind::bytes;
      a.bytes = text_of(from.getBytes());
      break;
    case schema::Answer::TASKS:
      a.what = task_answer::kind::tasks;
      for (auto t : from.getTasks())
        a.tasks.push_back({t.getTask(), schema::str(t.getHost()), t.getNode(), t.getOver(), t.getExitStatus()});
      break;
  }
  return a;
}

void describe_job(schema::StartRun::Reader order, const model::allocation& numbered, job_found& found) {
  found.user = schema::str(order.getEuser());
  found.job_serial = order.getRef().getJobSerial();
  found.run = order.getRef().getRun();
  const auto text = mom::node_file_text(numbered, mom::select_of(order, numbered));
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    found.nodes.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace annals::actors
