#include "projections/status/status.hpp"

#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/job_id.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/partition_rows.hpp"

namespace annals::projections {

bool fits_history(const model::job_state& job, schema::History history) {
  return history == schema::History::ALSO || job.ended() == (history == schema::History::ONLY);
}

// -- fold ----------------------------------------------------------------------------------------------------------------

void status::fold(const log::record& record) {
  const auto r = record.get();
  const auto at = place_of(record);
  const auto event = r.getEvent();
  pass(record);
  switch (event.which()) {
    case schema::StreamKind::JOB: fold_job(at, event.getJob()); break;
    case schema::StreamKind::SERVER: fold_server(at, event.getServer()); break;
    case schema::StreamKind::QUEUE: {
      auto& name = queue_names_[at.stream];
      if (event.getQueue().isCreated()) name = schema::str(event.getQueue().getCreated().getName());
      auto& queue = queues_[name];
      model::apply(queue, at, event.getQueue());
      if (!queue.exists) queues_.erase(name);
      break;
    }
    case schema::StreamKind::SCHEDULER: fold_scheduler(at, event.getScheduler()); break;
    case schema::StreamKind::HOST: fold_host(at, event.getHost()); break;
    case schema::StreamKind::HOOK: {
      auto& hook = hooks_[at.stream];
      model::apply(hook, at, event.getHook());
      if (!hook.exists) hooks_.erase(at.stream);
      break;
    }
    case schema::StreamKind::RESERVATION: fold_reservation(at, event.getReservation()); break;
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART: break;
    case schema::StreamKind::LOG:
      if (event.getLog().isClockSteppedBack())
        for (auto& [serial, told] : told_) clock_went_back(told.eligible, at.seconds());
      break;
  }
}

void status::fold_server(const model::event_place& at, schema::ServerEvent::Reader event) {
  const bool counted = counts_eligible_time(server_);
  model::apply(server_, at, event);
  holdings_.apply(event);
  if (counts_eligible_time(server_) != counted) switch_eligible_time(at.seconds());
  // The flags of a resource say whether it is summed up.
  if (event.isResourceCreated() || event.isResourceChanged() || event.isResourceDeleted()) sum_up_anew();
}

void status::fold_host(const model::event_place& at, schema::HostEvent::Reader event) {
  with_vnodes_.before(at.stream, event, hosts());
  holdings_.apply(at, event);
  with_vnodes_.after(at.stream, event, hosts());
}

void status::fold_scheduler(const model::event_place& at, schema::SchedulerEvent::Reader event) {
  auto& name = scheduler_names_[at.stream];
  if (event.isCreated()) name = schema::str(event.getCreated().getName());
  auto& scheduler = schedulers_[name];
  model::apply(scheduler, at, event);
  if (!scheduler.exists) schedulers_.erase(name);
  if (event.isCycleReasons()) fold_reasons(at, event.getCycleReasons());
  fairshare_.fold(at, name, event, [&](const fairshare::visit_job& visit) {
    for (const auto& [serial, job] : jobs_)
      if (scheduler_of(job) == name) visit(job);
  });
}

// For whose fairshare usage a job counts.
std::string_view status::scheduler_of(const model::job_state& job) const {
  return scheduler_of_partition(schedulers_, partition_of_job(queues_, holdings_, job));
}

void status::pass(const log::record& record) {
  sequence_ = record.sequence();
  wall_ns_ = record.get().getWallNs();
}

void status::fold_reasons_only(const log::record& record) {
  pass(record);
  fold_reasons(place_of(record), record.event().getScheduler().getCycleReasons());
}

namespace {

// As PBS counts: in the server until it is forgotten, in its queue until it has ended.
bool has_left_queue(const model::job_state& job) { return job.ended() && (job.array || job.is_subjob()); }

}  // namespace

void status::count(const model::job_state& job, int by) {
  for (const std::string_view queue : {std::string_view(), job.queue()}) {
    if (!queue.empty() && has_left_queue(job)) continue;
    const auto known = counts_.find(queue);
    auto& c = known == counts_.end() ? counts_[std::string(queue)] : known->second;
    c.total += static_cast<std::uint64_t>(by);
    c.by_state[model::state_letter(job)] += static_cast<std::uint64_t>(by);
  }
}

// As the server says now.
void status::switch_eligible_time(std::int64_t at_s) {
  if (counts_eligible_time(server_)) {
    for (const auto& [serial, job] : jobs_) accrue(told_[serial].eligible, job, accrual_by_state(job), at_s);
  } else {
    for (auto& [serial, told] : told_) stop_accrual(told.eligible, jobs_.at(serial), at_s);
  }
}

// An entry without anything told is not kept: most jobs that run have none.
template <class Change>
void status::tell(std::uint64_t job, Change&& change) {
  const auto known = told_.find(job);
  auto told = known == told_.end() ? told_of_job() : std::move(known->second);
  change(told);
  if (told.empty() && known != told_.end()) told_.erase(known);
  else if (known != told_.end()) known->second = std::move(told);
  else if (!told.empty()) told_.emplace(job, std::move(told));
}

namespace {

// As model::pending_effects says of a job that has ended.
bool owes_nothing(const model::job_state& job) { return job.ended() && job.unheard.empty(); }

}  // namespace

// One of the history comes back, for most of what happens to it makes it leave.
model::job_state& status::job_to_change(std::uint64_t serial) {
  const auto [at, fresh] = jobs_.try_emplace(serial);
  if (!fresh) return at->second;
  if (auto ended = history_.take(serial)) {
    at->second = std::move(*ended);
    const auto number = at->second.number;
    // A subjob may have begun again, on another stream.
    if (values::is_subjob(number)) serial_of_subjob_.try_emplace({values::array_of(number), values::index_of(number)}, serial);
    else serial_of_number_.try_emplace(number, serial);
  }
  return at->second;
}

// The row has what was told of it, too.
void status::put_into_history(std::uint64_t serial) {
  auto& job = jobs_.at(serial);
  job.attributes = shown(job);
  history_.add(job);
  let_go(serial);
}

void status::let_go(std::uint64_t serial) {
  leave(jobs_.at(serial));
  assigned_.gone(serial);
  told_.erase(serial);
  jobs_.erase(serial);
}

namespace {

bool all_have_begun(const model::job_state& job) { return job.array && job.array->remaining.empty(); }

}  // namespace

void status::fold_job(const model::event_place& at, schema::JobEvent::Reader event) {
  if (!keeps_history_ && !event.isQueued() && !jobs_.contains(at.stream)) return holdings_.apply(at, {}, event);
  auto& job = job_to_change(at.stream);
  if (job.phase != model::job_phase::none) count(job, -1);
  const char before = model::state_letter(job);
  holdings_.apply(at, job.id, event);
  const bool was_routed = model::in_routing_queue(job);
  const bool had_all_begun = all_have_begun(job);
  tell(at.stream, [&](told_of_job& told) { told.apply(job, at, event); });
  sum_up_assigned(job, event);
  const bool waits_otherwise = model::state_letter(job) != before || model::in_routing_queue(job) != was_routed;
  // For the other subjobs nothing changes when one begins: what a cycle has said of them, perhaps before this was written, holds on.
  const bool goes_on = event.isSubjobBegan() && !all_have_begun(job);
  const bool counts_anew = event.isQueued() || all_have_begun(job) != had_all_begun || (waits_otherwise && !goes_on);
  const bool is_given = gives_eligible_time(event);
  if ((counts_anew || is_given) && counts_eligible_time(server_))
    tell(at.stream, [&](told_of_job& told) {
      if (is_given) restart_accrual(told.eligible, at.seconds());
      if (counts_anew) accrue(told.eligible, job, accrual_by_state(job), at.seconds());
    });
  if (event.isQueued()) enter(job);
  if (event.isMoved() || event.isReordered()) displace(job);
  if (!may_be_told(job)) waiting_.forget(at.stream);
  if (fairshare_.wants(event)) fairshare_.fold(at, job, scheduler_of(job), event);
  if (job.phase == model::job_phase::forgotten || (job.ended() && !keeps_history_)) return let_go(at.stream);
  count(job, +1);
  // Without a history it is forgotten at once.
  if (owes_nothing(job) && server_.attributes.get(attributes::server::job_history_enable) == "True") put_into_history(at.stream);
}

// A report of usage changes no amount that the job asked for, and comes often.
void status::sum_up_assigned(const model::job_state& job, schema::JobEvent::Reader event) {
  if (event.isUsageReported()) return;
  assigned_.changed(job, holdings_.has_something(job.serial), server_.resources);
  if (event.isAssigned()) assigned_.taken(schema::text(event.getAssigned().getExecVnode()), holdings_);
  if (event.isVnodesTaken()) assigned_.taken(schema::text(event.getVnodesTaken().getExecVnode()), holdings_);
}

void status::sum_up_anew() {
  assigned_.make_anew(holdings_, server_.resources, [&](std::uint64_t serial) {
    const auto at = jobs_.find(serial);
    return at == jobs_.end() ? nullptr : &at->second;
  });
}

void status::put_uses(std::vector<std::pair<std::string, model::vnode_use>> uses) {
  holdings_.restore(std::move(uses));
  sum_up_anew();
}

void status::enter(const model::job_state& job) {
  if (job.is_subjob()) serial_of_subjob_[{values::array_of(job.number), values::index_of(job.number)}] = job.serial;
  else serial_of_number_.insert_or_assign(serial_of_number_.end(), job.number, job.serial);  // numbers rise
}

void status::displace(const model::job_state& job) {
  if (const auto before = displaced_rank_.find(job.number); before != displaced_rank_.end())
    displaced_.erase({before->second, job.number});
  displaced_rank_[job.number] = job.queue_rank;
  displaced_[{job.queue_rank, job.number}] = job.serial;
}

void status::leave(const model::job_state& job) {
  if (job.is_subjob()) {
    // It may have begun again, on another stream.
    const auto at = serial_of_subjob_.find({values::array_of(job.number), values::index_of(job.number)});
    if (at != serial_of_subjob_.end() && at->second == job.serial) serial_of_subjob_.erase(at);
    return;
  }
  serial_of_number_.erase(job.number);
  displaced_.erase({job.queue_rank, job.number});
  displaced_rank_.erase(job.number);
}

bool status::may_be_told(const model::job_state& job) {
  const bool waits = job.phase == model::job_phase::queued && (!job.array || !job.array->remaining.empty());
  return waits || (job.phase == model::job_phase::suspended && job.resume_wanted);
}

namespace {

// An array's comment says so then, whatever the others of it wait for.
bool has_begun(const model::job_state& job) { return job.array && !job.array->began.empty(); }

}  // namespace

void status::fold_reasons(const model::event_place& at, schema::CycleReasons::Reader reasons) {
  const auto texts = reasons.getTexts();
  const auto whys = reasons.getWhys();
  const bool counted = counts_eligible_time(server_);
  const auto waits = [&](std::uint64_t job) {
    const auto known = jobs_.find(job);
    return known != jobs_.end() && may_be_told(known->second);
  };
  waiting_.fold(at.stream, at.wall_ns, reasons, waits);
  for (auto entry : reasons.getJobs()) {
    if (entry.getText() >= texts.size() || !waits(entry.getJob())) continue;
    const auto& job = jobs_.at(entry.getJob());
    const bool limited = entry.getText() < whys.size() && whys[entry.getText()].getKind() == schema::Why::Kind::LIMIT;
    tell(entry.getJob(), [&](told_of_job& told) {
      if (!has_begun(job)) told.comment = waiting_.find(job.serial)->comment();
      if (counted) accrue(told.eligible, job, limited ? accrual::ineligible : accrual::eligible, at.seconds());
    });
  }
  for (auto e : reasons.getEstimates())
    if (waits(e.getJob()))
      tell(e.getJob(), [&](told_of_job& told) { told.set_estimate(jobs_.at(e.getJob()), e); });
}

void status::restored() {
  std::unordered_map<std::string_view, std::shared_ptr<const std::string>> comments;
  for (auto& [serial, told] : told_)
    if (told.comment) told.comment = comments.try_emplace(*told.comment, told.comment).first->second;
  sum_up_anew();
  with_vnodes_.make_anew(hosts());
}

// -- read ----------------------------------------------------------------------------------------------------------------

const told_of_job& status::told_of(const model::job_state& job) const {
  static const told_of_job nothing;
  const auto known = told_.find(job.serial);
  return known == told_.end() ? nothing : known->second;
}

job_ptr status::job(std::uint64_t serial) const {
  const auto at = jobs_.find(serial);
  return at == jobs_.end() ? history_.find(serial) : job_ptr(job_ptr(), &at->second);  // owned by jobs_
}

job_ptr status::job_by_id(std::string_view id) const {
  const auto parsed = values::parse_job_id(id);
  const auto number = parsed ? values::number_of(*parsed) : std::nullopt;
  if (!number) return nullptr;
  if (parsed->form == values::id_form::subjob) return subjob(parsed->number, values::index_of(*number));
  auto found = job_by_number(*number);
  return found && found->array.has_value() == (parsed->form == values::id_form::array) ? found : nullptr;
}

job_ptr status::job_by_number(std::uint64_t number) const {
  const auto at = serial_of_number_.find(number);
  return at == serial_of_number_.end() ? history_.find_number(number) : job(at->second);
}

job_ptr status::array_by_number(std::uint64_t number) const {
  auto found = job_by_number(number);
  return found && found->array ? found : nullptr;
}

job_ptr status::subjob(std::uint64_t array, std::uint32_t index) const {
  const auto at = serial_of_subjob_.find({array, index});
  return at == serial_of_subjob_.end() ? history_.find_number(values::subjob_number(array, index)) : job(at->second);
}

// False: no more.
bool status::visit_ended(const job_history::place& at, const visit_job& visit, const jobs_wanted& wanted) const {
  if (at.whose && wanted.may_be && !wanted.may_be(at.whose->first, at.whose->second)) return true;
  return visit(*history_.find(at.serial));
}

void status::each_begun_subjob(const visit_job& visit, const jobs_wanted& wanted) const {
  auto ended = history_.subjobs();
  const auto place_of = [](std::uint64_t number) { return subjob_place(values::array_of(number), values::index_of(number)); };
  const auto history_before = [&](const subjob_place* end) {
    for (; ended && (!end || place_of((*ended).number) < *end); ended.next())
      if (!visit_ended(*ended, visit, wanted)) return false;
    return true;
  };
  const bool with_history = wanted.history != schema::History::LIVE;
  for (const auto& [place, serial] : serial_of_subjob_) {
    if (with_history && !history_before(&place)) return;
    const auto& job = jobs_.at(serial);
    if (fits_history(job, wanted.history) && !visit(job)) return;
  }
  if (with_history) history_before(nullptr);
}

void status::each_stream(const visit_job& visit, const jobs_wanted& wanted) const {
  each_job(visit, wanted);
  each_begun_subjob(visit, wanted);
}

void status::each_in_memory(const visit_job& visit) const {
  for (const auto& [number, serial] : serial_of_number_)
    if (!visit(jobs_.at(serial))) break;
  for (const auto& [place, serial] : serial_of_subjob_)
    if (!visit(jobs_.at(serial))) break;
}

std::string status::scheduler_name(std::uint64_t stream) const {
  const auto at = scheduler_names_.find(stream);
  return at == scheduler_names_.end() ? std::string() : at->second;
}

bool status::holds(schema::StreamKind kind, std::uint64_t stream) const {
  const auto named = [&](const auto& names, const auto& objects) {
    const auto name = names.find(stream);
    if (name == names.end()) return false;
    const auto object = objects.find(name->second);
    return object != objects.end() && object->second.serial == stream;
  };
  switch (kind) {
    case schema::StreamKind::SERVER: return true;
    case schema::StreamKind::JOB: return jobs_.contains(stream) || history_.contains(stream);
    case schema::StreamKind::HOST: return hosts().contains(stream);
    case schema::StreamKind::QUEUE: return named(queue_names_, queues_);
    case schema::StreamKind::SCHEDULER: return named(scheduler_names_, schedulers_);
    case schema::StreamKind::HOOK: return hooks_.contains(stream);
    case schema::StreamKind::RESERVATION: return reservations_.contains(stream);
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART: return false;
    case schema::StreamKind::LOG: return true;  // that the clock went back counts for all jobs
  }
  return false;
}

std::string status::counts::text() const {
  static constexpr std::pair<char, const char*> order[] = {
      {'T', "Transit"},
      {'Q', "Queued"},
      {'H', "Held"},
      {'W', "Waiting"},
      {'R', "Running"},
      {'E', "Exiting"},
      {'B', "Begun"},
  };
  std::string text;
  for (const auto& [letter, name] : order) {
    const auto of = [&](char state) {
      const auto at = by_state.find(state);
      return at == by_state.end() ? 0 : at->second;
    };
    const auto suspended = letter == 'R' ? of('S') + of('U') : 0;  // they count as running
    text += std::string(name) + ":" + std::to_string(of(letter) + suspended) + " ";
  }
  return text;
}

const status::counts& status::jobs_of(std::string_view queue) const {
  static const counts none;
  const auto at = counts_.find(queue);
  return at == counts_.end() ? none : at->second;
}

}  // namespace annals::projections
