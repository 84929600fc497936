#include "actors/sessions/scheduler_session.hpp"

#include <algorithm>
#include <utility>

#include "actors/sessions/unserved_partitions.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/job_id.hpp"
#include "projections/scheduling/scheduling_rows.hpp"
#include "projections/status/partition.hpp"

namespace annals::actors {

namespace {

// Which events may let a job run, and what the cycle's log line and record call them. nullptr: none.
const char* trigger_of(schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::MOVED: return "new job";
    case which::QUEUED: return values::is_subjob(event.getQueued().getNumber()) ? nullptr : "new job";  // it runs already
    case which::RELEASED:
    case which::WAIT_ENDED:
    case which::RESUME_WANTED:
    case which::ALTERED: return "job changed";
    case which::REQUEUED:
    case which::ENDED:
    case which::SUBJOB_LEFT:
    case which::VNODES_RELEASED: return "job ended";
    case which::RESUMED: return event.getResumed().getAdmin() ? "host changed" : nullptr;  // maintenance may be over where it is
    default: return nullptr;
  }
}

const char* trigger_of(schema::HostEvent::Reader event) {
  using which = schema::HostEvent::Which;
  switch (event.which()) {
    case which::CAME_UP:
    case which::VNODE_CHANGED:
    case which::VNODE_CREATED: return "host changed";
    default: return nullptr;
  }
}

const char* trigger_of(schema::ServerEvent::Reader event) {
  using which = schema::ServerEvent::Which;
  switch (event.which()) {
    case which::CHANGED:
    case which::RESOURCE_CREATED:
    case which::RESOURCE_CHANGED:
    case which::RESOURCE_DELETED: return "settings changed";
    default: return nullptr;
  }
}

const char* trigger_of(schema::ReservationEvent::Reader event) {
  using which = schema::ReservationEvent::Which;
  switch (event.which()) {
    case which::SUBMITTED:
    case which::ALTER_REQUESTED:
    case which::LATER_ASKED: return "new reservation";
    case which::CONFIRMED:
    case which::LATER_PLACED:
    case which::ALTER_DENIED:
    case which::OCCURRENCE_BEGAN:
    case which::OCCURRENCE_ENDED:
    case which::DEGRADED:
    case which::RESTORED:
    case which::DELETE_REQUESTED:
    case which::ENDED: return "reservation changed";
    default: return nullptr;
  }
}

bool changes_settings(schema::Event::Reader event) {
  return schema::is(event, schema::ServerEvent::CHANGED) || schema::is(event, schema::SchedulerEvent::CHANGED);
}

// It stands on the server too, whose change asks for a cycle (mirrored_scheduling.cpp).
bool only_mirrors(schema::SchedulerEvent::Reader event) {
  if (!event.isChanged()) return false;
  for (auto c : event.getChanged().getChanges())
    if (const auto name = schema::text(c.getName()); name != "scheduling" && name != "scheduler_iteration") return false;
  return true;
}

// It came into its queue just now.
bool is_new_job(schema::Event::Reader event) {
  return schema::is(event, schema::JobEvent::QUEUED) || schema::is(event, schema::JobEvent::MOVED);
}

// An array hears of a subjob that has left behind its end, which let a cycle begin already. Another one is for what the array has to run
// again, or may run now (max_run_subjobs).
bool is_old_news(const projections::status& from, std::uint64_t stream, schema::Event::Reader event) {
  if (!schema::is(event, schema::JobEvent::SUBJOB_LEFT)) return false;
  const auto array = from.job(stream);
  return !event.getJob().getSubjobLeft().getRequeued() && array && !array->attributes.has(attributes::job::max_run_subjobs);
}

// Who asked by hand is told what the job's comment says, without its beginning.
model::rejection refusal_of(std::string_view comment) {
  auto why = model::refuse(values::pbs_error::resource_unavailable);
  for (const std::string_view begin : {"Not Running: ", "Can Never Run: "})
    if (comment.starts_with(begin)) comment.remove_prefix(begin.size());
  if (!comment.empty()) why.text = comment;
  return why;
}

// It lets nothing run. A hook that refuses in other words each time would begin cycles without end.
bool only_comments(schema::Event::Reader event) {
  if (!schema::is(event, schema::JobEvent::ALTERED)) return false;
  const auto changes = event.getJob().getAltered().getChanges();
  for (auto c : changes)
    if (schema::text(c.getName()) != "comment") return false;
  return changes.size() > 0;
}

// The job is not to blame, and others would be refused as well.
bool refuses_all(const model::rejection& why) {
  return why.code == values::pbs_error::server_down || why.code == values::pbs_error::system_error;
}

const char* trigger_of(schema::Event::Reader event) {
  switch (event.which()) {
    case schema::Event::JOB: return only_comments(event) ? nullptr : trigger_of(event.getJob());
    case schema::Event::HOST: return trigger_of(event.getHost());
    case schema::Event::SERVER: return trigger_of(event.getServer());
    case schema::Event::QUEUE: return event.getQueue().isChanged() ? "settings changed" : nullptr;
    case schema::Event::SCHEDULER: return changes_settings(event) ? "settings changed" : nullptr;
    case schema::Event::RESERVATION: return trigger_of(event.getReservation());
    case schema::Event::HOOK:
    case schema::Event::RUN:
    case schema::Event::PART:
    case schema::Event::LOG: return nullptr;
  }
  return nullptr;
}

}  // namespace

