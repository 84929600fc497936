#include "events/attributes/table.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "events/attributes/ids.hpp"
#include "events/attributes/tables.hpp"
#include "events/values/string_list.hpp"

namespace annals::attributes {
std::span<const attribute> table_of(schema::ObjectKind kind) {
  switch (kind) {
    case schema::ObjectKind::JOB:
      return {job_attributes, job_attribute_count};
    case schema::ObjectKind::QUEUE:
      return {queue_attributes, queue_attribute_count};
    case schema::ObjectKind::SERVER:
      return {server_attributes, server_attribute_count};
    case schema::ObjectKind::NODE:
      return {node_attributes, node_attribute_count};
    case schema::ObjectKind::SCHEDULER:
      return {scheduler_attributes, scheduler_attribute_count};
    case schema::ObjectKind::HOOK:
      return {hook_attributes, hook_attribute_count};
    case schema::ObjectKind::RESERVATION:
      return {reservation_attributes, reservation_attribute_count};
    case schema::ObjectKind::RESOURCE:
    case schema::ObjectKind::HOST:
      return {};
  }
  return {};
}

namespace {

constexpr std::size_t kind_count = static_cast<std::size_t>(schema::ObjectKind::RESERVATION) + 1;
using name_index = std::unordered_map<std::string_view, const attribute*>;

// Older names of attributes of scheduler objects (MS-07, MS-28): find() takes them, and they are shown under the newer name.
struct older_name {
  std::string_view older;
  attribute_id id;
};
constexpr older_name older_scheduler_names[] = {
    {"port", scheduler::sched_port}, {"host", scheduler::sched_host}, {"sched_logs", scheduler::sched_log}};

// Rows by their exact names, made once: replaying an event looks up every attribute it carries.
const name_index& names_of(schema::ObjectKind kind) {
  static const std::array<name_index, kind_count> made = [] {
    std::array<name_index, kind_count> out;
    for (std::size_t k = 0; k < kind_count; ++k)
      for (const attribute& row : table_of(static_cast<schema::ObjectKind>(k))) out[k].emplace(row.name, &row);
    for (const auto& [older, id] : older_scheduler_names)
      out[static_cast<std::size_t>(schema::ObjectKind::SCHEDULER)].emplace(older, find(schema::ObjectKind::SCHEDULER, id));
    return out;
  }();
  return made[static_cast<std::size_t>(kind)];
}

}  // namespace

const attribute* find(schema::ObjectKind kind, std::string_view name) {
  if (static_cast<std::size_t>(kind) >= kind_count) return nullptr;  // a kind this version does not know
  const name_index& names = names_of(kind);
  if (const auto exact = names.find(name); exact != names.end()) return exact->second;
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
