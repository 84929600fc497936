// Changes that qmgr makes to an object: checked against the object's table, then one event.
#include <algorithm>
#include <iterator>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/refuse.hpp"
#include "events/values/limit_spec.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;
using attributes::attribute;
using attributes::value_type;

namespace {

struct one_change {
  std::string name, resource, value;
  schema::AttributeOp op;
};

std::string with_elements(std::string_view now, std::string_view more) {
  auto elements = values::split_list(now);
  for (auto& e : values::split_trimmed(more))
    if (std::find(elements.begin(), elements.end(), e) == elements.end()) elements.push_back(e);
  return values::join_list(elements);
}

std::string without_elements(std::string_view now, std::string_view gone) {
  auto elements = values::split_list(now);
  for (const auto& e : values::split_trimmed(gone)) std::erase(elements, e);
  return values::join_list(elements);
}

std::string merged_limits(std::string_view now, std::string_view change, bool adds) {
  auto limits = *values::parse_limits(now);
  if (adds) add_limits(limits, *values::parse_limits(change));
  else remove_limits(limits, *values::parse_limits(change, false));
  return values::print(limits);
}

// What += and -= make of the value there is. Empty: nothing is left.
std::string worked_out(const attribute& row, const one_change& c, std::string_view now,
                       const attributes::resource_catalogue& resources) {
  const bool adds = c.op == schema::AttributeOp::INCREMENT;
  value_type type = row.type;
  if (type == value_type::resource_list)
    if (const auto* r = resources.find(c.resource)) type = r->type;
  switch (type) {
    case value_type::limits: return now.empty() ? (adds ? c.value : "") : merged_limits(now, c.value, adds);
    case value_type::string_array:
    case value_type::acl: return adds ? with_elements(now, c.value) : without_elements(now, c.value);
    default:
      if (now.empty()) return adds ? c.value : "";
      return adds ? attributes::add_values(type, now, c.value) : attributes::subtract_values(type, now, c.value);
  }
}

// A scheduler, a queue and a vnode are in one partition at most (MS-40): += gives one to what has none, -= takes the one there is.
// False: it would be a second one.
bool one_partition(one_change& c, std::string_view now) {
  if (c.value.find(',') != std::string::npos) return false;
  if (c.op == schema::AttributeOp::INCREMENT && !now.empty() && now != c.value) return false;
  if (c.op == schema::AttributeOp::DECREMENT) c.value = now == c.value ? "" : now;
  c.op = c.value.empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET;
  return true;
}

// The canonical change, or why not.
values::result<one_change, rejection> checked(const attribute& row, schema::Attribute::Reader change,
                                              const attributes::attribute_set& now_set, const requester& by, bool creating,
                                              const attributes::resource_catalogue& resources) {
  one_change c{row.name, schema::str(change.getResource()), schema::str(change.getValue()), change.getOp()};
  if (auto why = attributes::may_set(row, c.resource, by.role, false, false, creating, resources))
    return rejection{why->code, why->text};
  if (c.op == schema::AttributeOp::UNSET) return c;
  const bool removes = c.op == schema::AttributeOp::DECREMENT;
  if (row.type == value_type::limits && c.value.empty()) {  // nobody is limited
    if (c.op != schema::AttributeOp::SET) return refuse(pbs_error::bad_value);
    c.op = schema::AttributeOp::UNSET;
    return c;
  }
  if (removes && row.type == value_type::limits) {
    auto text = attributes::check_removed_limits(row, c.resource, c.value, resources);
    if (!text) return rejection{text.error().code, text.error().text};
    c.value = *text;
  } else if (!(removes && row.type == value_type::acl)) {
    auto text = attributes::check_value(row, c.resource, c.value, resources);
    if (!text) return rejection{text.error().code, text.error().text};
    c.value = *text;
  }
  if (c.name == "partition" && !one_partition(c, now_set.get(row.id).value_or(""))) return refuse(pbs_error::bad_value);
  if (c.op == schema::AttributeOp::INCREMENT || c.op == schema::AttributeOp::DECREMENT) {
    c.value = worked_out(row, c, now_set.get(row.id, c.resource).value_or(""), resources);
    c.op = c.value.empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET;
    // A sum must be a value that could have been set.
    if ((row.type == value_type::integer || row.type == value_type::duration) && !c.value.empty())
      if (auto text = attributes::check_value(row, c.resource, c.value, resources); !text)
        return rejection{text.error().code, text.error().text};
  }
  if (c.value.empty() && c.op == schema::AttributeOp::SET) c.op = schema::AttributeOp::UNSET;
  return c;
}

void fill(capnp::List<schema::Attribute>::Builder list, const std::vector<one_change>& changes) {
  for (unsigned i = 0; i < changes.size(); ++i) {
    list[i].setName(changes[i].name);
    list[i].setResource(changes[i].resource);
    list[i].setValue(changes[i].value);
    list[i].setOp(changes[i].op);
  }
}

event changed_event(schema::ObjectKind kind, std::string_view vnode, const std::vector<one_change>& changes) {
  const auto n = static_cast<unsigned>(changes.size());
  return make_event([&](schema::Event::Builder e) {
    switch (kind) {
      case schema::ObjectKind::SERVER: return fill(e.initServer().initChanged().initChanges(n), changes);
      case schema::ObjectKind::QUEUE: return fill(e.initQueue().initChanged().initChanges(n), changes);
      case schema::ObjectKind::SCHEDULER: return fill(e.initScheduler().initChanged().initChanges(n), changes);
      case schema::ObjectKind::NODE: {
        auto v = e.initHost().initVnodeChanged();
        v.setVnode(std::string(vnode));
        return fill(v.initChanges(n), changes);
      }
      case schema::ObjectKind::JOB:
      case schema::ObjectKind::RESOURCE:
      case schema::ObjectKind::HOST:
      case schema::ObjectKind::RESERVATION:
      case schema::ObjectKind::HOOK: ANNALS_INVARIANT(false, "only objects that qmgr sets have changes");
    }
  });
}

// What a server or a scheduler must have, or PBS gives it again: unset, it has this at once. Nothing: it has none then.
std::optional<std::string> value_when_unset(schema::ObjectKind kind, const attribute& row, std::string_view resource) {
  namespace s = attributes::server;
  namespace c = attributes::scheduler;
  constexpr attributes::attribute_id of_server[] = {
      s::scheduling, s::log_events, s::mailer, s::mail_from, s::query_other_jobs, s::scheduler_iteration, s::resv_enable,
      s::max_array_size, s::pbs_license_min, s::pbs_license_max, s::pbs_license_linger_time, s::eligible_time_enable,
      s::max_concurrent_provision, s::clear_topjob_estimates_enable};
  constexpr attributes::attribute_id of_scheduler[] = {
      c::scheduling, c::sched_cycle_length, c::throughput_mode, c::job_run_wait, c::scheduler_iteration, c::preempt_queue_prio,
      c::preempt_prio, c::preempt_order, c::preempt_sort, c::log_events, c::server_dyn_res_alarm};
  const auto is_one_of = [&](const auto& all) { return std::ranges::find(all, row.id) != std::end(all); };
  if (kind == schema::ObjectKind::SERVER && is_one_of(of_server)) return row.default_value;
  if (kind == schema::ObjectKind::SCHEDULER && is_one_of(of_scheduler)) return row.default_value;
  if (kind == schema::ObjectKind::SERVER && row.id == s::resources_default && resource == "ncpus") return "1";
  return {};
}

// `unset resources_max` without a resource takes every one of them away; `unset max_run_res` too.
void expand_unset(const attribute& row, const one_change& c, const attributes::attribute_set& now_set, std::vector<one_change>& out) {
  if (c.op != schema::AttributeOp::UNSET || !attributes::has_resources(row) || !c.resource.empty()) {
    out.push_back(c);
    return;
  }
  for (const auto& entry : now_set)
    if (entry.id == row.id) out.push_back({c.name, std::string(entry.resource), "", c.op});
}

}  // namespace

