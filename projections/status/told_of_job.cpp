#include "projections/status/told_of_job.hpp"

#include <utility>

#include "events/attributes/ids.hpp"
#include "events/values/duration.hpp"

namespace annals::projections {

namespace ids = attributes::job;

namespace {

using attribute_changes = capnp::List<schema::Attribute>::Reader;

bool names(attribute_changes all, const char* attribute) {
  for (auto c : all)
    if (c.getName() == attribute) return true;
  return false;
}

// The place that a top job was told is one of what it asked for then.
bool asks_for_another_place(attribute_changes all) {
  for (auto c : all)
    if (c.getName() == "schedselect" || (c.getName() == "Resource_List" && c.getResource() == "place")) return true;
  return false;
}

bool concern_estimate(attribute_changes all) { return names(all, "estimated") || asks_for_another_place(all); }

// Such events say nothing in a comment, and come often to jobs whose states are large.
bool leaves_comment(schema::JobEvent::Reader event) {
  return event.isUsageReported() || (event.isAltered() && !names(event.getAltered().getChanges(), "comment"));
}

bool is_of_estimate(attributes::attribute_id id) { return id == ids::estimated || id == ids::topjob; }

attributes::attribute_set own_estimate(const model::job_state& job) {
  attributes::attribute_set own;
  for (const auto& e : job.attributes)
    if (is_of_estimate(e.id)) own.set(e.id, e.resource, e.value);
  return own;
}

void take_changes(attributes::attribute_set& estimate, attribute_changes all) {
  for (auto c : all) {
    if (c.getName() != "estimated") continue;
    const auto resource = schema::text(c.getResource());
    if (c.getOp() == schema::AttributeOp::UNSET) estimate.erase(ids::estimated, resource);
    else estimate.set(ids::estimated, resource, schema::text(c.getValue()));
  }
  if (asks_for_another_place(all)) estimate = {};
}

}  // namespace

// -- told ----------------------------------------------------------------------------------------------------------------

void told_of_job::apply(model::job_state& job, const model::event_place& at, schema::JobEvent::Reader event) {
  apply_with_comment(job, at, event);
  if (gives_eligible_time(event)) eligible.seconds.reset();
  if (event.isAltered() && concern_estimate(event.getAltered().getChanges()))
    change_estimate(job, [&](auto& e) { take_changes(e, event.getAltered().getChanges()); });
  // It waits for nothing any more.
  if (event.isAssigned() || event.isVnodesTaken()) change_estimate(job, [](auto& e) { e.erase_all(ids::topjob); });
}

// The next comment follows from the one that stands there and from the state before. So model::apply is asked twice: with the job's own
// comment in the state, and with the one that is shown.
void told_of_job::apply_with_comment(model::job_state& job, const model::event_place& at, schema::JobEvent::Reader event) {
  if (!comment || leaves_comment(event)) return model::apply(job, at, event);
  auto with_told = job;
  with_told.attributes.set(ids::comment, *comment);
  model::apply(with_told, at, event);
  model::apply(job, at, event);
  const auto after = with_told.attributes.get(ids::comment);
  if (!after || after == job.attributes.get(ids::comment)) comment.reset();
  else if (*after != *comment) comment = std::make_shared<const std::string>(*after);
}

template <class Change>
void told_of_job::change_estimate(const model::job_state& job, Change&& change) {
  const auto own = own_estimate(job);
  auto now = estimate.value_or(own);
  change(now);
  if (now == own) estimate.reset();
  else estimate = std::move(now);
}

void told_of_job::set_estimate(const model::job_state& job, schema::JobEstimate::Reader e) {
  change_estimate(job, [&](auto& of) {
    if (e.getStartNs() == 0) {
      of = {};
      return;
    }
    of.set(ids::estimated, "start_time", std::to_string(e.getStartNs() / 1'000'000'000));
    of.set(ids::estimated, "exec_vnode", schema::text(e.getExecVnode()));
    if (e.getFormer()) of.erase_all(ids::topjob);
    else of.set(ids::topjob, "True");
  });
}

// -- shown ---------------------------------------------------------------------------------------------------------------

attributes::attribute_set told_of_job::shown(const model::job_state& job) const {
  auto row = job.attributes;
  if (comment) row.set(ids::comment, *comment);
  if (eligible.seconds) row.set(ids::eligible_time, values::print_duration(*eligible.seconds));
  if (eligible.what != accrual::initial) row.set(ids::accrue_type, std::to_string(static_cast<int>(eligible.what)));
  if (eligible.since_s) row.set(ids::sample_starttime, std::to_string(*eligible.since_s));
  if (!estimate) return row;
  row.erase_all(ids::estimated);
  row.erase_all(ids::topjob);
  for (const auto& e : *estimate) row.set(e.id, e.resource, e.value);
  return row;
}

std::string told_of_job::shown(const model::job_state& job, attributes::attribute_id id, std::string_view resource) const {
  if (is_of_estimate(id) && estimate) return std::string(estimate->get(id, resource).value_or(""));
  if (!resource.empty()) return std::string(job.attribute(id, resource));
  if (id == ids::comment && comment) return *comment;
  if (id == ids::eligible_time && eligible.seconds) return values::print_duration(*eligible.seconds);
  if (id == ids::accrue_type && eligible.what != accrual::initial) return std::to_string(static_cast<int>(eligible.what));
  if (id == ids::sample_starttime && eligible.since_s) return std::to_string(*eligible.since_s);
  return std::string(job.attribute(id, resource));
}

}  // namespace annals::projections
