// Sums of a select, limits on a request, and Resource_List members in sets (select_rules.hpp).
#include <limits>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::attributes {
namespace {

using namespace values;

// value * count in the type's arithmetic.
std::string times(value_type type, const std::string& value, std::uint32_t count) {
  switch (type) {
    case value_type::size:
      return print_size(multiply(parse_size(value).value_or(size_value{}), count));
    case value_type::real:
      return print_real(parse_real(value).value_or(0) * count);
    default: {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(parse_integer(value).value_or(0), std::int64_t{count}, &product))
        product = std::numeric_limits<std::int64_t>::max();
      return std::to_string(product);
    }
  }
}

bool is_summed(const resource& r) { return r.is_numeric() && (r.flags & (summed | consumable | first_host_only)) != 0; }

// The value of the queue, else of the server; nullptr: no limit.
const std::string* limit_of(const std::string& name, const resource_list& queue, const resource_list& server) {
  if (const auto at = queue.find(name); at != queue.end()) return &at->second;
  const auto at = server.find(name);
  return at == server.end() ? nullptr : &at->second;
}

bool is_outside(value_type type, const std::string& value, const std::string& limited, const request_defaults& defaults) {
  const std::string* max = limit_of(limited, defaults.queue_max, defaults.server_max);
  const std::string* min = limit_of(limited, defaults.queue_min, defaults.server_min);
  return (max && compare_values(type, value, *max).value_or(0) > 0) || (min && compare_values(type, value, *min).value_or(0) < 0);
}

}  // namespace

resource_list sums_of(const select_spec& select, const resource_catalogue& resources) {
  resource_list sums;
  for (const select_chunk& chunk : select.chunks) {
    for (const named_value& v : chunk.resources) {
      const resource* r = resources.find(v.name);
      if (!r || !is_summed(*r)) continue;
      const std::string amount = times(r->type, v.value, chunk.count);
      const auto [at, first] = sums.emplace(v.name, amount);
      if (!first) at->second = add_values(r->type, at->second, amount);
    }
  }
  sums.insert_or_assign("nodect", std::to_string(select.chunk_count()));
  return sums;
}

std::optional<refusal> within_limits(const resource_list& asked, const request_defaults& defaults,
                                     const resource_catalogue& catalogue) {
  for (const auto& [name, value] : asked) {
    const resource* r = catalogue.find(name);
    if (!r || !r->is_numeric()) continue;
    const bool shrinks = name == "min_walltime" || name == "max_walltime";  // either may become its walltime
    if (is_outside(r->type, value, name, defaults) || (shrinks && is_outside(r->type, value, "walltime", defaults)))
      return refuse(pbs_error::exceeds_queue_resources);
  }
  return std::nullopt;
}

request_defaults defaults_of(const attribute_set& server, const attribute_set& queue) {
  request_defaults out;
  out.queue_default = resources_of(queue, queue::resources_default);
  out.server_default = resources_of(server, server::resources_default);
  out.queue_chunk = resources_of(queue, queue::default_chunk);
  out.server_chunk = resources_of(server, server::default_chunk);
  out.queue_max = resources_of(queue, queue::resources_max);
  out.server_max = resources_of(server, server::resources_max);
  out.queue_min = resources_of(queue, queue::resources_min);
  return out;
}

resource_list resources_of(const attribute_set& from, attribute_id id) {
  resource_list out;
  for (const entry& e : from)
    if (e.id == id) out.emplace_hint(out.end(), e.resource, e.value);
  return out;
}

void set_resources(attribute_set& to, attribute_id id, const resource_list& resources) {
  to.erase_all(id);
  for (const auto& [name, value] : resources) to.set(id, name, value);
}

}  // namespace annals::attributes
