#include "events/model/scheduler/sort_formulas.hpp"

#include <algorithm>

#include "events/model/refuse.hpp"

namespace annals::model {

namespace {

// The formula after the change, empty: none; nothing: the event leaves it as it is.
template <class Event>
std::optional<std::string> changed_to(Event event) {
  std::optional<std::string> to;
  if (!event.isChanged()) return to;
  for (auto c : event.getChanged().getChanges())
    if (schema::text(c.getName()) == "job_sort_formula")
      to = c.getOp() == schema::AttributeOp::UNSET ? std::string() : schema::str(c.getValue());
  return to;
}

bool differ(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; }

}  // namespace

std::optional<rejection> sort_formulas::check(schema::ServerEvent::Reader event) const {
  const auto to = changed_to(event);
  if (to && std::any_of(of_scheduler_.begin(), of_scheduler_.end(), [&](const auto& its) { return differ(*to, its.second); }))
    return refuse(values::pbs_error::formula_conflict);
  return std::nullopt;
}

std::optional<rejection> sort_formulas::check(schema::SchedulerEvent::Reader event) const {
  const auto to = changed_to(event);
  if (to && differ(*to, of_server_)) return refuse(values::pbs_error::formula_conflict);
  return std::nullopt;
}

void sort_formulas::apply(schema::ServerEvent::Reader event) {
  if (auto to = changed_to(event)) of_server_ = std::move(*to);
}

void sort_formulas::apply(const event_place& at, schema::SchedulerEvent::Reader event) {
  const auto to = changed_to(event);
  if (to && !to->empty()) of_scheduler_[at.stream] = *to;
  else if (to || event.isDeleted()) of_scheduler_.erase(at.stream);
}

}  // namespace annals::model