scheduler_session::scheduler_session(const projections::status& from, std::string name, outlets out)
    : from_(from), name_(std::move(name)), out_(std::move(out)), view_(from, name_) {
  if (const auto at = from.schedulers().find(name_); at != from.schedulers().end()) cycle_ = at->second.cycle;
  keep_iteration();
  remind_of_withheld();
}

void scheduler_session::folded(const log::record& record) {
  view_.apply(record);
  const auto event = record.event();
  settings_changed_ |= changes_settings(event);
  const auto withheld = withheld_.folded(record);
  if (withheld.given && trigger_.empty()) note_new_job();
  if (event.isScheduler()) note_own(event.getScheduler(), record.get().getStream());
  if (!peer_) {
    if (schema::is(event, schema::JobEvent::QUEUED)) job_came_in_vain(event.getJob().getQueued());
    return;
  }
  if (!trigger_.empty() || withheld.is_looked_at) return;
  const char* why = trigger_of(event);
  if (!why || !view_.concerns(record) || is_old_news(from_, record.get().getStream(), event)) return;
  if (event.isScheduler() && name_ == model::default_scheduler && only_mirrors(event.getScheduler())) return;
  if (is_new_job(event)) note_new_job();
  else trigger_ = why;
}

// Gives the scheduler the jobs that no longer rest and those that no longer wait for hooks.
projections::withheld_jobs::over scheduler_session::give_what_is_due(std::int64_t now_ns) {
  const auto over = withheld_.time_is(now_ns);
  if (over.gave_up)
    out_.complain("postqueuejob hooks do not end: " + name_ + " does not wait for them with the jobs that have come");
  return over;
}

// One reminder for all. It may come too early: a hook that ends gives the others more time.
void scheduler_session::remind_of_withheld() {
  const auto next = withheld_.next_ns();
  if (!next || (withheld_reminder_ != 0 && withheld_reminder_ns_ <= *next)) return;
  withheld_reminder_ = ++reminders_;
  withheld_reminder_ns_ = *next;
  const auto left_ns = std::max<std::int64_t>(*next - out_.clock.now_ns(), 0);
  out_.remind(std::chrono::ceil<std::chrono::seconds>(std::chrono::nanoseconds(left_ns)), withheld_reminder_);
}

void scheduler_session::look_after_withheld() {
  withheld_reminder_ = 0;
  const auto over = give_what_is_due(out_.clock.now_ns());
  remind_of_withheld();
  if (over.given && trigger_.empty()) note_new_job();
  if (over.rested && trigger_.empty()) trigger_ = "job changed";
  maybe_begin();
}