outcome changed_or_refused(schema::ObjectKind kind, const attributes::attribute_set& now_set, schema::Manage::Reader request,
                           const requester& by, const attributes::resource_catalogue& resources,
                           std::string_view vnode) {
  std::vector<one_change> changes;
  attributes::attribute_set then = now_set;  // += and -= of one request build on each other
  for (auto change : request.getChanges()) {
    const auto name = schema::str(change.getName());
    if (kind == schema::ObjectKind::NODE && name == "state" && change.getOp() != schema::AttributeOp::UNSET) continue;
    const auto* row = attributes::find(kind, name);
    if (!row) {
      const auto why = values::refuse(pbs_error::undefined_attribute, name);
      return rejection{why.code, why.text};
    }
    auto c = checked(*row, change, then, by, request.getVerb() == schema::ManageVerb::CREATE, resources);
    if (!c) return c.error();
    const auto again = c->op == schema::AttributeOp::UNSET ? value_when_unset(kind, *row, c->resource) : std::nullopt;
    if (again) {
      c->op = schema::AttributeOp::SET;
      c->value = *again;
    }
    const std::size_t before = changes.size();
    expand_unset(*row, *c, then, changes);
    for (std::size_t i = before; i < changes.size(); ++i) {
      if (changes[i].op == schema::AttributeOp::UNSET) then.erase(row->id, changes[i].resource);
      else then.set(row->id, changes[i].resource, changes[i].value);
    }
  }
  if (changes.empty()) return no_change;
  return std::vector<event>{changed_event(kind, vnode, changes)};
}

schema::sealed<schema::Manage> only_changes(schema::Manage::Reader m, const std::function<bool(schema::Attribute::Reader)>& stays) {
  std::vector<schema::Attribute::Reader> kept;
  for (const auto c : m.getChanges())
    if (stays(c)) kept.push_back(c);
  return schema::make<schema::Manage>([&](schema::Manage::Builder b) {
    b.setVerb(m.getVerb());
    b.setKind(m.getKind());
    b.setName(m.getName());
    auto changes = b.initChanges(static_cast<unsigned>(kept.size()));
    for (unsigned i = 0; i < kept.size(); ++i) changes.setWithCaveats(i, kept[i]);
  });
}

void apply_changes(schema::ObjectKind kind, attributes::attribute_set& to, capnp::List<schema::Attribute>::Reader changes) {
  for (auto change : changes) {
    const auto* row = attributes::find(kind, schema::text(change.getName()));
    if (!row) continue;
    const auto resource = schema::text(change.getResource());
    if (change.getOp() == schema::AttributeOp::UNSET) to.erase(row->id, resource);
    else to.set(row->id, resource, schema::text(change.getValue()));
  }
}

}  // namespace annals::model
