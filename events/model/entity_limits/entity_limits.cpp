#include "events/model/entity_limits/entity_limits.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "events/model/refuse.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;
using values::limit_kind;
using values::limit_kinds;
using values::limit_table;
using which = schema::JobEvent::Which;
using attribute_list = capnp::List<schema::Attribute>::Reader;

// What a job would add to a place. An amount that it has there already counts as taken back.
struct entity_limits::newcomer {
  struct amount {
    std::string_view resource;
    std::int64_t asked = 0, had = 0;
  };
  job_owner owner;
  std::vector<amount> asked;  // of one job
  std::uint64_t jobs = 1;     // of an array: its subjobs
  bool in_q = false;
  std::array<bool, limit_kinds.size()> counts_for = {true, true, true, true};  // kinds of limits to ask
  bool& counts(limit_kind kind) { return counts_for[static_cast<std::size_t>(kind)]; }
  bool counts(limit_kind kind) const { return counts_for[static_cast<std::size_t>(kind)]; }
};

// -- texts ---------------------------------------------------------------------------------------------------------------

namespace {

std::string in_place(std::string_view place) { return place.empty() ? "complex" : "queue " + std::string(place); }

// The word "generic" stands where the queue's name should: what PBS says.
std::string whose_limit(limit_kind kind, std::string_view place) {
  if (place.empty()) return "complex's";
  return kind == limit_kind::user ? "queue generic's" : "queue " + std::string(place) + "'s";
}

std::string count_text(limit_kind kind, const limit_table::bound& bound, std::string_view name, std::string_view place, bool in_q) {
  if (kind != limit_kind::all && !bound.named)
    return "would exceed " + whose_limit(kind, place) + " per-" + values::limit_word(kind) + " limit" +
           (in_q ? " of jobs in 'Q' state" : "");
  std::string text = in_q ? "Maximum number of jobs in 'Q' state" : "Maximum number of jobs";
  if (kind != limit_kind::all) text += " for " + std::string(values::limit_word(kind)) + " " + std::string(name);
  return text + " already in " + in_place(place);
}

std::string amount_text(limit_kind kind, const limit_table::bound& bound, std::string_view name, std::string_view resource,
                        std::string_view place, bool in_q) {
  const std::string word = values::limit_word(kind);
  std::string text = "would exceed ";
  if (kind == limit_kind::all) text += "limit";
  else if (bound.named) text += word + " " + std::string(name) + "'s limit";
  else text += "per-" + word + " limit";
  return text + " on resource " + std::string(resource) + " in " + in_place(place) + (in_q ? " for jobs in 'Q' state" : "");
}

// A job whose project stands nowhere has this one.
constexpr std::string_view default_project = "_pbs_project_default";

std::string_view project_of(attribute_list attributes) {
  for (auto a : attributes)
    if (schema::text(a.getName()) == "project") return schema::text(a.getValue());
  return default_project;
}

std::uint8_t bits_of(capnp::List<schema::HoldType>::Reader holds) {
  std::uint8_t bits = 0;
  for (auto h : holds) bits |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(h));
  return bits;
}

}  // namespace

// -- check ---------------------------------------------------------------------------------------------------------------

std::optional<rejection> entity_limits::over_count(const submission_limits& limits, std::string_view place, const newcomer& n) const {
  if (limits.max_queuable && n.counts(limit_kind::all)) {
    const auto* all = counts_.find(place, limit_kind::all, "");
    if ((all ? all->jobs : 0) + n.jobs > static_cast<std::uint64_t>(std::max<std::int64_t>(*limits.max_queuable, 0)))
      return refuse(pbs_error::too_many_queued);
  }
  for (const bool in_q : {false, true}) {
    const auto& table = in_q ? limits.queued_jobs_threshold : limits.max_queued;
    if (table.empty() || (in_q && !n.in_q)) continue;
    for (const auto kind : limit_kinds) {
      const auto name = n.owner.name(kind);
      const auto bound = n.counts(kind) ? table.of(kind, name) : std::nullopt;
      if (!bound) continue;
      const auto* t = counts_.find(place, kind, name);
      const auto there = !t ? 0 : in_q ? t->in_q
                                       : t->jobs;
      if (there + n.jobs > static_cast<std::uint64_t>(bound->value))
        return refuse(pbs_error::count_limit, count_text(kind, *bound, name, place, in_q));
    }
  }
  return std::nullopt;
}