// What its object says of the scheduler itself, as its directories, does not wait for a cycle: there may be none.
void scheduler_session::all_folded() {
  if (std::exchange(settings_changed_, false)) keep_iteration();
  if (std::exchange(own_changed_, false) && peer_)
    for (const auto& m : view_.take_delta()) peer_->send(m);
  remind_of_withheld();
  maybe_begin();
}

void scheduler_session::note_new_job() {
  if (accumulation().count() > 0) job_came();
  else trigger_ = "new job";
}

// The first of them counts; the others that come meanwhile are placed with it (MS-33).
void scheduler_session::job_came() {
  if (accumulation_reminder_ != 0) return;
  accumulation_reminder_ = ++reminders_;
  out_.remind(accumulation(), accumulation_reminder_);
}

// Once until it is there again: jobs may come by the thousand (MS-67).
void scheduler_session::job_came_in_vain(schema::JobQueued::Reader job) {
  if (complained_ || !scheduling_on() || values::is_subjob(job.getNumber())) return;
  const auto its = projections::partition_of_scheduler(from_, name_);
  if (!its || its->empty() || projections::partition_of_queue(from_, schema::text(job.getQueue())) != *its) return;
  complained_ = true;
  complain_of_partition(*its);
}

void scheduler_session::complain_of_partition(std::string_view partition) {
  for (const auto& line : lines_of_unreachable(partition)) out_.complain(line);
}

void scheduler_session::reminded(std::uint64_t number) {
  if (number == accumulation_reminder_) {
    accumulation_reminder_ = 0;
    want_cycle("new job");
  } else if (number == iteration_reminder_) {
    iteration_reminder_ = 0;
    want_cycle("scheduling iteration");
    keep_iteration();
  } else if (number == withheld_reminder_) {
    look_after_withheld();
  }
}

// A scheduler_iteration that was changed counts from then on: the reminder before it does not any more.
void scheduler_session::keep_iteration() {
  const auto now = iteration();
  if (iteration_reminder_ != 0 && now == iteration_set_) return;
  iteration_set_ = now;
  iteration_reminder_ = ++reminders_;
  out_.remind(now, iteration_reminder_);
}

// Seconds between cycles when nothing happens (pbs guide: scheduler_iteration). The default scheduler's mirrors the server's.
std::chrono::seconds scheduler_session::iteration() const {
  std::optional<std::int64_t> set;
  if (name_ == model::default_scheduler) set = attributes::integer_of(from_.server().attributes, attributes::server::scheduler_iteration);
  else if (const auto at = from_.schedulers().find(name_); at != from_.schedulers().end())
    set = attributes::integer_of(at->second.attributes, attributes::scheduler::scheduler_iteration);
  return std::chrono::seconds(std::max<std::int64_t>(1, set.value_or(600)));
}

std::chrono::seconds scheduler_session::accumulation() const {
  const auto at = from_.schedulers().find(name_);
  if (at == from_.schedulers().end()) return {};
  return std::chrono::seconds(attributes::integer_of(at->second.attributes, attributes::scheduler::job_accumulation_time).value_or(0));
}

void scheduler_session::note_own(schema::SchedulerEvent::Reader event, std::uint64_t stream) {
  if (event.isDeleted() && schema::text(event.getDeleted().getName()) == name_ && peer_) {
    peer_->send(schema::make<schema::ToScheduler>([](schema::ToScheduler::Builder m) { m.setStop(); }));
    peer_->close("its scheduler object was deleted");
  }
  const auto own = from_.schedulers().find(name_);
  own_changed_ |= event.isChanged() && own != from_.schedulers().end() && own->second.serial == stream;
}

void scheduler_session::connected(wire::connection_ptr peer) {
  peer_ = std::move(peer);
  in_cycle_ = false;
  proposals_open_ = 0;
  refused_.clear();
  complained_ = false;
  for (const auto& m : view_.full_view()) peer_->send(m);
  want_cycle("scheduler started");
}

void scheduler_session::disconnected(const wire::connection_ptr& peer) {
  if (peer != peer_) return;
  peer_ = nullptr;
  view_.stop();
  const auto lost = model::refuse(values::pbs_error::internal);
  while (!asked_.empty()) answer_asked(asked_.begin()->first, &lost);
}

