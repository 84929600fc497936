#include "actors/scheduler/cycle_driver.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/policy_names.hpp"
#include "actors/scheduler/log_bits.hpp"
#include "actors/scheduler/reasons_piece.hpp"
#include "actors/scheduler/reservation_message.hpp"
#include "events/model/limits.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

using Builder = schema::FromScheduler::Builder;

// Bits of the log that the driver itself uses (pbs guide: logs).
constexpr std::int64_t ns_per_second = 1'000'000'000;

template <class Fill>
cycle_driver::message make(Fill&& fill) { return schema::make<schema::FromScheduler>(std::forward<Fill>(fill)); }

capnp::Data::Reader data_of(const std::string& bytes) {
  return {reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()};
}

schema::PreemptVictim::How how_of(cycle::preempt_victim::method by) {
  switch (by) {
    case cycle::preempt_victim::method::suspend: return schema::PreemptVictim::How::SUSPEND;
    case cycle::preempt_victim::method::checkpoint: return schema::PreemptVictim::How::CHECKPOINT;
    case cycle::preempt_victim::method::requeue: return schema::PreemptVictim::How::REQUEUE;
    case cycle::preempt_victim::method::remove: break;
  }
  return schema::PreemptVictim::How::DELETE;
}

// The comment of a job that could not run. A hook's words come whole. When others did not make room, PBS says no more than that
// there is none.
std::string comment_of(schema::Refused::Reader refused, bool preempts) {
  constexpr std::string_view not_running = "Not Running: ";
  auto reason = schema::str(refused.getReason());
  if (reason.starts_with(not_running)) return reason;
  return std::string(not_running) + (preempts ? "Not enough free nodes available" : "PBS Error: " + std::move(reason));
}

}  // namespace

cycle_driver::cycle_driver(scheduler_identity self, outlets out)
    : self_(std::move(self)), out_(std::move(out)), directories_(self_.used, {out_.use_priv, out_.use_logs, out_.send, out_.log}) {}

void cycle_driver::set_policy(std::string text, std::string sha256) {
  auto parsed = cycle::parse_policy(text);
  for (const auto& complaint : parsed.complaints) out_.log(event_sched, "Fil", "sched_config", complaint);
  for (const auto& complaint : parsed.group_complaints) {
    if (complaint.counts) {
      out_.log(event_sched, "Fil", "resource_group", "Line " + std::to_string(complaint.line) + ": " + complaint.why);
      continue;
    }
    if (!complaint.why.empty()) out_.log(event_sched, "Fil", "resource_group", complaint.why);
    out_.log(event_sched, "Fil", "resgroup", "error on line " + std::to_string(complaint.line) + ".");
  }
  const auto tell = [&](const char* file, const std::vector<cycle::file_complaint>& complaints) {
    for (const auto& c : complaints) out_.log(event_sched, "Fil", file, "Error on line " + std::to_string(c.line) + ": " + c.why);
  };
  tell("holidays", parsed.holiday_complaints);
  tell("dedicated_time", parsed.dedicated_complaints);
  const auto programs = std::exchange(policy_, std::move(parsed.value)).dynamic_resources;
  if (policy_.prime_days.out_of_date(out_.clock->now_ns() / ns_per_second, policy_.zone))
    out_.log(event_admin, "Fil", "holidays", cycle::holidays_out_of_date);
  policy_text_ = std::move(text);
  policy_hash_ = std::move(sha256);
  policy_sent_ = names_checked_ = false;
  leave_out_missing_programs(parsed.dynamic_lines);
  if (view_.complete()) name_what_means_nothing();
  // What the server has of a resource that a program told is in a new view only.
  const bool same_programs =
      std::equal(programs.begin(), programs.end(), policy_.dynamic_resources.begin(), policy_.dynamic_resources.end(),
                 [](const auto& a, const auto& b) { return a.resource == b.resource; });
  if (view_.count_by(policy_.sharing) || (view_.complete() && !same_programs)) ask_for_full_view();
  if (greeted_ && (policy_.sharing.ever || view_.complete())) send_fairshare();
}

// Which resources there are is known only with a view.
void cycle_driver::name_what_means_nothing() {
  if (std::exchange(names_checked_, true)) return;
  for (const auto& what : cycle::names_without_meaning(policy_, view_.resources())) out_.log(event_sched, "Fil", "sched_config", what);
}

