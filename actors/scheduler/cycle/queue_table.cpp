#include "actors/scheduler/cycle/queue_table.hpp"

#include "actors/scheduler/cycle/attribute_text.hpp"
#include "events/schema/message.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using schema::text;

namespace {

void read_pool(named_amounts& pool, const resource_table& resources, schema::Attribute::Reader a) {
  want w;
  w.resource = resources.find(text(a.getResource()));
  if (w.resource == no_resource) return;
  if (resources[w.resource].is_text()) {
    w.text = text(a.getValue());
  } else {
    const auto value = resources.read(w.resource, text(a.getValue()), rounding::down);
    if (!value) return;
    w.value = *value;
  }
  pool.available.push_back(std::move(w));
}

}  // namespace

void queue_table::apply_server(capnp::List<schema::Attribute>::Reader attributes) {
  server_.available.clear();
  server_.dynamic.clear();
  for (const auto a : attributes)
    if (text(a.getName()) == "resources_available") read_pool(server_, resources_, a);
}

void queue_table::apply(schema::SchedQueue::Reader row) {
  queue& q = queues_[at(text(row.getName()))];
  q.exists = true;
  q.order = row.getOrder();
  q.priority = 0;
  q.started = false;
  q.execution = true;
  q.group_keys.clear();
  q.backfill_depth.reset();
  q.reservation = row.getReservation();
  q.pool.available.clear();
  for (const auto a : row.getAttributes()) {
    const auto name = text(a.getName());
    const auto value = text(a.getValue());
    if (name == "Priority") q.priority = values::parse_integer(value).value_or(0);
    if (name == "started") q.started = is_true(value);
    if (name == "queue_type") q.execution = value.empty() || value[0] == 'E' || value[0] == 'e';
    if (name == "node_group_key") q.group_keys = values::split_list(value);
    if (name == "backfill_depth") q.backfill_depth = values::parse_integer(value);
    if (name == "resources_available") read_pool(q.pool, resources_, a);
  }
}

index queue_table::at(std::string_view name) {
  if (const auto at = queue_ids_.find(name); at != queue_ids_.end()) return at->second;
  queue_ids_.emplace(name, static_cast<index>(queues_.size()));
  queues_.emplace_back().name = name;
  return static_cast<index>(queues_.size() - 1);
}

void queue_table::set_dynamic(const std::vector<std::pair<resource_id, amount>>& amounts) {
  std::erase_if(server_.available, [&](const want& w) { return server_.is_dynamic(w.resource); });
  server_.dynamic.clear();
  for (const auto& [resource, value] : amounts) {
    std::erase_if(server_.available, [&, r = resource](const want& w) { return w.resource == r; });
    server_.available.push_back({resource, value, {}});
    server_.dynamic.push_back(resource);
    if (resource >= server_.used.size()) server_.used.resize(resources_.size());
    server_.used[resource] = 0;
  }
}

void queue_table::count(const request& asked, index queue, int sign) {
  for (const want& w : asked.job_wide) {
    if (!resources_[w.resource].summed && !server_.is_dynamic(w.resource)) continue;
    for (named_amounts* pool : {&server_, &queues_[queue].pool}) {
      if (w.resource >= pool->used.size()) pool->used.resize(resources_.size());
      amount& used = pool->used[w.resource];
      if (__builtin_add_overflow(used, sign * w.value, &used)) used = 0;  // out of all reason; only unlimited pools get there
    }
  }
}

void queue_table::forget_vnodes() {
  for (auto& q : queues_) q.vnodes = 0;
}

}  // namespace annals::cycle
