#include "events/model/dependency_graph.hpp"

#include <algorithm>
#include <unordered_set>

#include "events/model/refuse.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"

namespace annals::model {

namespace {

std::uint64_t number_in(std::string_view job) {
  const auto id = values::parse_job_id(job);
  return id ? id->number : 0;
}

template <class Is>
std::vector<std::uint64_t> numbers_of(std::string_view depend, Is is) {
  std::vector<std::uint64_t> all;
  for (const auto& d : values::parse_dependencies(depend).value_or(std::vector<values::dependency>()))
    if (is(d.type)) all.push_back(number_in(d.job));
  return all;
}

// The depend that an event gives the job as a whole; nothing: none.
std::optional<std::string_view> depend_in(capnp::List<schema::Attribute>::Reader attributes) {
  std::optional<std::string_view> found;
  for (auto a : attributes)
    if (schema::text(a.getName()) == "depend" && (a.getOp() == schema::AttributeOp::SET || a.getOp() == schema::AttributeOp::UNSET))
      found = a.getOp() == schema::AttributeOp::SET ? schema::text(a.getValue()) : std::string_view();
  return found;
}

}  // namespace

bool dependency_graph::leads(numbers begin, const numbers& ends) const {
  std::unordered_set<std::uint64_t> seen;
  while (!begin.empty()) {
    const auto at = begin.back();
    begin.pop_back();
    if (!seen.insert(at).second) continue;
    if (std::find(ends.begin(), ends.end(), at) != ends.end()) return true;
    if (const auto next = waits_for_.find(at); next != waits_for_.end())
      begin.insert(begin.end(), next->second.begin(), next->second.end());
  }
  return false;
}

std::optional<rejection> dependency_graph::check(std::uint64_t number, std::string_view depend, bool is_new) const {
  auto ends = numbers_of(depend, values::is_before);
  const auto waits_for = numbers_of(depend, values::is_after);
  const bool names_itself = std::find(waits_for.begin(), waits_for.end(), number) != waits_for.end();
  if (is_new && ends.empty() && !names_itself) return std::nullopt;  // nobody can wait for it yet: a chain costs nothing
  ends.push_back(number);
  if (!leads(waits_for, ends)) return std::nullopt;
  return refuse(values::pbs_error::bad_value, std::string(values::pbs_error_text(values::pbs_error::bad_value)) + " depend: job " +
                                                  std::to_string(number) + " would wait for itself");
}

std::optional<rejection> dependency_graph::check(std::uint64_t number, schema::JobEvent::Reader event) const {
  if (event.isQueued()) {
    const auto depend = depend_in(event.getQueued().getAttributes());
    return depend ? check(number, *depend, true) : std::nullopt;
  }
  if ((event.isAssigned() || event.isSubjobBegan()) && (too_late_.contains(number) || sets_.runner_beside(number)))
    return refuse(values::pbs_error::bad_state);
  if (!event.isAltered()) return std::nullopt;
  for (auto change : event.getAltered().getChanges())
    if (schema::text(change.getName()) == "depend" && change.getOp() == schema::AttributeOp::INCREMENT)
      if (auto why = check(number, schema::text(change.getValue()), false)) return why;
  const auto depend = depend_in(event.getAltered().getChanges());
  return depend ? check(number, *depend, false) : std::nullopt;
}

void dependency_graph::leave_set(std::uint64_t number) {
  sets_.leave(number);
  too_late_.erase(number);
}

void dependency_graph::join(std::uint64_t number, std::uint64_t other, progress is) {
  if (is == progress::over) {
    too_late_.insert(number);
    return;
  }
  sets_.join(number, other);
  if (is == progress::runs) sets_.runs(other);
}

void dependency_graph::apply(std::uint64_t number, schema::JobEvent::Reader event, const progress_of& others) {
  const bool begins = event.isAssigned() || event.isSubjobBegan();
  if (begins) sets_.runs(number);
  if (event.isRequeued()) sets_.waits(number);
  if (event.isEnded()) leave_set(number);
  if (begins || event.isEnded()) {
    waits_for_.erase(number);
    return;
  }
  if (!event.isQueued() && !event.isAltered()) return;
  const auto attributes = event.isQueued() ? event.getQueued().getAttributes() : event.getAltered().getChanges();
  if (const auto depend = depend_in(attributes)) {
    auto jobs = numbers_of(*depend, values::is_after);
    if (jobs.empty()) waits_for_.erase(number);
    else waits_for_[number] = std::move(jobs);
    if (event.isAltered()) leave_set(number);
    for (const auto other : numbers_of(*depend, [](auto type) { return type == values::dependency_type::runone; }))
      join(number, other, others(other));
  }
  for (auto change : attributes) {
    if (schema::text(change.getName()) != "depend") continue;
    const auto jobs = numbers_of(schema::text(change.getValue()), values::is_after);
    if (change.getOp() == schema::AttributeOp::INCREMENT && !jobs.empty()) waits_for_[number].push_back(jobs.front());
    if (change.getOp() != schema::AttributeOp::DECREMENT || jobs.empty()) continue;
    auto& left = waits_for_[number];
    if (const auto one = std::find(left.begin(), left.end(), jobs.front()); one != left.end()) left.erase(one);
    if (left.empty()) waits_for_.erase(number);
  }
}

}  // namespace annals::model
