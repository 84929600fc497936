#include "events/attributes/check.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/request_check.hpp"
#include "events/attributes/special_values.hpp"
#include "events/values/duration.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/job_formula.hpp"
#include "events/values/limit_spec.hpp"
#include "events/values/node_state.hpp"
#include "events/values/number.hpp"
#include "events/values/place.hpp"
#include "events/values/select.hpp"
#include "events/values/size.hpp"
#include "events/values/string_list.hpp"

namespace annals::attributes {
namespace {

using namespace values;

bool is_same_row(const attribute& what, schema::ObjectKind kind, attribute_id id) { return find(kind, id) == &what; }

// Each entry's value is a count, or a value of the resource that is limited. What can't be counted can't be limited.
checked_text check_limits(const resource* limited, std::string_view name, std::string_view text, bool need_values = true) {
  auto limits = parse_limits(text, need_values);
  if (!limits) return limits.error() == limit_error::malformed ? refuse(pbs_error::bad_value) : refuse(pbs_error::bad_value, name);
  if (limited && !limited->is_numeric()) return refuse(pbs_error::bad_value, name);
  for (limit_entry& entry : *limits) {
    if (entry.value.empty()) continue;  // of -=
    const auto value = limited ? canonical(*limited, entry.value) : canonical(value_type::integer, entry.value);
    if (!value || value->front() == '-') return refuse(pbs_error::bad_value, name);
    entry.value = *value;
  }
  return print(*limits);
}

// The vnode whose pool resources_available.R=@vnode shares; that it exists is for the vnode's owner to say. Amounts of what PBS brings
// along (ncpus, mem) are a vnode's own.
bool is_indirect(const attribute& what, const resource* r, std::string_view text) {
  return text.size() > 1 && text.front() == '@' && r && !(r->builtin && r->is_numeric()) &&
         is_same_row(what, schema::ObjectKind::NODE, node::resources_available);
}

checked_text check_resource(const attribute& what, std::string_view name, std::string_view text,
                            const resource_catalogue& resources) {
  if (what.type == value_type::limits) {
    const resource* r = resources.find(name);
    return r ? check_limits(r, full_name(what, name), text)
             : refuse(pbs_error::unknown_resource, full_name(what, name));
  }
  if (is_indirect(what, resources.find(name), text)) return std::string(text);
  return check_member(what.name, name, text, resources);
}

}  // namespace

bool has_resources(const attribute& what) {
  if (what.type == value_type::resource_list) return true;
  return what.type == value_type::limits && std::string_view(what.name).find("_res") != std::string_view::npos;
}

std::string full_name(const attribute& what, std::string_view resource) {
  return resource.empty() ? what.name : std::string(what.name) + '.' + std::string(resource);
}

namespace {

// Whatever it names must be there: a formula that can't be computed would order nothing.
checked_text check_formula(std::string_view text, const resource_catalogue& resources) {
  if (trimmed(text).empty()) return std::string();
  const auto is_name = [&](std::string_view name) {
    return resources.find(name) || std::ranges::find(job_formula_words(), name) != job_formula_words().end();
  };
  job_formula::trouble why;
  if (job_formula::parse(text, is_name, &why)) return std::string(text);
  return refuse(why == job_formula::trouble::keyword ? pbs_error::bad_formula_keyword : pbs_error::bad_formula);
}

}  // namespace

checked_text check_removed_limits(const attribute& what, std::string_view resource, std::string_view text,
                                  const resource_catalogue& resources) {
  if (has_resources(what) != !resource.empty()) return refuse(pbs_error::unknown_resource, full_name(what, resource));
  if (resource.empty()) return check_limits(nullptr, what.name, text, false);
  const auto* r = resources.find(resource);
  return r ? check_limits(r, full_name(what, resource), text, false)
           : refuse(pbs_error::unknown_resource, full_name(what, resource));
}

checked_text check_value(const attribute& what, std::string_view resource, std::string_view text,
                         const resource_catalogue& resources) {
  if (has_resources(what) != !resource.empty())
    return refuse(has_resources(what) ? pbs_error::unknown_resource : pbs_error::bad_value, full_name(what, resource));
  if (!resource.empty()) return check_resource(what, resource, text, resources);
  if (what.type == value_type::limits) return check_limits(nullptr, what.name, text);
  if (what.name == std::string_view("job_sort_formula")) return check_formula(text, resources);
  if (const special_value* special = special_value_of(what)) {
    if (auto value = special->canonical(text)) return std::move(*value);
    // Its own error names the bounds, and is for numbers only.
    if (special->error == pbs_error::bad_max_job_sequence_id && parse_integer(text).value_or(0) < 1) return refuse(pbs_error::bad_value);
    return special->name_in_text ? refuse(special->error, what.name) : refuse(special->error);
  }
  if (auto value = canonical(what.type, text)) return std::move(*value);
  if (what.type == value_type::node_state) return refuse(pbs_error::bad_node_value, what.name);
  return refuse(pbs_error::bad_value);
}

}  // namespace annals::attributes