std::optional<rejection> entity_limits::over_amounts(const submission_limits& limits, std::string_view place, const newcomer& n) const {
  for (const bool in_q : {false, true}) {
    const auto& tables = in_q ? limits.queued_jobs_threshold_res : limits.max_queued_res;
    if (tables.empty() || (in_q && !n.in_q)) continue;
    for (const auto& a : n.asked) {
      const auto table = tables.find(a.resource);
      if (table == tables.end()) continue;
      for (const auto kind : limit_kinds) {
        const auto name = n.owner.name(kind);
        const auto bound = n.counts(kind) ? table->second.of(kind, name) : std::nullopt;
        if (!bound) continue;
        const auto* t = counts_.find(place, kind, name);
        const auto there = t ? counts_.asked_of(*t, a.resource, in_q) : 0;
        if (there + (job_counts::sum(a.asked) - a.had) * n.jobs > bound->value)
          return refuse(pbs_error::resource_limit, amount_text(kind, *bound, name, a.resource, place, in_q));
      }
    }
  }
  return std::nullopt;
}

std::optional<rejection> entity_limits::over(const submission_limits& limits, std::string_view place, const newcomer& n) const {
  if (auto why = over_count(limits, place, n)) return why;
  return over_amounts(limits, place, n);
}

std::optional<rejection> entity_limits::check(const counted_job& job, std::string_view queue, schema::JobEvent::Reader event) const {
  if (!set_.any_of_submissions()) return std::nullopt;
  if (event.isQueued()) return check_queued(event.getQueued());
  if (event.isMoved()) return check_moved(job, queue, event.getMoved());
  if (event.isAltered()) return check_altered(job, queue, event.getAltered());
  return std::nullopt;
}

namespace {

// What of the changes are amounts asked for.
template <class Newcomer>
void take_amounts(Newcomer& n, attribute_list changes) {
  for (auto a : changes) {
    if (schema::text(a.getName()) != "Resource_List") continue;
    if (a.getOp() == schema::AttributeOp::UNSET) continue;
    if (const auto amount = limit_amount(schema::text(a.getValue()), true)) n.asked.push_back({schema::text(a.getResource()), *amount, 0});
  }
}

}  // namespace

std::optional<rejection> entity_limits::check_queued(schema::JobQueued::Reader e) const {
  newcomer n;
  n.owner = {schema::text(e.getEuser()), schema::text(e.getEgroup()), project_of(e.getAttributes())};
  n.in_q = e.getHolds().size() == 0 && e.getExecutionTime() == 0;
  if (const auto indices = values::parse_index_range(schema::text(e.getIndices()))) n.jobs = indices->count();
  take_amounts(n, e.getAttributes());
  if (auto why = over(set_.of_server(), "", n)) return why;
  const auto queue = schema::text(e.getQueue());
  const auto* limits = set_.of_queue(queue);
  return limits ? over(*limits, queue, n) : std::nullopt;
}

// To the new queue it is new; at the server only what its defaults change counts.
std::optional<rejection> entity_limits::check_moved(const counted_job& job, std::string_view from, schema::JobMoved::Reader e) const {
  const auto to = schema::text(e.getQueue());
  newcomer n;
  n.owner = counts_.owner_of(job);
  n.jobs = job.weight;
  n.in_q = job.in_q();
  take_amounts(n, e.getChanges());
  auto at_server = n;
  for (auto& a : at_server.asked) a.had = counts_.asked_by(job, a.resource);
  if (auto why = over_amounts(set_.of_server(), "", at_server)) return why;
  const auto* limits = set_.of_queue(to);
  if (!limits || to == from) return std::nullopt;
  take_the_rest(n, *limits, job, e.getChanges());
  return over(*limits, to, n);
}

// Of what is limited, what the job asks for and goes on to ask for.
void entity_limits::take_the_rest(newcomer& n, const submission_limits& limits, const counted_job& job, attribute_list changes) const {
  const auto changed = [&](std::string_view resource) {
    for (auto c : changes)
      if (schema::text(c.getName()) == "Resource_List" && schema::text(c.getResource()) == resource) return true;
    return false;
  };
  for (const auto* tables : {&limits.max_queued_res, &limits.queued_jobs_threshold_res})
    for (const auto& [resource, table] : *tables)
      if (const auto asks = counts_.asked_by(job, resource); asks > 0 && !changed(resource)) n.asked.push_back({resource, asks, 0});
}

