// What a run on its host decides, one function for each kind of command.
#include "events/model/run/run.hpp"

#include <algorithm>

#include "events/model/exit_codes.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/rules.hpp"
#include "events/values/duration.hpp"
#include "events/values/size.hpp"

namespace annals::model {

using which = schema::RunEvent::Which;
using phase = run_phase;

namespace {

event received_event(schema::RunRef::Reader ref, schema::byte_span order) {
  return make_event([&](auto e) {
    auto r = e.initRun().initReceived();
    r.setJob(ref.getJob());
    r.setRun(ref.getRun());
    r.setJobSerial(ref.getJobSerial());
    r.setOrder({reinterpret_cast<const kj::byte*>(order.data()), order.size()});
  });
}

outcome on_order(const run_state& run, const take_order& c) {
  const auto order = c.message.get().getStartRun();
  if (run.phase != phase::none) return renew_ticket(run, order);  // a repeat: what was done is reported again
  std::vector<event> out{received_event(order.getRef(), c.message.bytes())};
  if (!wants_files(order)) out.push_back(std::move(begin_run(order).front()));
  return out;
}

outcome on_over(const run_state& run, const program_over& c, const stamp& now) {
  if (run.phase != phase::started) return no_change;
  const auto usage = measured_usage(counted(run, c.what.usage, now.seconds(), c.factors));
  std::vector<event> out;
  if (!c.what.why.empty()) out.push_back(program_killed(c.what));
  out.push_back(make_event([&](auto e) {
    auto p = e.initRun().initProgramEnded();
    p.setExitStatus(run.exit_override.value_or(c.what.exit_status));
    p.setReported(true);
    write_usage(usage, p.initUsage());
  }));
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

// Our log may know of a start that the host's own notes lost with its power: such a program's end is unknown.
outcome on_failed(const run_state& run, const program_failed& c, const stamp& now) {
  if (run.phase == phase::started) return on_over(run, {ports::program_ended{exit_host_lost, {}}}, now);
  if (run.phase != phase::starting) return no_change;
  std::vector<event> out{refused_event(c.what.code, c.what.text)};
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

outcome on_start_stopped(const run_state& run) {
  if (!run.start_is_unwanted()) return no_change;
  std::vector<event> out{run.discarded ? refused_event(exit_retry, "no longer wanted")
                                       : refused_event(run.kill_exit_status, "killed before it started")};
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

// The closing ones are told of also if they have set what was there: nobody has a word after them.
void note_used(const run_state& run, const std::vector<usage_change>& set_by_hooks, bool closing, std::vector<event>& out) {
  const auto news = news_in(set_by_hooks, run.hook_usage);
  if (news.empty() && !(closing && !set_by_hooks.empty())) return;
  out.push_back(make_event([&](auto e) {
    auto used = e.initRun().initHookUsed();
    used.setClosing(closing);
    write_changes(news, used.initChanges(static_cast<unsigned>(news.size())));
  }));
}

outcome on_hooks_used(const run_state& run, const hooks_used& c) {
  const bool counts = run.phase == phase::received || run.active() || run.phase == phase::ended;
  const bool too_late = run.closing_hooks_used && !c.closing;  // a periodic hook began before the closing ones, which have the last word
  std::vector<event> out;
  if (counts && !too_late) note_used(run, c.changes, c.closing, out);
  return out;
}

outcome on_hooks(const run_state& run, const hooks_done& c) {
  if (run.phase != phase::received && run.phase != phase::starting) return no_change;  // killed meanwhile
  auto out = hook_events(c.runs, run.job, [](auto e) { return e.initRun().initHookRan(); });
  if (!c.refused) note_used(run, c.used, false, out);
  if (!c.refused && c.reduced) reduce_run(run, *c.reduced, out);
  if (!c.refused) return out;
  out.push_back(refused_event(c.refused->code, c.refused->text));
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

// A request to kill comes once per id, a higher id is a stronger one. A run that never came is refused, so that an order
// which is still on its way finds it refused.
outcome on_kill(const run_state& run, const kill_order& c) {
  const auto s = c.message.get().getSignalRun();
  if (run.phase == phase::none)
    return std::vector<event>{received_event(s.getRef(), {}), refused_event(s.getExitStatus(), "killed before it came")};
  if (run.phase == phase::received) return std::vector<event>{refused_event(s.getExitStatus(), "killed before it started")};
  if (!run.active() || s.getId() <= run.kill_id) return no_change;
  return one([&](auto e) {
    auto k = e.initRun().initKillRequested();
    k.setId(s.getId());
    k.setSignal(s.getSignal());
    k.setKillDelay(s.getKillDelaySeconds());
    k.setResendTerm(s.getResendTermSeconds());
    k.setExitStatus(s.getExitStatus());
    k.setOverridesExit(s.getOverridesExit());
  });
}

outcome on_limit(const run_state& run, const limit_met& c) {
  if (run.phase != phase::started || !run.kill_signal.empty()) return no_change;
  return one([&](auto e) {
    auto k = e.initRun().initKillRequested();
    k.setSignal("SIGTERM");
    k.setKillDelay(c.kill_delay_s);
    k.setExitStatus(c.exit_status);
    k.setOverridesExit(true);
    k.setWhy(c.why);
  });
}

// A request comes once per id; before the program has started it waits for that.
outcome on_tell(const run_state& run, const tell_order& c) {
  const auto request = c.message.get().getTellRun().getRequest();
  if ((!run.active() && run.phase != phase::received) || request.getId() <= run.last_request) return no_change;
  return one([&](auto e) { e.initRun().setRequestReceived(request); });
}

// A checkpointed run is killed whatever its script has left of it. One whose end was asked for meanwhile ends as that says.
event end_of_checkpointed() {
  return make_event([](auto e) {
    auto k = e.initRun().initKillRequested();
    k.setSignal("SIGKILL");
    k.setExitStatus(exit_checkpointed);
    k.setOverridesExit(true);
  });
}

outcome on_carried_out(const run_state& run, const request_carried_out& c) {
  const bool may_be_done = run.phase == phase::started || (run.phase == phase::ended && run.is_checkpointing());
  if (!may_be_done || c.id <= run.requests_done) return no_change;
  std::vector<event> out;
  const auto request = std::ranges::find(run.requests, c.id, &told_request::id);
  if (request != run.requests.end() && request->release) release_as_told(run, *request->release, out);
  const bool checkpointed = c.checkpointed && !run.exit_override;
  out.push_back(make_event([&](auto e) {
    auto done = e.initRun().initRequestDone();
    done.setId(c.id);
    done.setCheckpointed(checkpointed);
  }));
  if (checkpointed && run.phase == phase::started) out.push_back(end_of_checkpointed());
  return out;
}

event discarded_event() {
  return make_event([](auto e) { e.initRun().setDiscarded(); });
}

outcome on_discard(const run_state& run) {
  const bool waits = run.over() && !run.all_left();  // for its other hosts
  switch (run.phase) {
    case phase::received: {
      std::vector<event> out{discarded_event(), refused_event(exit_retry, "no longer wanted")};
      if (run.all_left() && run.stage_in == stage_in_phase::not_wanted) out.push_back(left_event());
      return out;
    }
    case phase::starting:
    case phase::started:
      if (run.discarded) return no_change;
      return std::vector<event>{discarded_event()};
    case phase::ended:
    case phase::placed:
    case phase::refused:
      // Files that were staged in go first; when that is done the run is discarded once more.
      if (!waits && (run.discarded || run.placed || run.stage_in == stage_in_phase::not_wanted)) return std::vector<event>{left_event()};
      if (run.discarded) return no_change;
      return std::vector<event>{discarded_event()};
    case phase::none:
    case phase::left: return no_change;
  }
  return no_change;
}

outcome on_ack(const run_state& run, const acknowledged& c) {
  const bool last = (c.what == schema::Ack::What::RUN_LEFT && run.phase == phase::placed) ||
                    (c.what == schema::Ack::What::RUN_REFUSED && run.phase == phase::refused);
  return last && run.all_left() ? std::vector<event>{left_event()} : no_change;
}

}  // namespace

event refused_event(int code, const std::string& text) {
  return make_event([&](auto e) {
    auto r = e.initRun().initRefused();
    r.setCode(code);
    r.setText(text);
  });
}
event left_event() {
  return make_event([](auto e) { e.initRun().setLeft(); });
}
bool leaves_at_once(const run_state& run) { return run.discarded && run.all_left() && run.stage_in == stage_in_phase::not_wanted; }
event starting_event() {
  return make_event([](auto e) { e.initRun().setProgramStarting(); });
}

outcome decide(const run_state& run, const run_command& command, const stamp& now, const settings&) {
  struct visitor {
    const run_state& run;
    const stamp& now;
    outcome operator()(const take_order& c) const { return on_order(run, c); }
    outcome operator()(const files_staged& c) const { return on_files_staged(run, c); }
    outcome operator()(const program_began& c) const {
      if (run.phase != phase::starting) return no_change;
      return one([&](auto e) {
        auto s = e.initRun().initProgramStarted();
        s.setPid(c.what.pid);
        s.setSession(c.what.session);
        s.setStartTicks(c.what.start_ticks);
        s.setJobdir(c.what.jobdir);
      });
    }
    outcome operator()(const program_failed& c) const { return on_failed(run, c, now); }
    outcome operator()(const program_over& c) const { return on_over(run, c, now); }
    outcome operator()(const output_placed& c) const {
      if (run.phase != phase::ended || !run.all_left()) return no_change;
      return one([&](auto e) {
        auto o = e.initRun().initOutputPlaced();
        o.setOk(c.what.ok);
        o.setText(c.what.text);
      });
    }
    outcome operator()(const kill_order& c) const { return on_kill(run, c); }
    outcome operator()(const limit_met& c) const { return on_limit(run, c); }
    outcome operator()(const tell_order& c) const { return on_tell(run, c); }
    outcome operator()(const request_carried_out& c) const { return on_carried_out(run, c); }
    outcome operator()(const discard_order&) const { return on_discard(run); }
    outcome operator()(const acknowledged& c) const { return on_ack(run, c); }
    outcome operator()(const sister_joined& c) const { return on_sister_joined(run, c); }
    outcome operator()(const sister_refused& c) const { return on_sister_refused(run, c); }
    outcome operator()(const sisters_absent& c) const { return on_sisters_absent(run, c); }
    outcome operator()(const sister_left& c) const { return on_sister_left(run, c); }
    outcome operator()(const sister_away& c) const { return on_sister_away(run, c); }
    outcome operator()(const sister_back& c) const { return on_sister_back(run, c); }
    outcome operator()(const ticket_lapsed&) const { return on_ticket_lapsed(run, now); }
    outcome operator()(const kill_sent& c) const { return on_kill_sent(run, c); }
    outcome operator()(const timer_fired& c) const { return on_timer(run, c, now); }
    outcome operator()(const sisters_used& c) const { return on_sisters_used(run, c); }
    outcome operator()(const ask_task& c) const { return on_ask_task(run, c); }
    outcome operator()(const task_told& c) const { return on_task_told(run, c); }
    outcome operator()(const hooks_done& c) const { return on_hooks(run, c); }
    outcome operator()(const hooks_used& c) const { return on_hooks_used(run, c); }
    outcome operator()(const start_stopped&) const { return on_start_stopped(run); }
    outcome operator()(const joins_over& c) const { return on_joins_over(run, c); }
    outcome operator()(const prologue_over& c) const { return on_prologue_over(run, c); }
  };
  return std::visit(visitor{run, now}, command);
}

}  // namespace annals::model
