// The other hosts of a run, as its primary sees them: they join before the program starts, and leave when it has ended.
// docs/design/0020-jobs-across-hosts.md.
#include <algorithm>

#include "events/model/exit_codes.hpp"
#include "events/model/run/rules.hpp"
#include "events/model/run/ticket.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::model {

using phase = run_phase;
namespace pbs_error = values::pbs_error;

namespace {

sister_state* sister_of(run_state& run, std::string_view host) {
  const auto at = std::find_if(run.sisters.begin(), run.sisters.end(), [&](const auto& s) { return s.host == host; });
  return at == run.sisters.end() ? nullptr : &*at;
}

event sister_left_event(const host_usage& usage, bool abandoned) {
  return make_event([&](auto e) {
    auto l = e.initRun().initSisterLeft();
    l.setHost(usage.host);
    write_usage(usage.usage, l.initUsage());
    l.setAbandoned(abandoned);
    l.setMeasuredNs(usage.measured_ns);
  });
}

// What a host's hooks refused is not tried again by itself elsewhere: the job is queued again, or deleted if a hook said so.
std::int32_t exit_of_refusal(std::int32_t code) {
  switch (code) {
    case pbs_error::hook_rejected:
    case pbs_error::hook_error: return exit_hook_rejected;
    case pbs_error::hook_rejected_rerun: return -18;
    case pbs_error::hook_rejected_delete: return -19;
    default: return exit_retry;
  }
}

// RS-14
std::string start_error_text(const std::string& host, std::int32_t code, start_step what) {
  const auto* const name = what == start_step::EXEC_PROLOGUE ? "IM_EXEC_PROLOGUE" : "JOIN_JOB";
  return "job_start_error " + std::to_string(code) + " from node " + host + " could not " + name + " successfully";
}

// The last host is out: a run that nobody waits for goes at once.
void close_if_out(const run_state& run, const std::string& last, std::vector<event>& out) {
  const bool others = std::all_of(run.sisters.begin(), run.sisters.end(),
                                  [&](const auto& s) { return s.host == last || s.phase == sister_phase::left; });
  if (others && run.discarded && run.over()) out.push_back(left_event());
}

// Of a job that was to end anyway (qdel, a limit) the exit status stays what that makes it.
event kill_for_lost_host(const run_state& run, const std::string& host) {
  return make_event([&](auto e) {
    auto k = e.initRun().initKillRequested();
    k.setSignal("SIGKILL");
    k.setExitStatus(exit_host_lost);
    k.setOverridesExit(!run.exit_override.has_value());
    k.setWhy("lost communication with " + host);
  });
}

// What of the start a host that is lost now has failed in.
start_step step_of(const run_state& run) {
  const bool in_prologue = run.launch_since_ns != 0 && (run.phase == phase::received || run.phase == phase::starting);
  return in_prologue ? start_step::EXEC_PROLOGUE : start_step::JOIN_JOB;
}

// A host is out of a run that is over or goes on without it.
outcome leave(const run_state& run, const host_usage& usage, bool abandoned) {
  std::vector<event> out{sister_left_event(usage, abandoned)};
  if (!run.over()) end_tasks_of(run, usage.host, out);
  close_if_out(run, usage.host, out);
  return out;
}

// A host that should have the job has lost it, or can't be reached any more.
outcome lose_sister(const run_state& run, const std::string& host, const std::string& why) {
  const auto* s = run.sister(host);
  if (s && !s->own() && run.bears_failures()) return bear(run, *s, pbs_error::sister_unreachable, why, step_of(run));
  std::vector<event> out{failed_event(host, pbs_error::sister_unreachable, why, step_of(run))};
  if (run.phase == phase::received) out.push_back(refused_for(host, pbs_error::sister_unreachable, {}, step_of(run)));
  else if (run.active()) out.push_back(kill_for_lost_host(run, host));
  return out;
}

}  // namespace

event failed_event(const std::string& host, std::int32_t code, const std::string& text, start_step what) {
  return make_event([&](auto e) {
    auto f = e.initRun().initSisterFailed();
    f.setHost(host);
    f.setCode(code);
    f.setText(text);
    f.setWhat(what);
  });
}

event refused_for(const std::string& host, std::int32_t code, const std::string& why, start_step what) {
  const auto text = start_error_text(host, code, what);
  return refused_event(exit_of_refusal(code), why.empty() ? text : text + ": " + why);
}

