#include "events/attributes/table.hpp"

#include <algorithm>

#include "events/attributes/tables.hpp"
#include "events/values/string_list.hpp"

namespace annals::attributes {

std::span<const attribute> table_of(schema::ObjectKind kind) {
  switch (kind) {
    case schema::ObjectKind::JOB: return {job_attributes, job_attribute_count};
    case schema::ObjectKind::QUEUE: return {queue_attributes, queue_attribute_count};
    case schema::ObjectKind::SERVER: return {server_attributes, server_attribute_count};
    case schema::ObjectKind::NODE: return {node_attributes, node_attribute_count};
    case schema::ObjectKind::SCHEDULER: return {scheduler_attributes, scheduler_attribute_count};
    case schema::ObjectKind::RESOURCE:
    case schema::ObjectKind::HOST: return {};
  }
  return {};
}

const attribute* find(schema::ObjectKind kind, std::string_view name) {
  const auto table = table_of(kind);
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const attribute& a) { return values::equal_any_case(a.name, name); });
  return at == table.end() ? nullptr : &*at;
}

const attribute* find(schema::ObjectKind kind, attribute_id id) {
  const auto table = table_of(kind);
  const auto at = std::lower_bound(table.begin(), table.end(), id,
                                   [](const attribute& a, attribute_id wanted) { return a.id < wanted; });
  return at != table.end() && at->id == id ? &*at : nullptr;
}

}  // namespace annals::attributes
