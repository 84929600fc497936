#include "events/attributes/resources.hpp"

#include <algorithm>

#include "events/values/resource_list.hpp"

namespace annals::attributes {
namespace {

// In the order of printing (pbs guide, "custom resources").
constexpr struct {
  char letter;
  resource_flag flag;
} letters[] = {
    {'h', host_level},
    {'q', summed},
    {'n', consumable},
    {'f', first_host_only},
    {'i', invisible},
    {'r', read_only},
    {'m', sent_to_mom},
};

constexpr struct {
  const char* name;
  value_type type;
} types[] = {
    {"boolean", value_type::boolean},
    {"long", value_type::integer},
    {"float", value_type::real},
    {"size", value_type::size},
    {"string", value_type::string},
    {"string_array", value_type::string_array},
    {"duration", value_type::duration},
};

bool is_text_or_boolean(value_type type) {
  return type == value_type::string || type == value_type::string_array || type == value_type::boolean;
}

refusal erroneous(std::string text) { return {values::pbs_error::bad_value, std::move(text)}; }

// What a custom resource of this type and these flags is refused for.
std::optional<refusal> conflict(const resource& r) {
  const std::string name = '"' + r.name + '"';
  if (r.has(consumable) && r.has(first_host_only))
    return erroneous("Erroneous to have flag 'n' and 'f' on resource " + name + ".");
  if (r.has(consumable) && !r.has(host_level))
    return erroneous("Erroneous to have flag 'n' without 'h' on resource " + name + ".");
  if (r.has(first_host_only) && !r.has(host_level))
    return erroneous("Erroneous to have flag 'f' without 'h' on resource " + name + ".");
  if (is_text_or_boolean(r.type) && (r.flags & (consumable | first_host_only | summed)))
    return erroneous("Erroneous to have flag 'n', 'f', or 'q' on resource " + name +
                     " which is type string, string_array, or boolean.");
  if (r.has(invisible) && r.has(read_only))
    return erroneous("Erroneous to have flag 'i' and 'r' on resource " + name + ".");
  return std::nullopt;
}

// Type and flags from their texts; a duration is no type a site may use.
std::optional<refusal> read(resource& r, std::optional<std::string_view> type, std::optional<std::string_view> flags) {
  if (type) {
    const auto t = resource_type_of(*type);
    if (!t || *t == value_type::duration) return values::refuse(values::pbs_error::bad_value);
    r.type = *t;
  }
  if (flags) {
    const auto f = resource_flags_of(*flags);
    if (!f) return values::refuse(values::pbs_error::bad_value);
    r.flags = *f;
  }
  r.where = r.has(host_level) ? asked_in::chunk : asked_in::job_wide;
  return std::nullopt;
}

}  // namespace

std::optional<value_type> resource_type_of(std::string_view name) {
  for (const auto& t : types)
    if (t.name == name) return t.type;
  return std::nullopt;
}

const char* resource_type_name(value_type type) {
  for (const auto& t : types)
    if (t.type == type) return t.name;
  return "string";
}

std::optional<std::uint16_t> resource_flags_of(std::string_view text) {
  std::uint16_t flags = 0;
  for (const char c : text) {
    if (c == ',' || c == ' ') continue;
    const auto* at = std::find_if(std::begin(letters), std::end(letters), [&](const auto& l) { return l.letter == c; });
    if (at == std::end(letters)) return std::nullopt;
    flags = static_cast<std::uint16_t>(flags | at->flag);
  }
  return flags;
}

std::string resource_flags_text(std::uint16_t flags) {
  std::string out;
  for (const auto& l : letters)
    if (flags & l.flag) out += l.letter;
  return out;
}

std::optional<refusal> disagreement(std::string_view name, std::string_view type, std::string_view flags) {
  resource r;
  r.name = name;
  if (auto wrong = read(r, type, flags)) return wrong;
  return conflict(r);
}

const resource* resource_catalogue::find(std::string_view name) const {
  if (const auto at = custom_.find(name); at != custom_.end()) return &at->second;
  const auto builtin = builtin_resources();
  const auto at = std::find_if(builtin.begin(), builtin.end(), [&](const resource& r) { return r.name == name; });
  return at == builtin.end() ? nullptr : &*at;
}

std::optional<refusal> resource_catalogue::create(std::string_view name, std::string_view type,
                                                  std::string_view flags) {
  // The length is that of one byte of a packed entry of a set.
  if (!values::is_resource_name(name) || name.size() > 255) return values::refuse(values::pbs_error::bad_value);
  if (find(name)) return values::refuse(values::pbs_error::duplicate_in_list);
  resource made;
  made.name = name;
  if (auto wrong = read(made, type.empty() ? std::nullopt : std::optional(type), flags)) return wrong;
  if (auto wrong = conflict(made)) return wrong;
  custom_.emplace(made.name, std::move(made));
  return std::nullopt;
}

std::optional<refusal> resource_catalogue::change(std::string_view name, std::optional<std::string_view> type,
                                                  std::optional<std::string_view> flags) {
  const auto at = custom_.find(name);
  if (at == custom_.end())
    return values::refuse(find(name) ? values::pbs_error::invalid_request : values::pbs_error::unknown_resource);
  resource changed = at->second;
  if (auto wrong = read(changed, type, flags)) return wrong;
  at->second = std::move(changed);
  return std::nullopt;
}

std::optional<refusal> resource_catalogue::remove(std::string_view name) {
  const auto at = custom_.find(name);
  if (at == custom_.end())
    return values::refuse(find(name) ? values::pbs_error::invalid_request : values::pbs_error::unknown_resource);
  custom_.erase(at);
  return std::nullopt;
}

}  // namespace annals::attributes
