#include "tools/audit/resource_types.hpp"

#include <algorithm>
#include <cmath>

#include "events/schema/event.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::audit {

using attributes::value_type;

std::optional<double> number_of(const quantity& q) {
  struct visitor {
    std::optional<double> operator()(std::int64_t whole) const { return static_cast<double>(whole); }
    std::optional<double> operator()(double real) const { return real; }
    std::optional<double> operator()(const std::string&) const { return std::nullopt; }
  };
  return std::visit(visitor{}, q);
}

std::string plain_text(const quantity& q) {
  struct visitor {
    std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
    std::string operator()(double real) const { return values::print_real(real); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(visitor{}, q);
}

void resource_types::fold(const log::record& record) {
  const auto event = record.event();
  const bool created = schema::is(event, schema::ServerEvent::RESOURCE_CREATED);
  if (!created && !schema::is(event, schema::ServerEvent::RESOURCE_CHANGED)) return;
  const auto r = created ? event.getServer().getResourceCreated() : event.getServer().getResourceChanged();
  if (const auto type = attributes::resource_type_of(schema::text(r.getType()))) custom_[schema::str(r.getName())] = *type;
}

std::optional<value_type> resource_types::find(std::string_view resource) const {
  for (const auto& r : attributes::builtin_resources())
    if (r.name == resource) return r.type;
  const auto at = custom_.find(resource);
  return at == custom_.end() ? std::nullopt : std::optional(at->second);
}

quantity resource_types::quantity_of(std::string_view resource, std::string_view value) const {
  switch (find(resource).value_or(value_type::string)) {
    case value_type::integer:
      if (const auto n = values::parse_integer(value)) return *n;
      break;
    case value_type::real:
      if (const auto n = values::parse_real(value)) return *n;
      break;
    case value_type::duration:
      if (const auto n = values::parse_duration(value)) return *n;
      break;
    case value_type::size:
      if (const auto n = values::parse_size(value)) return static_cast<std::int64_t>(std::min<std::uint64_t>(n->to_kb(), INT64_MAX));
      break;
    default: break;
  }
  return std::string(value);
}

std::string resource_types::text_of(std::string_view resource, double number) const {
  const auto type = find(resource).value_or(value_type::string);
  if (type == value_type::duration) return values::print_duration(std::llround(number));
  return values::print_real(number) + (type == value_type::size ? "kb" : "");
}

}  // namespace annals::audit