std::string start_error(schema::SisterStep::Reader failure) {
  return start_error_text(schema::str(failure.getHost()), failure.getCode(), failure.getWhat());
}

// It stays in the job, and may have a part of it until the end.
outcome bear(const run_state& run, const sister_state& s, std::int32_t code, const std::string& text, start_step what) {
  if (s.phase == sister_phase::failed) return no_change;
  std::vector<event> out{failed_event(s.host, code, text, what)};
  end_tasks_of(run, s.host, out);
  start_if_all_ready(
      run, [&](const sister_state& other) { return other.host == s.host; }, out);
  return out;
}

// -- reading ---------------------------------------------------------------------------------------------------------------

bool run_state::all_left() const {
  return std::all_of(sisters.begin(), sisters.end(), [](const auto& s) { return s.phase == sister_phase::left; });
}
const sister_state* run_state::sister(std::string_view host) const {
  const auto at = std::find_if(sisters.begin(), sisters.end(), [&](const auto& s) { return s.host == host; });
  return at == sisters.end() ? nullptr : &*at;
}
std::vector<std::string> run_state::abandoned_hosts() const {
  std::vector<std::string> hosts;
  for (const auto& s : sisters)
    if (s.abandoned) hosts.push_back(s.host);
  return hosts;
}
std::vector<host_usage> run_state::usage_by_host(host_usage own, const attributes::resource_catalogue& resources,
                                                 const last_usage& last) const {
  std::vector<host_usage> hosts;
  for (const auto& s : sisters) {
    const auto& told = last ? last(s) : s.usage;
    if (s.host == own.host) add_usage(own.usage, told.usage, resources);
    else if (!s.dropped() || !told.usage.empty()) hosts.push_back({s.host, told.usage, told.measured_ns});
  }
  own.usage = with_hooks(std::move(own.usage), hook_usage);
  hosts.insert(hosts.begin(), std::move(own));
  return hosts;
}

// -- decide ----------------------------------------------------------------------------------------------------------------

std::vector<event> ask_sisters(schema::StartRun::Reader order) {
  return one([&](auto e) {
    const auto sisters = order.getSisters();
    auto hosts = e.initRun().initSistersAsked().initHosts(sisters.size());
    for (unsigned i = 0; i < sisters.size(); ++i) hosts.set(i, sisters[i].getHost());
  });
}

outcome on_sister_joined(const run_state& run, const sister_joined& c) {
  const auto* s = run.sister(c.host);
  if (!s || s->phase != sister_phase::asked || (run.phase != phase::received && run.phase != phase::started)) return no_change;
  return one([&](auto e) { e.initRun().initSisterJoined().setHost(c.host); });
}

outcome on_sister_refused(const run_state& run, const sister_refused& c) {
  const auto* s = run.sister(c.host);
  if (!s || s->phase == sister_phase::left) return no_change;
  if (s->dropped()) return leave(run, {c.host, s->usage.usage, s->usage.measured_ns}, false);
  if (s->phase == sister_phase::failed && !run.over()) return no_change;  // that was borne
  if (!s->own() && bears(run, c.code)) return bear(run, *s, c.code, c.text);
  std::vector<event> out;
  if (s->phase == sister_phase::asked) out.push_back(failed_event(c.host, c.code, c.text));
  out.push_back(sister_left_event({c.host, s->usage.usage, s->usage.measured_ns}, false));
  if (run.phase == phase::received) out.push_back(refused_for(c.host, c.code, c.text, start_step::JOIN_JOB));
  else if (run.active()) out.push_back(kill_for_lost_host(run, c.host));
  close_if_out(run, c.host, out);
  return out;
}

outcome on_sister_left(const run_state& run, const sister_left& c) {
  const auto* s = run.sister(c.usage.host);
  if (!s || s->phase == sister_phase::left) return no_change;
  if (run.over() || s->dropped()) return leave(run, c.usage, false);
  return s->phase == sister_phase::failed ? no_change : lose_sister(run, c.usage.host, "the host no longer has the job");
}

outcome on_sister_silent(const run_state& run, const host_usage& last_known) {
  const auto* s = run.sister(last_known.host);
  if (run.over() || (s && s->dropped())) return leave(run, last_known, true);
  return lose_sister(run, last_known.host, "no contact");
}