// As in PBS, their resources are not limited.
void cycle_driver::leave_out_missing_programs(const std::vector<int>& lines) {
  if (!out_.has_program) return;
  std::vector<cycle::dynamic_resource> there;
  for (std::size_t i = 0; i < policy_.dynamic_resources.size(); ++i) {
    auto& d = policy_.dynamic_resources[i];
    if (out_.has_program(d.script)) there.push_back(std::move(d));
    else
      out_.log(event_sched, "Fil", "sched_config",
               "Error reading line " + std::to_string(lines[i]) + ": server_dyn_res script " + d.script + " does not exist");
  }
  policy_.dynamic_resources = std::move(there);
}

// no_resource: its program is not asked.
cycle::resource_id cycle_driver::asked_amount(const cycle::dynamic_resource& d) const {
  const auto r = view_.resources().find(d.resource);
  return out_.run_program && r != cycle::no_resource && view_.resources()[r].numeric ? r : cycle::no_resource;
}

bool cycle_driver::asks_programs() const {
  return std::ranges::any_of(policy_.dynamic_resources, [this](const auto& d) { return asked_amount(d) != cycle::no_resource; });
}

std::vector<cycle_driver::told_amount> cycle_driver::ask_programs() {
  std::vector<told_amount> told;
  for (const auto& d : policy_.dynamic_resources)
    if (const auto r = asked_amount(d); r != cycle::no_resource) told.emplace_back(r, ask_program(d, r));
  return told;
}

cycle::amount cycle_driver::ask_program(const cycle::dynamic_resource& d, cycle::resource_id resource) {
  using kind = script_answer::kind;
  const auto tell = [&](std::uint32_t event, const std::string& what) { out_.log(event, "Svr", "server_dyn_res", what); };
  const auto answer = out_.run_program(d.script, view_.settings().dynamic_alarm_seconds());
  auto value = answer.what == kind::told ? view_.resources().read(resource, answer.line, cycle::rounding::down) : std::nullopt;
  if (value && *value < 0) value.reset();
  if (answer.what == kind::told && !value) {
    out_.log(event_error, "Resc", d.resource, "Invalid value for consumable resource");
    tell(event_debug, "Script " + d.script + " returned bad output");
  } else if (answer.what != kind::told) {
    const char* why = answer.what == kind::timed_out ? " timed out"
                      : answer.what == kind::missing ? " can't be run"
                                                     : " may be changed by others and is not run";
    tell(event_debug, "Program " + d.script + why);
    tell(event_debug, "Setting resource " + d.resource + " to 0");
  }
  tell(event_debug2, d.script + " = " + view_.resources().print(resource, value.value_or(0)) + " (\"" + answer.line + "\")");
  return value.value_or(0);
}

// How usage is to be counted; the server's rules write it down when it is news. A formula may ask for it, and that comes with the view: who
// said "off" before would end the counting for a moment, with each start of a scheduler.
void cycle_driver::send_fairshare() {
  counting_told_ = view_.shares().matter();
  out_.send(make([&](Builder m) {
    const auto& s = policy_.sharing;
    auto f = m.initFairshare();
    f.setOn(*counting_told_);
    f.setEntity(values::fairshare_entity_text(s.entity));
    f.setUsage(s.usage_text);
    f.setDecaySeconds(s.decay_seconds);
    f.setDecayFactor(s.decay_factor);
  }));
}

void cycle_driver::connected() {
  view_ = cycle::view();
  view_.count_by(policy_.sharing);
  waiting_.reset();
  asks_.clear();
  policy_sent_ = false;
  view_wanted_ = false;
  preempting_.clear();
  left_out_.clear();
  refusals_.clear();
  counting_told_.reset();
  directories_.connected();
  out_.send(make([&](Builder m) {
    auto h = m.initHello();
    h.setName(self_.name);
    h.setHost(self_.host);
    h.setVersion(self_.version);
    h.setPid(self_.pid);
    h.setPort(self_.port);
  }));
  greeted_ = true;
  if (policy_.sharing.ever) send_fairshare();
}

