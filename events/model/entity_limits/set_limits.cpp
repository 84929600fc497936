#include "events/model/entity_limits/set_limits.hpp"

#include <algorithm>
#include <array>

#include "events/attributes/table.hpp"
#include "events/model/entity_limits/job_counts.hpp"
#include "events/model/refuse.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace {

enum class style : std::uint8_t { none,
                                  old_one,
                                  new_one };

style style_of(schema::ObjectKind kind, std::string_view name) {
  constexpr std::array<std::string_view, 10> old_ones = {
      "max_running", "max_user_run", "max_group_run", "max_user_run_soft", "max_group_run_soft", "max_user_res",
      "max_group_res", "max_user_res_soft", "max_group_res_soft", "max_queuable"};
  if (std::find(old_ones.begin(), old_ones.end(), name) != old_ones.end()) return style::old_one;
  const auto* row = attributes::find(kind, name);
  return row && row->type == attributes::value_type::limits ? style::new_one : style::none;
}

bool sets(schema::Attribute::Reader c) { return c.getOp() != schema::AttributeOp::UNSET; }

values::limit_table table_of(schema::Attribute::Reader c) {
  if (!sets(c)) return {};
  const auto limits = values::parse_limits(schema::text(c.getValue()));
  if (!limits) return {};
  const bool counts = c.getResource().size() == 0;
  return {*limits, [&](std::string_view text) { return counts ? values::parse_integer(text) : limit_amount(text, false); }};
}

void put(submission_limits::by_resource& of, schema::Attribute::Reader c) {
  if (auto table = table_of(c); !table.empty()) of[schema::str(c.getResource())] = std::move(table);
  else of.erase(schema::str(c.getResource()));
}

void take_limit(submission_limits& to, schema::Attribute::Reader c) {
  const auto name = schema::text(c.getName());
  if (name == "max_queued") to.max_queued = table_of(c);
  if (name == "queued_jobs_threshold") to.queued_jobs_threshold = table_of(c);
  if (name == "max_queued_res") put(to.max_queued_res, c);
  if (name == "queued_jobs_threshold_res") put(to.queued_jobs_threshold_res, c);
  if (name == "max_queuable") to.max_queuable = sets(c) ? values::parse_integer(schema::text(c.getValue())) : std::nullopt;
}

}  // namespace

bool set_limits::anywhere(std::set<std::string> place::*style) const {
  return !(server_.*style).empty() ||
         std::any_of(queues_.begin(), queues_.end(), [&](const auto& q) { return !(q.second.*style).empty(); });
}

std::optional<rejection> set_limits::check(schema::ObjectKind kind, changes all) const {
  bool old_ones = false, new_ones = false;
  for (auto c : all) {
    const auto its = sets(c) ? style_of(kind, schema::text(c.getName())) : style::none;
    old_ones |= its == style::old_one;
    new_ones |= its == style::new_one;
  }
  if ((old_ones && (new_ones || anywhere(&place::new_style))) || (new_ones && anywhere(&place::old_style)))
    return refuse(values::pbs_error::mixed_limits);
  return std::nullopt;
}

std::optional<rejection> set_limits::check(schema::ServerEvent::Reader event) const {
  return event.isChanged() ? check(schema::ObjectKind::SERVER, event.getChanged().getChanges()) : std::nullopt;
}

std::optional<rejection> set_limits::check(schema::QueueEvent::Reader event) const {
  return event.isChanged() ? check(schema::ObjectKind::QUEUE, event.getChanged().getChanges()) : std::nullopt;
}

void set_limits::apply_to(place& to, schema::ObjectKind kind, changes all) {
  for (auto c : all) {
    const auto its = style_of(kind, schema::text(c.getName()));
    if (its == style::none) continue;
    auto& names = its == style::old_one ? to.old_style : to.new_style;
    auto name = schema::str(c.getName());
    if (c.getResource().size() > 0) name += "." + schema::str(c.getResource());
    if (sets(c)) names.insert(std::move(name));
    else names.erase(name);
    take_limit(to.submission, c);
  }
}

void set_limits::apply(schema::ServerEvent::Reader event) {
  if (event.isChanged()) apply_to(server_, schema::ObjectKind::SERVER, event.getChanged().getChanges());
}

void set_limits::apply(const event_place& at, schema::QueueEvent::Reader event) {
  if (event.isCreated()) queues_[at.stream].name = schema::str(event.getCreated().getName());
  const auto queue = queues_.find(at.stream);
  if (queue == queues_.end()) return;
  if (event.isChanged()) apply_to(queue->second, schema::ObjectKind::QUEUE, event.getChanged().getChanges());
  if (event.isDeleted() || queue->second.submission.empty()) limited_queues_.erase(queue->second.name);
  else limited_queues_[queue->second.name] = at.stream;
  if (event.isDeleted()) queues_.erase(queue);
}

const submission_limits* set_limits::of_queue(std::string_view name) const {
  const auto at = limited_queues_.find(name);
  return at == limited_queues_.end() ? nullptr : &queues_.at(at->second).submission;
}

bool set_limits::any_of_submissions() const { return !server_.submission.empty() || !limited_queues_.empty(); }

}  // namespace annals::model