// Nothing has started: a job that does not bear it is tried again.
outcome on_sisters_absent(const run_state& run, const sisters_absent& c) {
  if (run.phase != phase::received && run.phase != phase::starting) return no_change;
  const auto is_lost = [&](const sister_state& s) {
    return s.phase == sister_phase::joined && !s.own() && !s.dropped() && std::ranges::count(c.hosts, s.host) > 0;
  };
  const auto first = std::ranges::find_if(run.sisters, is_lost);
  if (first == run.sisters.end()) return no_change;
  std::vector<event> out;
  for (const auto& s : run.sisters) {
    if (!is_lost(s)) continue;
    out.push_back(failed_event(s.host, pbs_error::sister_unreachable, c.why, step_of(run)));
    end_tasks_of(run, s.host, out);
  }
  if (run.bears_failures()) start_if_all_ready(run, is_lost, out);
  else out.push_back(refused_for(first->host, pbs_error::sister_unreachable, c.why, step_of(run)));
  return out;
}

// -- its link and its ticket: times that a restart of this MoM must not change ----------------------------------------------

namespace {
bool may_be_missed(const run_state& run, const sister_state* s) {
  const bool goes_on = run.phase == phase::received || run.active() || run.over();
  return goes_on && s && s->phase != sister_phase::left;
}
}  // namespace

outcome on_sister_away(const run_state& run, const sister_away& c) {
  const auto* s = run.sister(c.host);
  if (!may_be_missed(run, s) || s->away_since_ns != 0) return no_change;
  return one([&](auto e) {
    auto a = e.initRun().initSisterAway();
    a.setHost(c.host);
    a.setSinceNs(c.since_ns);
  });
}

// Who waits for a task there, or asks for one, is not left waiting for as long as the job lives.
outcome give_up_tasks_of(const run_state& run, const std::string& host, std::int64_t away_since_ns) {
  std::vector<event> out{make_event([&](auto e) {
    auto a = e.initRun().initSisterAway();
    a.setHost(host);
    a.setSinceNs(away_since_ns);
    a.setSilent(true);
  })};
  end_tasks_of(run, host, out);
  return out;
}

outcome on_sister_back(const run_state& run, const sister_back& c) {
  const auto* s = run.sister(c.host);
  if (!may_be_missed(run, s) || s->away_since_ns == 0) return no_change;
  return one([&](auto e) {
    auto b = e.initRun().initSisterBack();
    b.setHost(c.host);
    b.setSinceNs(c.since_ns);
  });
}

outcome on_ticket_lapsed(const run_state& run, const stamp& now) {
  const bool asks = std::any_of(run.sisters.begin(), run.sisters.end(), [](const auto& s) { return s.phase == sister_phase::asked; });
  if (run.phase != phase::received || run.ticket_lapsed || !asks) return no_change;
  if (now.wall_ns < ticket_good_until_ns(run.ticket())) return no_change;
  return one([](auto e) { e.initRun().setTicketLapsed(); });
}

outcome renew_ticket(const run_state& run, schema::StartRun::Reader order) {
  if (!run.ticket_lapsed || run.phase != phase::received) return no_change;
  if (valid_until_ns(order.getTicket()) <= valid_until_ns(run.ticket())) return no_change;
  return one([&](auto e) { e.initRun().setTicketRenewed(order.getTicket()); });
}

// Kept for a primary that dies and then can't reach them any more.
outcome on_sisters_used(const run_state& run, const sisters_used& c) {
  if (run.phase != phase::started) return no_change;
  std::vector<host_usage> news;
  for (const auto& told : c.hosts)
    if (const auto* s = run.sister(told.host); s && s->phase != sister_phase::left && !(s->usage == told)) news.push_back(told);
  if (news.empty()) return no_change;
  return one([&](auto e) {
    auto u = e.initRun().initSistersUsed();
    u.setRun(run.run);
    auto hosts = u.initHosts(static_cast<unsigned>(news.size()));
    for (unsigned i = 0; i < news.size(); ++i) write_host_usage(news[i], hosts[i]);
  });
}

outcome on_join_wait_over(const run_state& run) {
  if (run.phase != phase::received) return no_change;
  std::vector<event> out{make_event([](auto e) { e.initRun().setJoinWaitEnded(); })};
  std::string first;
  for (const auto& s : run.sisters) {
    if (s.phase != sister_phase::asked) continue;
    if (first.empty()) first = s.host;
    out.push_back(failed_event(s.host, pbs_error::sister_unreachable, "did not join in time"));
  }
  if (!run.bears_failures()) out.push_back(refused_for(first, pbs_error::sister_unreachable, {}, start_step::JOIN_JOB));
  return out;
}

