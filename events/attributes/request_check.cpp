#include "events/attributes/request_check.hpp"

#include <algorithm>

#include "events/attributes/canonical.hpp"
#include "events/values/place.hpp"

namespace annals::attributes {
namespace {

using namespace values;

refusal why_not(const select_failure& failure, std::string_view member) {
  switch (failure.why) {
    case select_error::zero_count:
      return refuse(pbs_error::bad_value);
    case select_error::duplicate_resource:
      return refuse_about(pbs_error::duplicate_resource, failure.resource);
    case select_error::malformed:
      break;
  }
  return refuse(pbs_error::bad_value, "Resource_List." + std::string(member));
}

bool is_closed_to(const resource& r, schema::Role role) {
  return (r.flags & (invisible | read_only)) != 0 && role == schema::Role::USER;
}

// A size that was given with its unit keeps its letters in schedselect (1GB stays 1GB, while 1g becomes 1gb).
bool keeps_spelling(const resource& r, std::string_view text) {
  return r.type == value_type::size && std::string_view("bBwW").find(text.back()) != std::string_view::npos;
}

std::optional<refusal> check_chunk_value(named_value& v, const resource_catalogue& resources, schema::Role role,
                                         std::string_view member) {
  const resource* r = resources.find(v.name);
  if (!r) return refuse_about(pbs_error::unknown_resource, v.name);
  if (!r->has(host_level) || r->where != asked_in::chunk || is_closed_to(*r, role))
    return refuse_about(pbs_error::invalid_in_select, v.name);
  auto value = canonical(*r, v.value);
  if (!value) return refuse(pbs_error::bad_value, std::string(member) + '.' + v.name);
  if (!keeps_spelling(*r, v.value)) v.value = std::move(*value);
  return std::nullopt;
}

std::optional<refusal> check_group(const place_spec& place, const std::string& full,
                                   const resource_catalogue& resources) {
  if (place.group.empty()) return std::nullopt;
  const resource* r = resources.find(place.group);
  if (!r) return refuse(pbs_error::unknown_resource, full);
  if (r->type != value_type::string && r->type != value_type::string_array)
    return refuse(pbs_error::resource_not_string, full);
  return std::nullopt;
}

}  // namespace

checked_select check_chunks(select_spec select, const resource_catalogue& resources, schema::Role role, std::string_view member) {
  for (select_chunk& chunk : select.chunks)
    for (named_value& v : chunk.resources)
      if (auto wrong = check_chunk_value(v, resources, role, member)) return std::move(*wrong);
  return select;
}

checked_select check_select(std::string_view text, const resource_catalogue& resources, schema::Role role, std::string_view member) {
  auto select = parse_select(text);
  if (!select) return why_not(select.error(), member);
  return check_chunks(std::move(*select), resources, role, member);
}

bool has_good_values(const select_spec& select, const resource_catalogue& resources) {
  const auto is_good = [&](const named_value& v) {
    const resource* r = resources.find(v.name);
    return !r || canonical(*r, v.value);
  };
  return std::ranges::all_of(select.chunks, [&](const select_chunk& chunk) { return std::ranges::all_of(chunk.resources, is_good); });
}

checked_text check_member(std::string_view list_name, std::string_view name, std::string_view text,
                          const resource_catalogue& resources) {
  const auto full = [&] { return std::string(list_name) + '.' + std::string(name); };
  if (text.empty()) return refuse(pbs_error::bad_value, full());
  const resource* r = resources.find(name);
  if (!r) return refuse(is_resource_name(name) ? pbs_error::unknown_resource : pbs_error::bad_value, full());
  if (r->builtin && is_select(name)) {
    auto select = check_select(text, resources, schema::Role::SERVER, name);
    if (!select) return select.error();
  } else if (r->builtin && name == "place") {
    const auto place = parse_place(text);
    if (!place) return refuse(pbs_error::bad_value, full());
    if (auto wrong = check_group(*place, full(), resources)) return std::move(*wrong);
  }
  auto value = canonical(*r, text);
  if (!value) return refuse(pbs_error::bad_value, full());
  return std::move(*value);
}

}  // namespace annals::attributes