cycle_driver::next cycle_driver::received(schema::ToScheduler::Reader said) {
  bool has_other_resources = false;  // a site made one, or changed it: as in PBS, the files are read again
  switch (said.which()) {
    case schema::ToScheduler::VIEW:
      has_other_resources = said.getView().getResourcesChanged() && !said.getView().getFull();
      if (const auto what = take_view(said.getView()); what != next::go_on) return what;
      break;
    case schema::ToScheduler::CYCLE: {
      const auto c = said.getCycle();
      waiting_ = start{c.getNumber(),
                       c.getViewSequence(),
                       schema::str(c.getTrigger()),
                       c.getWallNs() != 0 ? c.getWallNs() : out_.clock->now_ns(),
                       {}};
      for (const auto job : c.getWithout()) waiting_->without.push_back(job);
      if (!view_.complete() || view_.sequence() < c.getViewSequence()) ask_for_full_view();
      break;
    }
    case schema::ToScheduler::REFUSED: {
      const auto refused = said.getRefused();
      if (refused.getJob() == 0) return refused_itself(refused);
      if (const auto* job = view_.jobs().find(refused.getJob()))
        out_.log(event_sched, "Job", job->id, "Failed to run: " + schema::str(refused.getReason()));
      view_.intake().withdraw(refused.getJob());
      const bool preempts = preempting_.erase(refused.getJob()) > 0;
      refusals_[refused.getJob()] = comment_of(refused, preempts);
      if (preempts) ask_for_full_view();
      break;
    }
    case schema::ToScheduler::RUN_JOB:
      asks_.push_back(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) { m.setRunJob(said.getRunJob()); }));
      if (!view_.complete() || view_.sequence() < said.getRunJob().getViewSequence()) ask_for_full_view();
      break;
    case schema::ToScheduler::RECONFIGURE: return next::reread_policy;
    case schema::ToScheduler::STOP: return next::stop;
  }
  run_waiting_asks();
  if (waiting_ && view_.complete() && !view_wanted_ && view_.sequence() >= waiting_->view_sequence) {
    const start now = *std::exchange(waiting_, std::nullopt);
    run(now);
  }
  return has_other_resources ? next::reread_policy : next::go_on;
}

cycle_driver::next cycle_driver::take_view(schema::SchedulingDelta::Reader delta) {
  if (delta.getFull()) view_wanted_ = false;
  else if (view_wanted_) return next::go_on;  // belongs to a view that we no longer have
  if (!view_.apply(delta)) {
    ask_for_full_view();
    return next::go_on;
  }
  if (counting_told_ != view_.shares().matter()) send_fairshare();
  return delta.getScheduler().size() > 0 ? take_own(read_own_object(delta.getScheduler())) : next::go_on;
}

cycle_driver::next cycle_driver::take_own(const own_object& own) {
  const bool is_default = self_.name == "default";
  // The default one has no partition to lose. Another without one would be a second default scheduler (MS-49, MS-55).
  if (!is_default && own.partition.empty()) return give_up("Scheduler does not contain a partition", {});
  const bool moved = own_ ? own_->port != own.port : !self_.port_given;
  own_ = own;
  if (!is_default && moved && own.port != 0 && own.port != self_.port && out_.listen && out_.listen(own.port)) self_.port = own.port;
  if (out_.use_priv && out_.use_logs) directories_.wanted({own.priv, own.logs}, own.scheduling);
  return next::go_on;
}

// The server does not take it for a scheduler (MS-56). While another of its name is connected it comes again: that one may be about to go.
cycle_driver::next cycle_driver::refused_itself(schema::Refused::Reader why) {
  const auto reason = schema::str(why.getReason());
  if (why.getCode() != values::pbs_error::scheduler_connected)
    return give_up("Unable to retrieve the scheduler attributes from server", reason);
  out_.log(event_error, "Sched", self_.name, reason);
  return next::go_on;
}

cycle_driver::next cycle_driver::give_up(const std::string& line, const std::string& reason) {
  why_ = reason.empty() ? line : line + ": " + reason;
  out_.log(event_error, "Sched", self_.name, line);
  if (!reason.empty()) out_.log(event_error, "Sched", self_.name, reason);
  return next::give_up;
}

void cycle_driver::ask_for_full_view() {
  if (std::exchange(view_wanted_, true)) return;
  out_.send(make([](Builder m) { m.setFullView(); }));
}