// Only what was asked for counts, and only somebody for whom the job did not count before is asked for his number of jobs.
std::optional<rejection> entity_limits::check_altered(const counted_job& job, std::string_view queue,
                                                      schema::AttributesChanged::Reader e) const {
  const auto before = counts_.owner_of(job);
  newcomer same;
  same.owner = before;
  same.jobs = job.weight;
  same.in_q = job.in_q();
  auto other = same;
  other.counts_for = {};
  for (auto c : e.getChanges()) {
    const auto name = schema::text(c.getName());
    if (name == "egroup") other.owner.group = schema::text(c.getValue());
    if (name == "project") other.owner.project = c.getValue().size() > 0 ? schema::text(c.getValue()) : default_project;
  }
  for (const auto kind : {limit_kind::group, limit_kind::project}) {
    other.counts(kind) = other.owner.name(kind) != before.name(kind);
    same.counts(kind) = !other.counts(kind);
  }
  take_amounts(same, e.getChanges());
  other.asked = same.asked;
  for (auto& a : same.asked) a.had = counts_.asked_by(job, a.resource);
  const auto check_at = [&](const submission_limits& limits, std::string_view place) {
    auto why = over_amounts(limits, place, same);
    if (why || (!other.counts(limit_kind::group) && !other.counts(limit_kind::project))) return why;
    auto there = other;
    take_the_rest(there, limits, job, e.getChanges());
    return over(limits, place, there);
  };
  if (auto why = check_at(set_.of_server(), "")) return why;
  const auto* limits = set_.of_queue(queue);
  return limits ? check_at(*limits, queue) : std::nullopt;
}

// -- apply ---------------------------------------------------------------------------------------------------------------

void entity_limits::take_changes(counted_job& job, const event_place& at, attribute_list changes) {
  auto owner = counts_.owner_of(job);
  const auto before = owner;
  for (auto c : changes) {
    const auto name = schema::text(c.getName());
    const bool unset = c.getOp() == schema::AttributeOp::UNSET;
    const std::string_view value = unset ? std::string_view() : std::string_view(schema::text(c.getValue()));
    if (name == "Resource_List") counts_.ask(job, schema::text(c.getResource()), value);
    if (name == "egroup") owner.group = value;
    if (name == "project") owner.project = value.empty() ? default_project : value;
    if (name == "Hold_Types")
      counts_.update(job, [&](auto& j) { j.holds = values::parse_hold_set(value).value_or(values::hold_set{}).bits; });
    if (name == "Execution_Time")
      counts_.update(job, [&](auto& j) { j.waits = values::parse_integer(value).value_or(0) > at.seconds(); });
  }
  if (owner.group != before.group || owner.project != before.project) counts_.change_owner(job, owner);
}

void entity_limits::apply(counted_job& job, const event_place& at, schema::JobEvent::Reader event) {
  switch (event.which()) {
    case which::QUEUED: {
      const auto e = event.getQueued();
      for (auto a : e.getAttributes())
        if (schema::text(a.getName()) == "Resource_List") counts_.ask(job, schema::text(a.getResource()), schema::text(a.getValue()));
      job.holds = bits_of(e.getHolds());
      job.waits = e.getExecutionTime() != 0;
      if (const auto indices = values::parse_index_range(schema::text(e.getIndices()))) {
        job.is_array = true;
        job.weight = indices->count();
      }
      return counts_.add(job, schema::text(e.getQueue()),
                         {schema::text(e.getEuser()), schema::text(e.getEgroup()), project_of(e.getAttributes())});
    }
    case which::MOVED:
      take_changes(job, at, event.getMoved().getChanges());
      return counts_.move(job, schema::text(event.getMoved().getQueue()));
    case which::ALTERED: return take_changes(job, at, event.getAltered().getChanges());
    case which::HELD: return counts_.update(job, [&](auto& j) { j.holds |= bits_of(event.getHeld().getHolds()); });
    case which::RELEASED:
      return counts_.update(job, [&](auto& j) { j.holds &= static_cast<std::uint8_t>(~bits_of(event.getReleased().getHolds())); });
    case which::WAIT_ENDED: return counts_.update(job, [](auto& j) { j.waits = false; });
    case which::ASSIGNED: return counts_.update(job, [](auto& j) { j.runs = true; });
    case which::REQUEUED:
      return counts_.update(job, [&](auto& j) {
        j.runs = false;
        j.holds |= bits_of(event.getRequeued().getHolds());
        j.waits |= event.getRequeued().getWaitUntil() > 0;
      });
    case which::ENDED:
    case which::FORGOTTEN: return counts_.remove(job);  // without an end: a subjob that is its array's again
    case which::SUBJOB_BEGAN: return counts_.weigh(job, job.weight - 1);
    case which::SUBJOBS_ASKED: return counts_.weigh(job, job.weight - event.getSubjobsAsked().getWaitingCount());
    case which::SUBJOB_LEFT:
      if (event.getSubjobLeft().getRequeued() && job.is_array) counts_.weigh(job, job.weight + 1);
      return;
    case which::DELETE_REQUESTED:  // what has not begun never will
      if (job.is_array) counts_.weigh(job, 0);
      job.is_array = false;
      return;
    default: return;  // a job that was reduced counts with what it asked
  }
}

}  // namespace annals::model
