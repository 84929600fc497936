#include "events/attributes/canonical.hpp"

#include <algorithm>

#include "events/values/duration.hpp"
#include "events/values/hold_set.hpp"
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

std::string sorted_list(std::string_view text) {
  auto elements = split_trimmed(text);
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return join_list(elements);
}

bool is_negative(std::string_view number) { return !number.empty() && number.front() == '-'; }

}  // namespace

std::optional<std::string> canonical(value_type type, std::string_view text) {
  switch (type) {
    case value_type::boolean:
      if (const auto v = parse_boolean(text)) return print_boolean(*v);
      return std::nullopt;
    case value_type::integer:
    case value_type::date:
      if (const auto v = parse_integer(text)) return std::to_string(*v);
      return std::nullopt;
    case value_type::real:
      if (const auto v = parse_real(text)) return print_real(*v);
      return std::nullopt;
    case value_type::size:
      if (const auto v = parse_size(text)) return print_size(*v);
      return std::nullopt;
    case value_type::duration:
      if (const auto v = parse_duration(text)) return print_duration(*v);
      return std::nullopt;
    case value_type::hold_set:
      if (const auto v = parse_hold_set(text)) return print(*v);
      return std::nullopt;
    case value_type::node_state:
      if (const auto v = parse_settable_node_state(text)) return print_node_state(*v);
      return std::nullopt;
    case value_type::limits:
      if (const auto v = parse_limits(text)) return print(*v);
      return std::nullopt;
    case value_type::acl:
      return sorted_list(text);
    case value_type::string_array:
      return join_list(split_trimmed(text));
    case value_type::character:
      if (text.size() == 1) return std::string(text);
      return std::nullopt;
    case value_type::string:
    case value_type::resource_list:
      return std::string(text);
  }
  return std::nullopt;
}

std::optional<std::string> canonical(const resource& what, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (what.builtin && is_select(what.name) && !parse_select(text)) return std::nullopt;
  if (what.builtin && what.name == "place" && !parse_place(text)) return std::nullopt;
  auto value = canonical(what.type, text);
  // An amount is never below zero; nice is the one builtin number that may be.
  const bool amount = what.builtin ? what.name != "nice" : (what.flags & (summed | consumable | first_host_only)) != 0;
  if (value && amount && what.is_numeric() && is_negative(*value)) return std::nullopt;
  return value;
}

bool is_select(std::string_view resource) {
  return resource == "select" || resource == "select_reliable_startup" || resource == "rjselect" ||
         resource == "select_requested";
}

}  // namespace annals::attributes
