// The tasks of a run, as its primary sees them: it gives the numbers, asks the hosts, and keeps every end.
// docs/design/0020-jobs-across-hosts.md.
#include <algorithm>
#include <utility>

#include "events/model/exit_codes.hpp"
#include "events/model/refuse.hpp"
#include "events/model/run/rules.hpp"
#include "events/model/run/task_limits.hpp"

namespace annals::model {

using phase = run_phase;

namespace {

constexpr std::uint32_t program_task = 1, first_task = 2;  // the job's program, and those beside it

template <class List>
void fill(List&& list, const std::vector<std::string>& from) {
  for (unsigned i = 0; i < from.size(); ++i) list.set(i, from[i]);
}

}  // namespace

outcome on_ask_task(const run_state& run, const ask_task& c) {
  if (run.phase != phase::started || run.discarded) return refuse(values::pbs_error::bad_state, "the job is not running");
  const auto* s = run.sister(c.host);
  if (c.host != c.own_host && (!s || s->phase != sister_phase::joined || s->dropped()))
    return refuse(values::pbs_error::unknown_node, c.host + " is no host of the job");
  if (s && s->silent) return refuse(values::pbs_error::sister_unreachable, "lost communication with " + c.host);
  if (run.tasks.size() >= limits::tasks_of_run_max)
    return refuse(values::pbs_error::bad_state, "the job has had " + std::to_string(run.tasks.size()) + " tasks");
  std::vector<event> out;
  // The primary's own part is asked like a sister, from its first task on.
  if (!s) out.push_back(make_event([&](auto e) { e.initRun().initSistersAsked().initHosts(1).set(0, c.host); }));
  const auto number = run.tasks.empty() ? first_task : run.tasks.rbegin()->first + 1;
  out.push_back(make_event([&](auto e) {
    auto t = e.initRun().initTaskAsked();
    t.setTask(number);
    t.setHost(c.host);
    fill(t.initArgv(static_cast<unsigned>(c.argv.size())), c.argv);
    fill(t.initEnvironment(static_cast<unsigned>(c.environment.size())), c.environment);
    t.setNode(c.node);
  }));
  outcome o(std::move(out));
  o.reply = std::to_string(number);
  return o;
}

bool run_task::lost() const { return over && exit_status == exit_host_lost; }

namespace {
event settled_event(std::uint32_t task, bool started, bool over, std::int32_t exit_status, const std::string& text) {
  return make_event([&](auto e) {
    auto t = e.initRun().initTaskSettled();
    t.setTask(task);
    t.setStarted(started);
    t.setOver(over);
    t.setExitStatus(exit_status);
    t.setText(text);
  });
}
}  // namespace

event program_killed(const ports::program_ended& what) { return settled_event(program_task, true, true, what.exit_status, what.why); }

void end_tasks_of(const run_state& run, const std::string& host, std::vector<event>& out) {
  for (const auto& [number, task] : run.tasks)
    if (task.host == host && !task.over) out.push_back(settled_event(number, task.started, true, exit_host_lost, "lost with its host"));
}

outcome on_task_told(const run_state& run, const task_told& c) {
  if (run.phase != phase::started && run.phase != phase::ended) return no_change;
  const auto at = run.tasks.find(c.task);
  if (at == run.tasks.end() || at->second.over || at->second.host != c.host) return no_change;
  const bool over = c.what != task_told::state::running;
  if (!over && at->second.started) return no_change;
  const bool started = c.what != task_told::state::not_started;
  const auto text = started && !c.text.empty() ? c.host + ": " + c.text : c.text;
  return std::vector<event>{settled_event(c.task, started, over, c.exit_status, text)};
}

namespace {

void on_asked(run_state& run, schema::TaskAsked::Reader e) {
  auto& t = run.tasks[e.getTask()];
  run.untold_tasks.insert(e.getTask());
  t.host = schema::str(e.getHost());
  t.node = e.getNode();
  for (auto a : e.getArgv()) t.argv.push_back(schema::str(a));
  for (auto v : e.getEnvironment()) t.environment.push_back(schema::str(v));
}

// It has ended, and its host says more of that than how.
bool is_explained(schema::TaskSettled::Reader e) {
  return e.getStarted() && e.getOver() && e.getText().size() > 0 && e.getExitStatus() != exit_host_lost;
}

void on_settled(run_state& run, schema::TaskSettled::Reader e) {
  if (e.getTask() < first_task) return;  // what the run's own end is stands in its own event
  auto& t = run.tasks[e.getTask()];
  t.started = e.getStarted();
  t.over = e.getOver();
  t.exit_status = e.getExitStatus();
  t.text = schema::str(e.getText());
  t.argv = t.environment = {};  // asked for no more
  run.untold_tasks.erase(e.getTask());
}

}  // namespace

void apply_to_tasks(run_state& run, const event_place& at, schema::RunEvent::Reader event) {
  if (event.isTaskAsked()) return on_asked(run, event.getTaskAsked());
  on_settled(run, event.getTaskSettled());
  if (is_explained(event.getTaskSettled()) && !std::exchange(run.tells_why_killed, true)) add_step(run, at, event);
}

void owe_to_tasks(const run_state& run, std::vector<run_effect>& owed) {
  if (run.phase != phase::started) return;
  for (const auto number : run.untold_tasks) {
    const auto* s = run.sister(run.tasks.at(number).host);
    if (s && s->phase == sister_phase::joined) owed.push_back(spawn_task_on{number});
  }
}

}  // namespace annals::model
