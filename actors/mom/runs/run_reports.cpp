#include "actors/mom/runs/run_reports.hpp"

#include <algorithm>

namespace annals::actors {

bool run_reports::take(std::uint32_t steps) {
  steps_taken_ = std::max(steps_taken_, steps);
  return steps_taken_ >= state().steps.size();
}

bool run_reports::steps_are_out() const { return !state().discarded && steps_taken_ < state().steps.size(); }

void run_reports::steps() {
  const auto& steps = state().steps;
  for (; steps_noted_ < steps.size(); ++steps_noted_) run_.lines().step(steps_noted_);
  if (steps_told_ == steps.size()) steps_told_ = 0;  // a repeat
  const auto first = std::max<std::size_t>(steps_told_, steps_taken_);
  steps_told_ = steps.size();
  if (first >= steps.size()) return;
  run_.tell_server([&](auto m) {
    auto r = m.initRunSteps();
    run_.fill_ref(r.initRef());
    r.setFirst(static_cast<std::uint32_t>(first));
    auto list = r.initSteps(static_cast<unsigned>(steps.size() - first));
    for (unsigned i = 0; i < list.size(); ++i) list.setWithCaveats(i, steps[first + i].get());
  });
}

void run_reports::started(bool can_checkpoint) const {
  run_.tell_server([&](auto m) {
    auto r = m.initRunStarted();
    run_.fill_ref(r.initRef());
    r.setSession(state().session);
    r.setJobdir(state().jobdir);
    r.setPosition(state().version);
    r.setCanCheckpoint(can_checkpoint);
  });
}

void run_reports::refused() const {
  run_.tell_server([&](auto m) {
    auto r = m.initRunRefused();
    run_.fill_ref(r.initRef());
    r.setCode(state().exit_status);
    r.setText(state().text);
    r.setPosition(state().version);
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

void run_reports::exited() {
  const auto hosts = state().usage_by_host({run_.parts.settings->host, state().usage, run_.now_ns()}, *run_.parts.resources());
  usage_.note_words_not_shown(hosts);
  for (const auto& h : hosts)
    run_.note(log_event::debug2,
              h.host + " cput=" + std::string(h.usage.get("cput").value_or("00:00:00")) +
                  " mem=" + std::string(h.usage.get("mem").value_or("0kb")));
  // As PBS says it of a job that hooks have held up after its end.
  if (state().closing_hooks_used || hooks_.is_open(hook_point::ended)) run_.note(log_event::job, "no active tasks");
  run_.note(log_event::debug2, "Obit sent");
  run_.tell_server([&](auto m) {
    auto r = m.initRunExited();
    run_.fill_ref(r.initRef());
    r.setExitStatus(state().exit_status);
    r.setSession(state().session);
    r.setReported(true);
    r.setPosition(state().version);
    r.setMergeWords(usage_.merges_words());
    fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

void run_reports::left() const {
  run_.tell_server([&](auto m) {
    auto r = m.initRunLeft();
    run_.fill_ref(r.initRef());
    r.setDelivered(state().delivered);
    r.setText(state().delivery_text);
    r.setPosition(state().version);
    fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
  });
}

void run_reports::requests_done(std::uint64_t up_to) const {
  run_.tell_server([&](auto m) {
    auto d = m.initRequestDone();
    run_.fill_ref(d.initRef());
    d.setId(up_to);
  });
}

void run_reports::want_ticket() const {
  run_.tell_server([&](auto m) { run_.fill_ref(m.initWantTicket()); });
}

}  // namespace annals::actors
