#include "events/model/run.hpp"

#include <algorithm>

#include "events/model/limits.hpp"
#include "events/model/run_rules.hpp"
#include "events/values/duration.hpp"
#include "events/values/size.hpp"

namespace annals::model {

using which = schema::RunEvent::Which;
using phase = run_phase;

namespace {

constexpr run_transition transitions[] = {
    {phase::none, which::RECEIVED, phase::received},
    {phase::received, which::PROGRAM_STARTING, phase::starting},
    {phase::received, which::REFUSED, phase::refused},
    {phase::received, which::HOOK_RAN, phase::received},
    {phase::starting, which::HOOK_RAN, phase::starting},
    {phase::received, which::FILES_STAGED_IN, phase::received},
    {phase::received, which::SISTERS_ASKED, phase::received},
    {phase::received, which::SISTER_JOINED, phase::received},
    {phase::received, which::SISTER_FAILED, phase::received},
    {phase::received, which::SISTER_LEFT, phase::received},
    {phase::received, which::JOIN_WAIT_ENDED, phase::received},
    {phase::received, which::DISCARDED, phase::received},
    {phase::starting, which::KILL_REQUESTED, phase::starting},
    {phase::received, which::WISH_RECEIVED, phase::received},
    {phase::starting, which::WISH_RECEIVED, phase::starting},
    {phase::starting, which::PROGRAM_STARTED, phase::started},
    {phase::starting, which::REFUSED, phase::refused},
    {phase::starting, which::DISCARDED, phase::starting},
    {phase::starting, which::SISTER_FAILED, phase::starting},
    {phase::starting, which::SISTER_LEFT, phase::starting},
    {phase::started, which::KILL_REQUESTED, phase::started},
    {phase::started, which::WISH_RECEIVED, phase::started},
    {phase::started, which::WISH_DONE, phase::started},
    {phase::started, which::PROGRAM_ENDED, phase::ended},
    {phase::started, which::DISCARDED, phase::started},
    {phase::started, which::SISTER_FAILED, phase::started},
    {phase::started, which::SISTER_LEFT, phase::started},
    {phase::started, which::SISTERS_USED, phase::started},
    {phase::started, which::SISTERS_ASKED, phase::started},     // the primary's own part, for its first task
    {phase::started, which::SISTER_JOINED, phase::started},
    {phase::started, which::TASK_ASKED, phase::started},
    {phase::started, which::TASK_SETTLED, phase::started},
    {phase::ended, which::TASK_SETTLED, phase::ended},
    {phase::ended, which::SISTER_LEFT, phase::ended},
    {phase::refused, which::SISTER_LEFT, phase::refused},
    {phase::ended, which::SISTER_FAILED, phase::ended},
    {phase::refused, which::SISTER_FAILED, phase::refused},
    {phase::ended, which::OUTPUT_PLACED, phase::placed},
    {phase::ended, which::LEFT, phase::left},          // discarded: nobody wants the output
    {phase::ended, which::DISCARDED, phase::ended},
    {phase::placed, which::LEFT, phase::left},
    {phase::refused, which::LEFT, phase::left},
    {phase::refused, which::DISCARDED, phase::refused},
    {phase::started, which::KILL_SENT, phase::started},
    {phase::started, which::KILL_DELAY_ENDED, phase::started},
    {phase::received, which::SISTER_AWAY, phase::received},
    {phase::starting, which::SISTER_AWAY, phase::starting},
    {phase::started, which::SISTER_AWAY, phase::started},
    {phase::ended, which::SISTER_AWAY, phase::ended},
    {phase::refused, which::SISTER_AWAY, phase::refused},
    {phase::received, which::SISTER_BACK, phase::received},
    {phase::starting, which::SISTER_BACK, phase::starting},
    {phase::started, which::SISTER_BACK, phase::started},
    {phase::ended, which::SISTER_BACK, phase::ended},
    {phase::refused, which::SISTER_BACK, phase::refused},
    {phase::received, which::TICKET_LAPSED, phase::received},
    {phase::received, which::TICKET_RENEWED, phase::received},
};

constexpr bool no_duplicate_rows() {
  for (std::size_t i = 0; i < std::size(transitions); ++i)
    for (std::size_t j = i + 1; j < std::size(transitions); ++j)
      if (transitions[i].from == transitions[j].from && transitions[i].event == transitions[j].event) return false;
  return true;
}
static_assert(no_duplicate_rows());      // one target per row: a run's phase follows from the event alone

const run_transition* row_of(phase from, which event) {
  const auto* at = std::find_if(std::begin(transitions), std::end(transitions),
                                [&](const run_transition& t) { return t.from == from && t.event == event; });
  return at == std::end(transitions) ? nullptr : at;
}

event received_event(schema::RunRef::Reader ref, schema::byte_span order) {
  return make_event([&](auto e) {
    auto r = e.initRun().initReceived();
    r.setJob(ref.getJob());
    r.setRun(ref.getRun());
    r.setJobSerial(ref.getJobSerial());
    r.setOrder({reinterpret_cast<const kj::byte*>(order.data()), order.size()});
  });
}

// -- decide, one per command -----------------------------------------------------------------------------------------------

outcome on_order(const run_state& run, const take_order& c) {
  const auto order = c.message.get().getStartRun();
  if (run.phase != phase::none) return renew_ticket(run, order);  // a repeat: what was done is reported again
  std::vector<event> out{received_event(order.getRef(), c.message.bytes())};
  if (!wants_files(order)) out.push_back(std::move(begin_run(order).front()));
  return out;
}

outcome on_failed(const run_state& run, const program_failed& c) {
  if (run.phase != phase::starting) return no_change;
  std::vector<event> out{refused_event(c.what.code, c.what.text)};
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

outcome on_hooks(const run_state& run, const hooks_done& c) {
  if (run.phase != phase::received && run.phase != phase::starting) return no_change;      // killed meanwhile
  auto out = hook_events(c.runs, run.job, [](auto e) { return e.initRun().initHookRan(); });
  if (!c.refused) return out;
  out.push_back(refused_event(c.refused->code, c.refused->text));
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

outcome on_over(const run_state& run, const program_over& c, const stamp& now) {
  if (run.phase != phase::started) return no_change;
  const auto usage = measured_usage(counted(run, c.what.usage, now.seconds()));
  std::vector<event> out{make_event([&](auto e) {
    auto p = e.initRun().initProgramEnded();
    p.setExitStatus(run.exit_override.value_or(c.what.exit_status));
    p.setReported(true);
    write_usage(usage, p.initUsage());
  })};
  if (leaves_at_once(run)) out.push_back(left_event());
  return out;
}

// A wish to kill comes once per id, a higher id is a stronger one. A run that never came is refused, so that an order
// which is still on its way finds it refused.
outcome on_kill(const run_state& run, const kill_order& c) {
  const auto s = c.message.get().getSignalRun();
  if (run.phase == phase::none) return std::vector<event>{received_event(s.getRef(), {}), refused_event(s.getExitStatus(), "killed before it came")};
  if (run.phase == phase::received) return std::vector<event>{refused_event(s.getExitStatus(), "killed before it started")};
  if (!run.active() || s.getId() <= run.kill_id) return no_change;
  return one([&](auto e) {
    auto k = e.initRun().initKillRequested();
    k.setId(s.getId());
    k.setSignal(s.getSignal());
    k.setKillDelay(s.getKillDelaySeconds());
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

// A wish comes once per id; before the program has started it waits for that.
outcome on_tell(const run_state& run, const tell_order& c) {
  const auto wish = c.message.get().getTellRun().getWish();
  if ((!run.active() && run.phase != phase::received) || wish.getId() <= run.last_wish) return no_change;
  return one([&](auto e) { e.initRun().setWishReceived(wish); });
}

outcome on_carried_out(const run_state& run, const wish_carried_out& c) {
  if (run.phase != phase::started || c.id <= run.wishes_done) return no_change;
  return one([&](auto e) { e.initRun().initWishDone().setId(c.id); });
}

event discarded_event() { return make_event([](auto e) { e.initRun().setDiscarded(); }); }

outcome on_discard(const run_state& run) {
  const bool waits = run.over() && !run.all_left();       // for its other hosts
  switch (run.phase) {
    case phase::received: {
      std::vector<event> out{discarded_event(), refused_event(-3, "no longer wanted")};
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
event left_event() { return make_event([](auto e) { e.initRun().setLeft(); }); }
bool leaves_at_once(const run_state& run) { return run.discarded && run.all_left() && run.stage_in == stage_in_phase::not_wanted; }
event starting_event() { return make_event([](auto e) { e.initRun().setProgramStarting(); }); }

outcome decide(const run_state& run, const run_command& command, const stamp& now, const site&) {
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
    outcome operator()(const program_failed& c) const { return on_failed(run, c); }
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
    outcome operator()(const wish_carried_out& c) const { return on_carried_out(run, c); }
    outcome operator()(const discard_order&) const { return on_discard(run); }
    outcome operator()(const acknowledged& c) const { return on_ack(run, c); }
    outcome operator()(const sister_joined& c) const { return on_sister_joined(run, c); }
    outcome operator()(const sister_refused& c) const { return on_sister_refused(run, c); }
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
  };
  return std::visit(visitor{run, now}, command);
}

// -- apply -----------------------------------------------------------------------------------------------------------------

namespace {

void on_received(run_state& run, const event_place& at, schema::RunReceived::Reader e) {
  run.stream = at.stream;
  run.job = schema::str(e.getJob());
  run.run = e.getRun();
  run.job_serial = e.getJobSerial();
  run.join_since_ns = at.wall_ns;
  const auto order = e.getOrder();
  if (order.size() == 0) return;
  auto message = schema::sealed_message::from_bytes(schema::bytes_of(order));
  ANNALS_INVARIANT(message.has_value(), "an order in the log is well-formed");
  run.order = schema::sealed<schema::ToMom>(std::move(*message));
  if (wants_files(run.order.get().getStartRun())) run.stage_in = stage_in_phase::wanted;
}

void on_ended(run_state& run, const event_place& at, schema::ProgramEnded::Reader e) {
  run.over_since_ns = at.wall_ns;
  run.exit_status = e.getExitStatus();
  run.usage = read_usage(e.getUsage());
}

void on_killed(run_state& run, schema::KillRequested::Reader e) {
  run.kill_id = std::max(run.kill_id, e.getId());
  run.kill_signal = schema::str(e.getSignal());
  run.kill_delay_s = e.getKillDelay();
  run.kill_why = schema::str(e.getWhy());
  run.kill_sent_ns = 0;
  run.kill_delay_over = false;
  if (e.getOverridesExit()) run.exit_override = e.getExitStatus();
}

void on_wish(run_state& run, const event_place& at, schema::Wish::Reader e) {
  if (e.isSuspend() && !run.suspended) {
    run.suspended = true;
    run.suspended_at_s = at.seconds();
  } else if (e.isResume() && run.suspended) {
    run.suspended = false;
    run.suspended_s += at.seconds() - run.suspended_at_s;
  }
  told_wish w{e.getId(), e.which(), {}, false, false};
  if (e.isSignal()) w.text = schema::str(e.getSignal());
  if (e.isMessage()) {
    w.text = schema::str(e.getMessage().getText());
    w.to_errors = e.getMessage().getToErrors();
    w.to_output = e.getMessage().getToOutput();
  }
  run.last_wish = w.id;
  run.wishes.push_back(std::move(w));
}

}  // namespace

void apply(run_state& run, const event_place& at, schema::RunEvent::Reader event) {
  const auto* row = row_of(run.phase, event.which());
  ANNALS_INVARIANT(row, "an event the run's table does not list");
  switch (event.which()) {
    case which::RECEIVED: on_received(run, at, event.getReceived()); break;
    case which::PROGRAM_STARTED: {
      const auto e = event.getProgramStarted();
      run.pid = e.getPid();
      run.session = e.getSession();
      run.jobdir = schema::str(e.getJobdir());
      run.started_s = at.seconds();
      break;
    }
    case which::REFUSED:
      run.over_since_ns = at.wall_ns;
      run.exit_status = event.getRefused().getCode();
      run.text = schema::str(event.getRefused().getText());
      break;
    case which::KILL_REQUESTED: on_killed(run, event.getKillRequested()); break;
    case which::PROGRAM_ENDED: on_ended(run, at, event.getProgramEnded()); break;
    case which::OUTPUT_PLACED:
      run.placed = true;
      run.delivered = event.getOutputPlaced().getOk();
      run.delivery_text = schema::str(event.getOutputPlaced().getText());
      break;
    case which::WISH_RECEIVED: on_wish(run, at, event.getWishReceived()); break;
    case which::WISH_DONE:
      run.wishes_done = event.getWishDone().getId();
      std::erase_if(run.wishes, [&](const told_wish& w) { return w.id <= run.wishes_done; });
      break;
    case which::DISCARDED: run.discarded = true; break;
    case which::HOOK_RAN:
      run.hooks.add(event.getHookRan());
      if (run.phase == phase::received) run.join_since_ns = at.wall_ns;     // sisters are asked behind them
      break;
    case which::KILL_SENT: run.kill_sent_ns = at.wall_ns; break;
    case which::KILL_DELAY_ENDED: run.kill_delay_over = true; break;
    case which::FILES_STAGED_IN:
      apply_to_staging(run, at, event.getFilesStagedIn());
      add_step(run, at, event);
      break;
    case which::SISTERS_ASKED:
    case which::SISTER_JOINED:
    case which::SISTER_FAILED:
    case which::JOIN_WAIT_ENDED:
    case which::SISTER_LEFT:
    case which::SISTERS_USED:
    case which::SISTER_AWAY:
    case which::SISTER_BACK:
    case which::TICKET_LAPSED:
    case which::TICKET_RENEWED: apply_to_sisters(run, at, event); break;
    case which::TASK_ASKED:
    case which::TASK_SETTLED: apply_to_tasks(run, event); break;
    case which::PROGRAM_STARTING:
    case which::LEFT: break;      // the phase says it
  }
  run.phase = row->to;
  run.version = at.version;
}

// -- limits ----------------------------------------------------------------------------------------------------------------

namespace {
std::string limit_text(schema::StartRun::Reader order, std::string_view resource) {
  for (auto a : order.getAttributes())
    if (schema::text(a.getName()) == "Resource_List" && schema::text(a.getResource()) == resource) return schema::str(a.getValue());
  return {};
}
}  // namespace

ports::run_usage counted(const run_state& run, ports::run_usage measured, std::int64_t now_s) {
  const auto lost = run.suspended_s + (run.suspended ? now_s - run.suspended_at_s : 0);
  measured.wall_seconds -= std::min(measured.wall_seconds, static_cast<std::uint64_t>(std::max<std::int64_t>(lost, 0)));
  return measured;
}

std::optional<limit_met> exceeded_limit(schema::StartRun::Reader order, const usage_set& usage, bool enforce_mem) {
  const auto delay = order.getKillDelaySeconds();
  const auto over = [&](const char* resource, std::uint64_t used, std::int32_t code) -> std::optional<limit_met> {
    const auto limit = values::parse_duration(limit_text(order, resource));
    if (!limit || used <= static_cast<std::uint64_t>(*limit)) return std::nullopt;
    return limit_met{code, std::string(resource) + " " + std::to_string(used) + " exceeded limit " + std::to_string(*limit), delay};
  };
  if (auto met = over("walltime", usage.seconds("walltime"), -29)) return met;
  if (auto met = over("cput", usage.seconds("cput"), -28)) return met;
  if (!enforce_mem) return std::nullopt;
  const auto mem = values::parse_size(limit_text(order, "mem"));
  const auto used_kb = usage.kb("mem");
  if (!mem || used_kb <= mem->to_kb()) return std::nullopt;
  return limit_met{-27, "mem " + std::to_string(used_kb) + "kb exceeded limit " + std::to_string(mem->to_kb()) + "kb", delay};
}

namespace {
bool grew(std::uint64_t now, std::uint64_t told) { return now * 100 > told * (100 + limits::usage_growth_percent_max); }
}  // namespace

bool worth_reporting(const usage_set& now, const usage_set& told, std::int64_t since_told_s, std::int64_t interval_s) {
  if (now == told || since_told_s < interval_s) return false;
  if (since_told_s * 100 >= static_cast<std::int64_t>(now.seconds("walltime") * limits::usage_age_percent_max)) return true;
  return grew(now.kb("mem"), told.kb("mem")) || grew(now.kb("vmem"), told.kb("vmem")) || grew(now.seconds("cput"), told.seconds("cput")) ||
         now.count("ncpus") != told.count("ncpus");
}

std::span<const run_transition> run_transitions() { return transitions; }
bool may_happen(run_phase from, which event) { return row_of(from, event) != nullptr; }

}  // namespace annals::model
