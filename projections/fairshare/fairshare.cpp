#include "projections/fairshare/fairshare.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "events/attributes/ids.hpp"

namespace annals::projections {

namespace ids = attributes::job;
using job_which = schema::JobEvent::Which;
using scheduler_which = schema::SchedulerEvent::Which;

namespace {

// By squaring: the same on every machine, whatever its mathematical library, and quick after a long sleep.
double power(double factor, std::int64_t times) {
  double result = 1;
  for (; times > 0; times /= 2) {
    if (times % 2 != 0) result *= factor;
    factor *= factor;
  }
  return result;
}

double at_least_minimum(double usage) { return std::clamp(usage, model::fairshare_usage_min, model::fairshare_usage_max); }

// Whether the job's run is one whose use counts.
bool has_run(const model::job_state& job) { return job.running() || job.phase == model::job_phase::exiting; }

std::string job_entity(values::fairshare_entity form, const model::job_state& job) {
  return values::entity_of(form, {job.attribute(ids::euser), job.attribute(ids::egroup), job.attribute(ids::Account_Name), job.queue()});
}

}  // namespace

// -- decay ---------------------------------------------------------------------------------------------------------------------

std::int64_t fairshare::period_at(const table& t, std::int64_t wall_ns) {
  if (!t.policy.on || t.policy.decay_seconds == 0 || wall_ns <= t.began_ns) return 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(wall_ns - t.began_ns) / 1'000'000'000 / t.policy.decay_seconds);
}

double fairshare::decayed(const table& t, double usage, std::int64_t periods) {
  return periods > 0 ? at_least_minimum(usage * power(t.policy.decay_factor, periods)) : usage;
}

double fairshare::usage_now(const table& t, const entity& e, std::int64_t period) { return decayed(t, e.usage, period - e.period); }

void fairshare::scale(const std::string& scheduler, const table&, entity& e, double factor) const {
  e.usage = at_least_minimum(e.usage * factor);
  if (heard(scheduler, e.name)) listener_->scaled(factor);
}

void fairshare::bring_all_up(const std::string& scheduler, table& t, std::int64_t wall_ns) {
  const auto period = period_at(t, wall_ns);
  for (auto& e : t.all) bring_up(scheduler, t, e, period);
}

// One that was brought up while the clock was ahead is not decayed again before that time has come.
void fairshare::bring_up(const std::string& scheduler, const table& t, entity& e, std::int64_t period) const {
  if (period <= e.period) return;
  scale(scheduler, t, e, power(t.policy.decay_factor, period - e.period));
  e.period = period;
}

// The entity as it is now, about to change.
fairshare::entity& fairshare::touch(const std::string& scheduler, table& t, std::string_view name, std::int64_t wall_ns) {
  const auto period = period_at(t, wall_ns);
  auto known = t.by_name.find(name);
  if (known == t.by_name.end()) {
    t.all.push_back({std::string(name), model::fairshare_usage_min, period, 0});
    known = t.by_name.emplace(t.all.back().name, std::prev(t.all.end())).first;
  } else {
    t.all.splice(t.all.end(), t.all, known->second);
  }
  auto& e = *known->second;
  bring_up(scheduler, t, e, period);
  e.change = ++t.changes;
  return e;
}

// -- fold ----------------------------------------------------------------------------------------------------------------------

void fairshare::fold(const model::event_place& at, const std::string& scheduler, schema::SchedulerEvent::Reader event,
                     const each_job& jobs) {
  switch (event.which()) {
    case scheduler_which::FAIRSHARE_POLICY: return begin_policy(at, scheduler, table_of(at, scheduler), event.getFairsharePolicy(), jobs);
    case scheduler_which::FAIRSHARE_SET: {
      const auto set = event.getFairshareSet();
      auto& e = touch(scheduler, table_of(at, scheduler), schema::text(set.getEntity()), at.wall_ns);
      e.usage = at_least_minimum(set.getUsage());
      if (heard(scheduler, e.name)) listener_->set(e.usage, at.by.at_host(), at.wall_ns);
      return;
    }
    case scheduler_which::FAIRSHARE_DECAYED: {
      auto& t = table_of(at, scheduler);
      bring_all_up(scheduler, t, at.wall_ns);
      for (auto& e : t.all) scale(scheduler, t, e, t.policy.decay_factor);
      t.by_hand_ns = at.wall_ns;
      ++t.upheavals;
      return;
    }
    case scheduler_which::FAIRSHARE_TRIMMED: {
      auto& t = table_of(at, scheduler);
      for (auto name : event.getFairshareTrimmed()) {
        const auto known = t.by_name.find(schema::text(name));
        if (known == t.by_name.end()) continue;
        if (heard(scheduler, schema::text(name))) listener_->forgotten();
        const auto row = known->second;
        t.by_name.erase(known);
        t.all.erase(row);
      }
      ++t.upheavals;
      return;
    }
    case scheduler_which::DELETED:
      if (const auto t = tables_.find(scheduler); t != tables_.end()) {
        turn(t->second, false);
        tables_.erase(t);
      }
      if (scheduler == heard_scheduler_ && listener_) listener_->forgotten();
      return;
    default: return;
  }
}

fairshare::table& fairshare::table_of(const model::event_place& at, const std::string& scheduler) {
  auto& t = tables_[scheduler];
  t.scheduler = at.stream;
  return t;
}

void fairshare::begin_policy(const model::event_place& at, const std::string& scheduler, table& t, schema::FairsharePolicy::Reader said,
                             const each_job& jobs) {
  bring_all_up(scheduler, t, at.wall_ns);  // by what held until now
  auto policy = model::read_fairshare_policy(said);
  turn(t, policy.on);
  t.policy = std::move(policy);
  t.form = values::parse_fairshare_entity(t.policy.entity).value_or(values::fairshare_entity::euser);
  t.formula = values::usage_formula::parse(t.policy.usage).value_or(values::usage_formula());
  t.began_ns = at.wall_ns;
  for (auto& e : t.all) e.period = 0;
  ++t.upheavals;
  // What was used before this moment was counted by the policy that held then, or was not to be counted.
  jobs([&](const model::job_state& job) {
    if (!has_run(job)) return;
    if (t.policy.on) counted_[job.serial] = {job.run, worth(t, job), t.scheduler};
    else counted_.erase(job.serial);
  });
}

void fairshare::turn(table& t, bool on) {
  if (t.policy.on != on) tables_on_ += on ? std::size_t{1} : std::size_t(-1);
  t.policy.on = on;
  if (tables_on_ == 0) counted_.clear();  // the ends of their runs are not looked at any more
}

bool fairshare::wants(schema::JobEvent::Reader event) const {
  if (tables_on_ == 0) return false;
  switch (event.which()) {
    case job_which::USAGE_REPORTED:
    case job_which::EXITED:
    case job_which::REQUEUED:
    case job_which::ENDED: return true;
    default: return false;
  }
}

void fairshare::fold(const model::event_place& at, const model::job_state& job, std::string_view scheduler,
                     schema::JobEvent::Reader event) {
  if (!wants(event)) return;
  if (event.isEnded() || event.isRequeued()) {
    counted_.erase(at.stream);
    return;
  }
  const auto known = tables_.find(scheduler);
  if (known == tables_.end() || !known->second.policy.on) return;
  auto& t = known->second;
  auto& before = counted_[at.stream];
  const double now = worth(t, job);
  if (before.run != job.run) before = {job.run, 0, t.scheduler};
  else if (before.scheduler != t.scheduler)
    before = {job.run, now, t.scheduler};  // its queue went to another scheduler meanwhile, which counts from here
  // A host that is silent, or a hook, may tell less than before: what was counted stays, and counting goes on above it.
  if (now <= before.amount) return;
  auto& e = touch(known->first, t, job_entity(t.form, job), at.wall_ns);
  const double amount = now - before.amount;
  before.amount = now;
  e.usage = at_least_minimum(e.usage + amount);
  if (heard(known->first, e.name)) listener_->used(job, amount, at.wall_ns);
}

// A resource counts with what was used of it, or else with what the job asked for (pbs guide: fairshare_usage_res).
double fairshare::worth(const table& t, const model::job_state& job) const {
  return t.formula.value_with([&](std::string_view name) {
    const auto used = job.attribute(ids::resources_used, name);
    return values::number_of(used.empty() ? job.attribute(ids::Resource_List, name) : used);
  });
}

// -- store ---------------------------------------------------------------------------------------------------------------------

void fairshare::table::store(stored::writer& to) const {
  to(scheduler, policy, form, formula, began_ns, by_hand_ns, changes, upheavals);
  to.number(all.size());
  for (const auto& e : all) to(e);
}

void fairshare::table::restore(stored::reader& from) {
  from(scheduler, policy, form, formula, began_ns, by_hand_ns, changes, upheavals);
  for (auto left = from.count(); left > 0; --left) {
    from(all.emplace_back());
    if (!by_name.emplace(all.back().name, std::prev(all.end())).second) from.refuse("a fairshare entity comes twice");
  }
}

// -- read ----------------------------------------------------------------------------------------------------------------------

const fairshare::table* fairshare::find(std::string_view scheduler) const {
  const auto at = tables_.find(scheduler);
  return at == tables_.end() ? nullptr : &at->second;
}

model::fairshare_policy fairshare::policy(std::string_view scheduler) const {
  const auto* t = find(scheduler);
  return t ? t->policy : model::fairshare_policy{};
}

double fairshare::usage(std::string_view scheduler, std::string_view entity, std::int64_t wall_ns) const {
  const auto* t = find(scheduler);
  if (!t) return model::fairshare_usage_min;
  const auto known = t->by_name.find(entity);
  return known == t->by_name.end() ? model::fairshare_usage_min : usage_now(*t, *known->second, period_at(*t, wall_ns));
}

std::vector<entity_usage> fairshare::usages(std::string_view scheduler, std::int64_t wall_ns) const {
  std::vector<entity_usage> all;
  const auto* t = find(scheduler);
  if (!t) return all;
  const auto period = period_at(*t, wall_ns);
  all.reserve(t->all.size());
  for (const auto& e : t->all) all.push_back({e.name, usage_now(*t, e, period)});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.entity < b.entity; });
  return all;
}