void cycle_driver::run(const start& what) {
  const std::int64_t began = out_.clock->now_ns();
  view_.intake().settle_subjobs();
  leave_out(what);
  send_policy();
  out_.log(event_debug, "Req", "", "Starting Scheduling Cycle");
  name_what_means_nothing();
  std::vector<told_amount> told;
  if (asks_programs()) {  // which takes as long as they like: the cycle has begun all the same (MS-44)
    send_began(what, told);
    told = ask_programs();
  }
  view_.queues().set_dynamic(told);
  send_began(what, told);
  auto decided = cycle::run_cycle(view_, policy_, what.wall_ns / ns_per_second, left_out_);
  say_why_left_out(decided, what);
  remember_victims(decided);
  send_answers(decided, what.number);
  send_runs(decided, what.number);
  send_reasons(decided, what.number);
  send_estimates(decided);
  const std::int64_t elapsed = std::max<std::int64_t>(out_.clock->now_ns() - began, 0);
  out_.send(make([&](Builder m) {
    auto c = m.initCycleEnded();
    c.setNumber(what.number);
    c.setConsidered(decided.considered);
    c.setStarted(static_cast<std::uint32_t>(decided.runs.size()));
    c.setElapsedUs(static_cast<std::uint64_t>(elapsed / 1000));
    c.setLeftQuestions(decided.left_questions);
  }));
  log_cycle(decided);  // last: proposals should not wait for a disk
}

// A job that could not run is tried again by the next cycle that follows no other.
void cycle_driver::leave_out(const start& what) {
  if (what.without.empty()) {
    left_out_.clear();
    refusals_.clear();
  }
  left_out_.insert(what.without.begin(), what.without.end());
}

// The job shows already why a hook refused it. An array says nothing: its other subjobs may run.
void cycle_driver::say_why_left_out(cycle::result& decided, const start& what) const {
  for (const auto serial : what.without) {
    const auto at = view_.jobs().place_of(serial);
    const auto said = refusals_.find(serial);
    if (at == cycle::none || said == refusals_.end()) continue;
    const auto& job = view_.jobs()[at];
    if (job.where != cycle::job_place::queued || job.is_array()) continue;
    decided.reasons.push_back({serial, at, static_cast<std::uint32_t>(decided.comments.size()), 0});
    decided.comments.push_back(said->second);
    decided.whys.emplace_back();
  }
}

// Said a second time of a cycle, it has what programs told.
void cycle_driver::send_began(const start& what, const std::vector<told_amount>& told) {
  out_.send(make([&](Builder m) {
    auto c = m.initCycleBegan();
    c.setNumber(what.number);
    c.setViewSequence(view_.sequence());
    c.setTrigger(what.trigger);
    c.setWallNs(what.wall_ns);
    auto dynamic = c.initDynamic(static_cast<unsigned>(told.size()));
    for (unsigned i = 0; i < told.size(); ++i) {
      dynamic[i].setName("resources_available");
      dynamic[i].setResource(view_.resources()[told[i].first].name);
      dynamic[i].setValue(view_.resources().print(told[i].first, told[i].second));
    }
    auto without = c.initWithout(static_cast<unsigned>(what.without.size()));
    for (unsigned i = 0; i < without.size(); ++i) without.set(i, what.without[i]);
    auto p = c.initPolicy();
    p.setHash(data_of(policy_hash_));
    p.setSize(policy_text_.size());
  }));
}

void cycle_driver::run_waiting_asks() {
  if (!view_.complete() || view_wanted_) return;
  for (const auto& ask : std::exchange(asks_, {})) {
    if (ask.get().getRunJob().getViewSequence() > view_.sequence()) asks_.push_back(ask);
    else run_asked(ask.get().getRunJob());
  }
}

void cycle_driver::run_asked(schema::RunOneJob::Reader ask) {
  const auto at = view_.intake().take_asked(ask.getJob());
  const auto serial = view_.jobs()[at].serial;
  const auto where = view_.jobs()[at].where;
  std::string why = where == cycle::job_place::proposed ? "Job is about to run: its runjob hooks may not have ended" : "Job is running";
  const bool may = where == cycle::job_place::queued || where == cycle::job_place::other;
  const auto decided = may ? cycle::run_asked(view_, policy_, out_.clock->now_ns() / ns_per_second, at, why) : cycle::result();
  log_cycle(decided);
  if (!may) out_.log(event_sched, "Job", view_.jobs()[at].id, why);
  if (decided.runs.empty()) view_.intake().forget_asked(at);
  else remember_victims(decided);
  out_.send(make([&](Builder m) {
    if (!decided.runs.empty()) {
      auto r = m.initRun();
      fill_run(r, decided.runs.front());
      r.setRequest(ask.getRequest());
    } else {
      auto c = m.initCannotRun();
      c.setJob(serial);
      c.setRequest(ask.getRequest());
      c.setReason(why);
    }
  }));
}