void scheduler_session::said(schema::FromScheduler::Reader message) {
  if (message.isRun()) ++proposals_open_;
  if (message.isCannotRun()) {
    const auto why = refusal_of(schema::text(message.getCannotRun().getReason()));
    answer_asked(message.getCannotRun().getJob(), &why);
    maybe_begin();
  }
  if (message.isFullView() && peer_)
    for (const auto& m : view_.full_view()) peer_->send(m);
  if (message.isCycleEnded()) {
    in_cycle_ = false;
    if (message.getCycleEnded().getLeftQuestions() && trigger_.empty()) trigger_ = "new reservation";
    maybe_begin();
  }
}

void scheduler_session::settled(const proposal_settled& p) {
  if (proposals_open_ > 0) --proposals_open_;
  answer_asked(p.job, p.refused ? &p.why : nullptr);
  if (p.refused && peer_)
    peer_->send(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto r = m.initRefused();
      r.setJob(values::array_of(p.job));
      r.setCycle(p.cycle);
      r.setReason(p.why.text);
    }));
  if (p.refused && p.cycle == cycle_ && !refuses_all(p.why)) refused_.insert(values::array_of(p.job));
  maybe_begin();
}

void scheduler_session::run_job(const model::job_state& job, std::optional<std::uint32_t> subjob, reply_ptr reply) {
  if (!peer_) {
    out_.complain("Unable to reach scheduler associated with job " + job.id);  // MS-68
    if (const auto its = projections::partition_of_queue(from_, job.queue()); !its.empty()) complain_of_partition(its);
    return reply->refused(from_.sequence(), model::refuse(values::pbs_error::no_scheduler));
  }
  for (const auto& m : view_.take_delta()) peer_->send(m);
  asked_.emplace(subjob ? values::subjob_number(job.serial, *subjob) : job.serial, std::move(reply));
  peer_->send(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
    auto ask = m.initRunJob();
    projections::fill_job(ask.initJob(), from_, job);
    if (subjob) ask.getJob().setIndices(std::to_string(*subjob));
    ask.setRequest(++asks_);
    ask.setViewSequence(view_.sequence());
  }));
  view_.note_given(job.serial);
}

void scheduler_session::answer_asked(std::uint64_t job, const model::rejection* why) {
  const auto [first, last] = asked_.equal_range(job);
  for (auto at = first; at != last; ++at) {
    if (why) at->second->refused(from_.sequence(), *why);
    else at->second->done(from_.sequence(), "");
  }
  asked_.erase(first, last);
}

void scheduler_session::want_cycle(const std::string& trigger) {
  if (trigger_.empty()) trigger_ = trigger;
  maybe_begin();
}

bool scheduler_session::scheduling_on() const {
  const auto at = from_.schedulers().find(name_);
  if (at == from_.schedulers().end()) return false;
  if (name_ == model::default_scheduler) return from_.server().attributes.get(attributes::server::scheduling) == "True";
  return at->second.attributes.get(attributes::scheduler::scheduling) == "True";
}

void scheduler_session::maybe_begin() {
  if ((trigger_.empty() && refused_.empty()) || !waits()) return;
  const auto without = std::exchange(refused_, {});
  const auto trigger = without.empty() ? std::exchange(trigger_, {}) : "runs refused";
  accumulation_reminder_ = 0;  // what has come by now is placed with it
  const auto now_ns = out_.clock.now_ns();
  give_what_is_due(now_ns);
  for (const auto& m : view_.take_delta()) peer_->send(m);
  ++cycle_;
  in_cycle_ = true;
  peer_->send(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
    auto c = m.initCycle();
    c.setNumber(cycle_);
    c.setTrigger(trigger);
    c.setViewSequence(view_.sequence());
    c.setWallNs(now_ns);
    auto list = c.initWithout(static_cast<unsigned>(without.size()));
    for (unsigned i = 0; const auto job : without) list.set(i++, job);
  }));
}

}  // namespace annals::actors