std::int64_t fairshare::last_decay_ns(std::string_view scheduler, std::int64_t wall_ns) const {
  const auto* t = find(scheduler);
  if (!t) return 0;
  const auto period = period_at(*t, wall_ns);
  const auto by_itself = period == 0 ? 0 : t->began_ns + period * static_cast<std::int64_t>(t->policy.decay_seconds) * 1'000'000'000;
  return std::max(by_itself, t->by_hand_ns);
}

fairshare::news fairshare::news_for(std::string_view scheduler, std::int64_t wall_ns, told& told) const {
  news out;
  const auto* t = find(scheduler);
  if (!t || !t->policy.on) return out;
  const auto period = period_at(*t, wall_ns);
  out.all = told.upheaval != t->upheavals || told.period != period;
  for (auto e = t->all.rbegin(); e != t->all.rend() && (out.all || e->change > told.change); ++e)
    out.usages.push_back({e->name, usage_now(*t, *e, period)});
  told = {t->changes, t->upheavals, period};
  return out;
}

// -- listen --------------------------------------------------------------------------------------------------------------------

void fairshare::listen(std::string scheduler, std::string entity, fairshare_listener* listener) {
  heard_scheduler_ = std::move(scheduler);
  heard_entity_ = std::move(entity);
  listener_ = listener;
}

bool fairshare::heard(std::string_view scheduler, std::string_view entity) const {
  return listener_ && scheduler == heard_scheduler_ && entity == heard_entity_;
}

void fairshare::tell_decay_until(std::int64_t wall_ns) {
  const auto at = tables_.find(heard_scheduler_);
  if (at != tables_.end()) bring_all_up(at->first, at->second, wall_ns);
}

}  // namespace annals::projections