void cycle_driver::fill_run(schema::ProposeRun::Builder to, const cycle::proposed_run& run) {
  to.setJob(run.job);
  to.setOfArray(run.subjob.has_value());
  to.setIndex(run.subjob.value_or(0));
  to.setExecVnode(run.exec_vnode);
  to.setExecHost(run.exec_host);
  to.setWalltimeSeconds(static_cast<std::uint64_t>(run.walltime));
  auto hosts = to.initHosts(static_cast<unsigned>(run.hosts.size()));
  for (unsigned i = 0; i < run.hosts.size(); ++i) hosts.set(i, run.hosts[i]);
  auto victims = to.initVictims(static_cast<unsigned>(run.victims.size()));
  for (unsigned i = 0; i < run.victims.size(); ++i) {
    victims[i].setJob(run.victims[i].job);
    victims[i].setHow(how_of(run.victims[i].by));
  }
}

// What a refused proposal of this kind has done to its victims is not known here.
void cycle_driver::remember_victims(const cycle::result& decided) {
  for (const auto& run : decided.runs) preempting_.erase(run.job);
  for (const auto& run : decided.runs)
    if (!run.victims.empty()) preempting_.insert(run.job);
}

void cycle_driver::send_policy() {
  if (std::exchange(policy_sent_, true)) return;
  out_.send(make([&](Builder m) { m.setPolicy(data_of(policy_text_)); }));
}

// Before the runs: what was confirmed is kept from them, and the server is to know that first.
void cycle_driver::send_answers(const cycle::result& decided, std::uint64_t number) {
  for (const auto& answer : decided.answers) {
    out_.send(message_of(answer, number));
    view_.reservations().answered(answer);
  }
}

void cycle_driver::send_runs(const cycle::result& decided, std::uint64_t number) {
  for (const auto& run : decided.runs)
    out_.send(make([&](Builder m) {
      auto r = m.initRun();
      fill_run(r, run);
      r.setCycle(number);
    }));
}

// Comment and what stands before the job are what is told again when it changes; amounts of the data alone change with every job
// that ends.
void cycle_driver::send_reasons(const cycle::result& decided, std::uint64_t number) {
  std::vector<std::uint64_t> hashes, blockers{0};
  for (const auto& comment : decided.comments) hashes.push_back(cycle::comment_hash(comment));
  for (const auto& blocker : decided.blockers) blockers.push_back(cycle::comment_hash(blocker));
  reasons_piece piece(decided, number);
  for (const auto& reason : decided.reasons) {
    const auto& job = view_.jobs()[reason.at];
    if (job.comment == hashes[reason.comment] && job.behind == blockers[reason.behind]) continue;
    if (!piece.add(reason)) {
      out_.send(piece.seal());
      piece = reasons_piece(decided, number);
      piece.add(reason);
    }
    view_.jobs().set_reason(reason.at, hashes[reason.comment], blockers[reason.behind]);
  }
  if (!piece.empty()) out_.send(piece.seal());
}

void cycle_driver::send_estimates(const cycle::result& decided) {
  const auto& all = decided.estimates;
  for (std::size_t from = 0, to = 0; from < all.size(); from = to) {  // in pieces, as reasons
    for (std::size_t bytes = 0; to < all.size(); ++to) {
      bytes += 48 + all[to].exec_vnode.size();
      if (bytes > limits::cycle_reasons_bytes_max && to > from) break;
    }
    out_.send(make([&](Builder m) {
      auto list = m.initReasons().initEstimates(static_cast<unsigned>(to - from));
      for (unsigned i = 0; i < list.size(); ++i) {
        const auto& e = all[from + i];
        list[i].setJob(e.job);
        list[i].setStartNs(e.start * ns_per_second);
        list[i].setExecVnode(e.exec_vnode);
        list[i].setFormer(e.former);
      }
    }));
  }
  for (const auto& e : all) view_.jobs().set_estimate(e.at, e.start, e.exec_vnode, !e.former);
}

void cycle_driver::log_cycle(const cycle::result& decided) {
  for (const auto& line : decided.log) out_.log(line.event, line.log_class, line.object, line.text);
}

}  // namespace annals::actors
