#include "projections/exports/resource_dimension.hpp"

#include <algorithm>
#include <limits>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::exports {

using attributes::value_type;

namespace {

const char* unit_of(value_type type) { return type == value_type::size ? "bytes" : type == value_type::duration ? "s"
                                                                                                                : ""; }

std::int64_t bytes_of(const values::size_value& size) {
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const unsigned shift = size.shift + (size.words ? 3u : 0u);
  return static_cast<std::int64_t>(size.number > highest >> shift ? highest : size.number << shift);
}

template <class T>
value or_null(const std::optional<T>& number) {
  return number ? value(static_cast<std::int64_t>(*number)) : value();
}

row row_of(const std::string& name, const std::string& type, value_type read_as, const std::string& flags, std::uint64_t defined,
           std::int64_t defined_ns, std::int64_t deleted_ns, std::uint64_t sequence, std::int64_t at_ns, std::string_view meaning) {
  row_builder r(table_id::resources, at_ns);
  r.text("resource", name).count("defined_sequence", defined).text("type", type).text("unit", unit_of(read_as)).text("flags", flags);
  r.boolean("builtin", defined == 0).at_unless_0("defined_at", defined_ns).at_unless_0("deleted_at", deleted_ns);
  return r.text_unless_empty("meaning", meaning).count("sequence", sequence).done(true);
}

}  // namespace

value integer_of(value_type type, std::string_view text) {
  switch (type) {
    case value_type::integer: return or_null(values::parse_integer(text));
    case value_type::duration: return or_null(values::parse_duration(text));
    case value_type::boolean: return or_null(values::parse_boolean(text));
    case value_type::size:
      if (const auto size = values::parse_size(text)) return bytes_of(*size);
      return {};
    default: return {};
  }
}

void resource_dimension::begin(std::int64_t at_ns, const row_taker& take) const {
  for (const auto& r : attributes::builtin_resources())
    take(row_of(r.name, attributes::resource_type_name(r.type), r.type, attributes::resource_flags_text(r.flags), 0, 0, 0, 0, at_ns,
                r.meaning));
}

void resource_dimension::close(const std::string& name, definition& d, const log::record& by, const row_taker& take) {
  if (d.deleted_ns != 0) return;
  d.deleted_ns = by.get().getWallNs();
  take(row_of(name, d.type, d.read_as, d.flags, d.sequence, d.at_ns, d.deleted_ns, by.sequence(), d.deleted_ns, {}));
}

void resource_dimension::fold(const log::record& record, const row_taker& take) {
  if (!record.event().isServer()) return;
  const auto event = record.event().getServer();
  if (event.isResourceDeleted()) {
    const auto at = custom_.find(schema::text(event.getResourceDeleted().getName()));
    if (at != custom_.end()) close(at->first, at->second, record, take);
    return;
  }
  if (!event.isResourceCreated() && !event.isResourceChanged()) return;
  const auto told = event.isResourceCreated() ? event.getResourceCreated() : event.getResourceChanged();
  const auto name = schema::str(told.getName());
  if (const auto at = custom_.find(name); at != custom_.end()) close(name, at->second, record, take);
  const auto type = attributes::resource_type_of(schema::text(told.getType()));
  const auto at_ns = record.get().getWallNs();
  auto& d = custom_[name];
  d = {schema::str(told.getType()), schema::str(told.getFlags()), type.value_or(value_type::string), record.sequence(), at_ns, 0};
  take(row_of(name, d.type, d.read_as, d.flags, d.sequence, at_ns, 0, record.sequence(), at_ns, {}));
}

value_type resource_dimension::type_of(std::string_view resource) const {
  const auto builtin = attributes::builtin_resources();
  const auto known = std::find_if(builtin.begin(), builtin.end(), [&](const auto& r) { return r.name == resource; });
  if (known != builtin.end()) return known->type;
  const auto at = custom_.find(resource);
  return at == custom_.end() ? value_type::string : at->second.read_as;
}

typed_value resource_dimension::read(std::string_view resource, std::string_view text) const {
  const auto type = type_of(resource);
  typed_value read{attributes::resource_type_name(type), integer_of(type, text), {}};
  if (type == value_type::real)
    if (const auto number = values::parse_real(text)) read.real = *number;
  return read;
}

}  // namespace annals::exports
