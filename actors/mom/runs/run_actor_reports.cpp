// What a run tells the server until it is acknowledged.
#include "actors/mom/runs/run_actor.hpp"

namespace annals::actors {

void run_actor::fill_ref(schema::RunRef::Builder ref) const {
  ref.setJobSerial(state().job_serial);
  ref.setRun(state().run);
  ref.setJob(state().job);
}

// A new connection: whatever is not acknowledged is told once more.
void run_actor::report_again() {
  steps_told_ = 0;
  effects().again(model::is_report);
  reconcile();
}

// Of a run that is over the server takes no more steps: they come first.
bool run_actor::steps_are_out() const { return !state().discarded && steps_taken_ < state().steps.size(); }

void run_actor::report_steps() {
  const auto& steps = state().steps;
  for (; steps_noted_ < steps.size(); ++steps_noted_) lines().step(steps_noted_);
  if (steps_told_ == steps.size()) steps_told_ = 0;  // a repeat
  const auto first = std::max<std::size_t>(steps_told_, steps_taken_);
  steps_told_ = steps.size();
  if (first >= steps.size()) return;
  tell_server([&](auto m) {
    auto r = m.initRunSteps();
    fill_ref(r.initRef());
    r.setFirst(static_cast<std::uint32_t>(first));
    auto list = r.initSteps(static_cast<unsigned>(steps.size() - first));
    for (unsigned i = 0; i < list.size(); ++i) list.setWithCaveats(i, steps[first + i].get());
  });
}

void run_actor::report_refused() {
  tell_server([&](auto m) {
    auto r = m.initRunRefused();
    fill_ref(r.initRef());
    r.setCode(state().exit_status);
    r.setText(state().text);
    r.setPosition(version());
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

void run_actor::report_exited() {
  const auto hosts = state().usage_by_host({parts_.settings->host, state().usage, parts_.base.clock->now_ns()}, *parts_.resources());
  note_words_not_shown(hosts);
  for (const auto& h : hosts)
    parts_.note(log_event::debug2, state().job,
                h.host + " cput=" + std::string(h.usage.get("cput").value_or("00:00:00")) +
                    " mem=" + std::string(h.usage.get("mem").value_or("0kb")));
  // As PBS says it of a job that hooks have held up after its end.
  if (state().closing_hooks_used || hooks_.is_open(hook_point::ended)) parts_.note(log_event::job, state().job, "no active tasks");
  parts_.note(log_event::debug2, state().job, "Obit sent");
  tell_server([&](auto m) {
    auto r = m.initRunExited();
    fill_ref(r.initRef());
    r.setExitStatus(state().exit_status);
    r.setSession(state().session);
    r.setReported(true);
    r.setPosition(version());
    r.setMergeWords(merges_words());
    fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

void run_actor::report_left() {
  tell_server([&](auto m) {
    auto r = m.initRunLeft();
    fill_ref(r.initRef());
    r.setDelivered(state().delivered);
    r.setText(state().delivery_text);
    r.setPosition(version());
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

}  // namespace annals::actors
