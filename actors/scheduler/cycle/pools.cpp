#include "actors/scheduler/cycle/pools.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

bool is_enough(const resource_table& table, const want& has, const want& asked, amount left) {
  const auto& r = table[has.resource];
  if (r.numeric) return asked.value <= left;
  if (r.is_boolean()) return asked.value == has.value;
  const auto values = values::split_list(has.text);
  return std::find(values.begin(), values.end(), asked.text) != values.end();
}

why_data lack(const resource_table& table, const want& has, const want& asked, amount left) {
  const auto& r = table[has.resource];
  const bool printed = r.numeric || r.is_boolean();
  why_data data;
  data.kind = schema::Why::Kind::POOL;
  data.resource = r.name;
  data.asked = printed ? table.print(has.resource, asked.value) : asked.text;
  data.total = printed ? table.print(has.resource, has.value) : has.text;
  if (r.numeric) data.free = table.print(has.resource, left);
  return data;
}

// "(R: 3 A: 1 T: 4)", "(linux != aix)".
std::string detail(const why_data& data) {
  if (data.free.empty()) return "(" + data.asked + " != " + data.total + ")";
  return "(R: " + data.asked + " A: " + data.free + " T: " + data.total + ")";
}

bool suffices(const view& v, const placement& checked, const named_amounts& pool, const job& j, index queue, refusal& why,
              const reserved_space* others) {
  const auto& table = v.resources();
  const auto& wants = v.jobs().request_of(j).job_wide;
  for (const want& has : pool.available) {
    if (!checked.is_checked(has.resource)) continue;
    const auto asked = std::find_if(wants.begin(), wants.end(), [&](const want& w) { return w.resource == has.resource; });
    if (asked == wants.end()) continue;
    const auto& r = table[has.resource];
    amount left = has.value;
    if (r.summed || pool.is_dynamic(has.resource)) left -= pool.in_use(has.resource) + (others ? others->of_pool(queue, has.resource) : 0);
    const bool never = !r.numeric || asked->value > has.value;
    if (never) left = has.value;  // what never suffices is told with all there is
    if (is_enough(table, has, *asked, left)) continue;
    why.never = never;
    why.data = lack(table, has, *asked, left);
    why.data.owner = queue == none ? "server" : "queue " + v.queues()[queue].name;
    why.text =
        std::string("Insufficient amount of ") + (queue == none ? "server" : "queue") + " resource: " + r.name + " " + detail(why.data);
    return false;
  }
  return true;
}

}  // namespace

bool pools_suffice(const view& v, const placement& checked, const job& j, refusal& why, const reserved_space* others) {
  return suffices(v, checked, v.queues().server_pool(), j, none, why, others) &&
         suffices(v, checked, v.queues()[j.queue].pool, j, j.queue, why, others);
}

bool has_pool(const view& v, index queue, resource_id r) {
  const auto& pool = queue == none ? v.queues().server_pool() : v.queues()[queue].pool;
  return std::any_of(pool.available.begin(), pool.available.end(), [&](const want& w) { return w.resource == r; });
}

}  // namespace annals::cycle
