#include "actors/mom/parts/part_signals.hpp"

#include <algorithm>
#include <csignal>

namespace annals::actors {

void part_signals::on_all(schema::SignalPart::Reader request) {
  if (request.getId() != 0 && request.getId() <= signal_id_) return;
  signal_id_ = std::max(signal_id_, request.getId());
  using what = schema::SignalPart::What;
  if (request.getId() != 0) return kill_if_allowed(request.getSignal());
  if (request.getWhat() != what::SIGNAL) return suspend_or_resume(request.getWhat() == what::SUSPEND);
  signal_tasks(request.getSignal());
}

void part_signals::signal_tasks(int signal) const {
  for (const auto number : state().active) part_.parts.processes->signal(state().task_key(number), signal);
}

void part_signals::on_one(schema::SignalTask::Reader request) const {
  const auto number = request.getTask().getTask();
  const auto at = state().tasks.find(number);
  const bool found = at != state().tasks.end() && at->second.phase == model::task_phase::started;
  if (found) part_.parts.processes->signal(state().task_key(number), request.getSignal());
  part_.tell_primary([&](auto m) {
    auto t = m.initTaskSignalled();
    part_.fill_ref(t.initTask().initRef());
    t.getTask().setTask(number);
    t.setQuestion(request.getQuestion());
    t.setFound(found);
  });
}

// Beside the program the run's own half has asked them.
void part_signals::kill_if_allowed(int signal) {
  if (part_.local() || state().active.empty()) return signal_tasks(signal);
  hooks_.ask_if_wanted(hook_point::preterm, [this, signal](hook_point_passed& p) {
    if (!p.refused) signal_tasks(signal);
  });
}

// The primary repeats it after each new connection: hooks hear of what is new, and beside the program have heard it already.
void part_signals::suspend_or_resume(bool suspend) {
  const bool news = suspended_ != suspend;
  suspended_ = suspend;
  if (suspend) signal_tasks(SIGSTOP);
  const auto point = suspend ? hook_point::suspended : hook_point::resuming;
  const auto go_on = [this, suspend](hook_point_passed& p) {
    if (!suspend && !p.refused && suspended_ == false) signal_tasks(SIGCONT);
  };
  if (!part_.local() && news) return hooks_.ask_if_wanted(point, go_on);
  hook_point_passed nobody_minds;
  go_on(nobody_minds);
}

}  // namespace annals::actors
