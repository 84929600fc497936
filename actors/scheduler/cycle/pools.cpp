#include "actors/scheduler/cycle/pools.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

// Nothing: there is enough.
std::string lack(const resource_table& table, const want& has, const want& asked, amount left) {
  const auto& r = table[has.resource];
  if (r.numeric) {
    if (asked.value <= left) return {};
    return "(R: " + table.print(has.resource, asked.value) + " A: " + table.print(has.resource, left) +
           " T: " + table.print(has.resource, has.value) + ")";
  }
  if (r.is_boolean()) {
    if (asked.value == has.value) return {};
    return "(" + table.print(has.resource, asked.value) + " != " + table.print(has.resource, has.value) + ")";
  }
  const auto values = values::split_list(has.text);
  if (std::find(values.begin(), values.end(), asked.text) != values.end()) return {};
  return "(" + asked.text + " != " + has.text + ")";
}

bool suffices(const view& v, const placement& checked, const named_amounts& pool, const job& j, index queue, refusal& why,
              const reserved_space* others) {
  const auto& table = v.resources();
  const auto& wants = v.request_of(j).job_wide;
  for (const want& has : pool.available) {
    if (!checked.is_checked(has.resource)) continue;
    const auto asked = std::find_if(wants.begin(), wants.end(), [&](const want& w) { return w.resource == has.resource; });
    if (asked == wants.end()) continue;
    const auto& r = table[has.resource];
    amount left = has.value;
    if (r.summed || pool.is_dynamic(has.resource)) left -= pool.in_use(has.resource) + (others ? others->of_pool(queue, has.resource) : 0);
    const bool never = !r.numeric || asked->value > has.value;
    const auto detail = lack(table, has, *asked, never ? has.value : left);  // what never suffices is told with all there is
    if (detail.empty()) continue;
    why.never = never;
    why.text = std::string("Insufficient amount of ") + (queue == none ? "server" : "queue") + " resource: " + r.name + " " + detail;
    return false;
  }
  return true;
}

}  // namespace

bool pools_suffice(const view& v, const placement& checked, const job& j, refusal& why, const reserved_space* others) {
  return suffices(v, checked, v.server_pool(), j, none, why, others) &&
         suffices(v, checked, v.queues()[j.queue].pool, j, j.queue, why, others);
}

bool has_pool(const view& v, index queue, resource_id r) {
  const auto& pool = queue == none ? v.server_pool() : v.queues()[queue].pool;
  return std::any_of(pool.available.begin(), pool.available.end(), [&](const want& w) { return w.resource == r; });
}

}  // namespace annals::cycle
