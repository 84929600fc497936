#include "events/model/resource_users.hpp"

#include <algorithm>

#include "events/attributes/canonical.hpp"
#include "events/values/place.hpp"
#include "events/values/select.hpp"

namespace annals::model {

namespace {

constexpr std::string_view schedselect = "schedselect";

bool is_in_a_chunk(std::string_view select, std::string_view resource) {
  if (select.find(resource) == std::string_view::npos) return false;  // parsed only if it may be there
  const auto parsed = values::parse_select(select);
  return parsed && std::ranges::any_of(parsed->chunks, [&](const auto& chunk) { return chunk.find(resource) != nullptr; });
}

// Where an attribute of a job may name resources; empty: nowhere.
std::string_view member_of(schema::Attribute::Reader a) {
  if (a.getName() == "Resource_List") return schema::text(a.getResource());
  return schema::text(a.getName()) == schedselect ? schedselect : std::string_view();
}

}  // namespace

bool asks_for(std::string_view member, std::string_view value, std::string_view resource) {
  if (member == resource) return true;
  if (attributes::is_select(member) || member == schedselect) return is_in_a_chunk(value, resource);
  if (member != "place") return false;
  const auto place = values::parse_place(value);
  return place && place->group == resource;
}

std::string_view resource_users::unmade(schema::ServerEvent::Reader event) const {
  if (event.isResourceDeleted()) return schema::text(event.getResourceDeleted().getName());
  if (!event.isResourceChanged()) return {};
  const auto to = event.getResourceChanged();
  const auto is = custom_.find(schema::text(to.getName()));
  const bool same = is == custom_.end() || is->second == definition{schema::str(to.getType()), schema::str(to.getFlags())};
  return same ? std::string_view() : std::string_view(schema::text(to.getName()));
}

// Every job that asks for some custom resource is looked at: managers rarely delete resources.
bool resource_users::any_job_asks_for(std::string_view resource) const {
  return std::ranges::any_of(uses_, [&](const auto& job) {
    return std::ranges::any_of(job.second, [&](const use& u) { return u.resource == resource; });
  });
}

void resource_users::apply(schema::ServerEvent::Reader event) {
  if (event.isResourceDeleted()) custom_.erase(schema::str(event.getResourceDeleted().getName()));
  if (!event.isResourceCreated() && !event.isResourceChanged()) return;
  const auto d = event.isResourceCreated() ? event.getResourceCreated() : event.getResourceChanged();
  custom_[schema::str(d.getName())] = {schema::str(d.getType()), schema::str(d.getFlags())};
}

void resource_users::apply(const event_place& at, schema::JobEvent::Reader event) {
  if (event.isForgotten()) uses_.erase(at.stream);
  if (custom_.empty()) return;
  if (event.isQueued()) take(at.stream, event.getQueued().getAttributes());
  if (event.isAltered()) take(at.stream, event.getAltered().getChanges());
  if (event.isMoved()) take(at.stream, event.getMoved().getChanges());
  if (event.isUsageReported()) take_used(at.stream, event.getUsageReported().getUsage().getResources());
  if (event.isExited()) take_used(at.stream, event.getExited().getUsage().getResources());
}

// Hooks may give a job amounts of resources that it did not ask for.
void resource_users::take_used(std::uint64_t job, capnp::List<schema::Attribute>::Reader used) {
  for (auto a : used) {
    const auto is = custom_.find(schema::text(a.getResource()));
    if (is == custom_.end()) continue;
    auto& uses = uses_[job];
    const use one{"resources_used", is->first};
    if (std::ranges::find(uses, one) == uses.end()) uses.push_back(one);
  }
}

void resource_users::take(std::uint64_t job, capnp::List<schema::Attribute>::Reader all) {
  for (auto a : all) {
    const auto member = member_of(a);
    if (member.empty()) continue;
    if (const auto before = uses_.find(job); before != uses_.end()) {
      std::erase_if(before->second, [&](const use& u) { return u.member == member; });
      if (before->second.empty()) uses_.erase(before);
    }
    if (a.getOp() == schema::AttributeOp::UNSET) continue;
    for (const auto& [name, is] : custom_)
      if (asks_for(member, schema::text(a.getValue()), name)) uses_[job].push_back({std::string(member), name});
  }
}

}  // namespace annals::model