// -- apply -----------------------------------------------------------------------------------------------------------------

namespace {

void on_asked(run_state& run, schema::SistersAsked::Reader e) {
  if (!run.order) return;
  const auto addresses = run.order.get().getStartRun().getSisters();
  for (auto h : e.getHosts()) {
    sister_state s;
    s.host = schema::str(h);
    for (unsigned i = 0; i < addresses.size(); ++i) {  // none: the primary itself, for its own part
      if (schema::text(addresses[i].getHost()) != s.host) continue;
      s.address = schema::str(addresses[i].getAddress());
      s.port = addresses[i].getPort();
      s.node = i + 1;
    }
    run.sisters.push_back(std::move(s));
  }
}

void set_phase(run_state& run, capnp::Text::Reader host, sister_phase to) {
  if (auto* s = sister_of(run, schema::text(host))) s->phase = to;
}

void on_ready(run_state& run, schema::SisterReady::Reader e) {
  if (auto* s = sister_of(run, schema::text(e.getHost()))) s->ready = true;
}

void on_left(run_state& run, schema::SisterLeft::Reader e) {
  auto* s = sister_of(run, schema::text(e.getHost()));
  if (!s) return;
  s->phase = sister_phase::left;
  s->abandoned = e.getAbandoned();
  s->usage = {s->host, read_usage(e.getUsage()), e.getMeasuredNs()};
}

void on_used(run_state& run, schema::UsageReported::Reader e) {
  for (auto h : e.getHosts())
    if (auto* s = sister_of(run, schema::text(h.getHost()))) s->usage = read_host_usage(h);
}

void on_away(run_state& run, schema::SisterAway::Reader e, bool away) {
  auto* s = sister_of(run, schema::text(e.getHost()));
  if (!s) return;
  s->away_since_ns = away ? e.getSinceNs() : 0;
  s->silent = away && e.getSilent();
}

void on_renewed(run_state& run, const event_place& at, schema::SignedTicket::Reader ticket) {
  run.ticket_lapsed = false;
  run.fresh_ticket = schema::copy_of<schema::SignedTicket>(ticket);
  run.join_since_ns = at.wall_ns;
}

}  // namespace

void add_step(run_state& run, const event_place& at, schema::RunEvent::Reader step) {
  run.steps.push_back(schema::make<schema::RunStep>([&](auto s) {
    s.setRun(run.run);
    s.setAtNs(at.wall_ns);
    s.setStep(step);
  }));
}

void apply_to_sisters(run_state& run, const event_place& at, schema::RunEvent::Reader event) {
  // No steps: the server is told otherwise, or need not know.
  if (event.isSistersUsed()) return on_used(run, event.getSistersUsed());
  if (event.isSisterAway()) return on_away(run, event.getSisterAway(), true);
  if (event.isSisterBack()) return on_away(run, event.getSisterBack(), false);
  if (event.isTicketLapsed()) return (void)(run.ticket_lapsed = true);
  if (event.isTicketRenewed()) return on_renewed(run, at, event.getTicketRenewed());
  if (event.isSisterReady()) on_ready(run, event.getSisterReady());
  if (event.isPrologueAsked()) run.launch_since_ns = at.wall_ns;
  if (event.isSistersAsked()) on_asked(run, event.getSistersAsked());
  if (event.isSisterJoined()) set_phase(run, event.getSisterJoined().getHost(), sister_phase::joined);
  if (event.isSisterFailed()) set_phase(run, event.getSisterFailed().getHost(), sister_phase::failed);
  if (event.isSisterLeft()) on_left(run, event.getSisterLeft());
  add_step(run, at, event);
}

// -- effects ---------------------------------------------------------------------------------------------------------------

void owe_to_sisters(const run_state& run, std::vector<run_effect>& owed) {
  if (run.phase == phase::received && run.ticket_lapsed) owed.push_back(want_ticket{});
  for (const auto& s : run.sisters) {
    if (s.phase == sister_phase::left || run.phase == phase::left) continue;
    if (run.over() || s.dropped()) owed.push_back(release_sister{s.host});
    else if (s.phase == sister_phase::asked) {
      if (run.phase != phase::received || !run.ticket_lapsed) owed.push_back(ask_sister{s.host});
    } else if (s.phase == sister_phase::joined) {
      owed.push_back(keep_sister{s.host});
      if (run.reductions > 0 && !s.own()) owed.push_back(update_sister{s.host, run.reductions});
    }
  }
}

}  // namespace annals::model
