#include "events/attributes/select_rules.hpp"

#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/request_check.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::attributes {
namespace {

using namespace values;

// One request on its way to be complete.
struct draft {
  const request_defaults& defaults;
  const resource_catalogue& resources;
  schema::Role role;
  resource_list list;  // checked members
  select_spec select;  // canonical values

  const std::string* find(std::string_view name) const {
    const auto at = list.find(name);
    return at == list.end() ? nullptr : &at->second;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // A member that stands in chunks, when it is asked for the whole job.
  bool is_chunk_resource(std::string_view name) const {
    const resource* r = resources.find(name);
    return r && r->has(host_level) && r->where == asked_in::chunk;
  }
};

using maybe_refusal = std::optional<refusal>;

const std::string* default_of(std::string_view name, const request_defaults& defaults) {
  for (const resource_list* list : {&defaults.queue_default, &defaults.server_default})
    if (const auto at = list->find(name); at != list->end()) return &at->second;
  return nullptr;
}

// Form, existence and right of one member the user gave.
maybe_refusal take(draft& d, const std::string& name, const std::string& text) {
  auto value = check_member("Resource_List", name, text, d.resources);
  if (!value) return value.error();
  const resource& r = *d.resources.find(name);
  const bool closed = (r.flags & (invisible | read_only)) != 0 && d.role == schema::Role::USER;
  const bool for_managers =
      r.set_by == setter::manager && (d.role == schema::Role::USER || d.role == schema::Role::OPERATOR);
  const bool for_operators = r.set_by == setter::operator_ && d.role == schema::Role::USER;
  const bool for_daemons = r.set_by == setter::nobody && d.role < schema::Role::SERVER;
  if (closed || for_managers || for_operators || for_daemons)
    return refuse(pbs_error::read_only_attribute, "Resource_List." + name);
  d.list.insert_or_assign(name, std::move(*value));
  return std::nullopt;
}

// Members that may not stand beside select and place.
maybe_refusal check_company(const draft& d) {
  if (d.has("select") || d.has("place")) {
    for (const auto& [name, value] : d.list)
      if (d.is_chunk_resource(name)) return refuse_about(pbs_error::invalid_with_select, name);
    if (d.has("nodes")) return refuse_about(pbs_error::nodes_with_select, "nodes");
  }
  if (d.has("place") && !d.has("select")) return refuse(pbs_error::place_without_select);
  return std::nullopt;
}

maybe_refusal check_walltimes(const draft& d) {
  const std::string* min = d.find("min_walltime");
  const std::string* max = d.find("max_walltime");
  if (max && !min) return refuse(pbs_error::max_without_min_walltime);
  if (max && compare_values(value_type::duration, *min, *max).value_or(0) > 0)
    return refuse(pbs_error::min_above_max_walltime);
  if (min && d.has("soft_walltime")) return refuse(pbs_error::soft_walltime_shrink);
  return std::nullopt;
}

// Job-wide members nobody gave. With a select, what stands in chunks is the business of default_chunk.
void fill_defaults(draft& d, bool with_select) {
  for (const resource_list* defaults : {&d.defaults.queue_default, &d.defaults.server_default})
    for (const auto& [name, value] : *defaults)
      if (name != "select" && name != "place" && name != "nodes" && !(with_select && d.is_chunk_resource(name)))
        d.list.emplace(name, value);
  for (const resource_list* limits : {&d.defaults.queue_max, &d.defaults.server_max})
    for (const auto& [name, value] : *limits) {
      const resource* r = d.resources.find(name);
      if (r && r->where == asked_in::job_wide && !r->has(host_level)) d.list.emplace(name, value);
    }
}

// -- where the chunks come from ---------------------------------------------------------------------------------------

// Job-wide amounts beside nodes= are divided over the chunks, in kb rounded up; other members go into every chunk.
std::string share_of(const resource& r, const std::string& value, std::uint64_t chunks) {
  if (r.type == value_type::size) {
    const std::uint64_t kb = parse_size(value).value_or(size_value{}).to_kb();
    return std::to_string(kb / chunks + (kb % chunks != 0)) + "KB";
  }
  if (r.type == value_type::integer && (r.flags & (summed | consumable | first_host_only))) {
    const auto number = static_cast<std::uint64_t>(parse_integer(value).value_or(0));
    return std::to_string(number / chunks + (number % chunks != 0));
  }
  return value;
}

maybe_refusal select_from_nodes(draft& d) {
  auto converted = convert_nodes(*d.find("nodes"));
  if (!converted) {
    if (converted.error().why == nodes_error::unknown_property)
      return refuse_about(pbs_error::unknown_resource, converted.error().property);
    return refuse(pbs_error::bad_value, "Resource_List.nodes");
  }
  select_spec select = std::move(converted->select);
  const std::uint64_t chunks = select.chunk_count();
  for (const auto& [name, value] : d.list) {
    if (!d.is_chunk_resource(name)) continue;
    for (select_chunk& chunk : select.chunks)
      if (!chunk.find(name)) chunk.resources.push_back({name, share_of(*d.resources.find(name), value, chunks)});
  }
  d.list.insert_or_assign("select", print_with_counts(select));
  d.list.insert_or_assign("place", converted->place);
  auto checked = check_chunks(std::move(select), d.resources, d.role);
  if (!checked) return checked.error();
  d.select = std::move(*checked);
  return std::nullopt;
}

// One chunk of every chunk resource asked for the whole job; a job that asked for nothing at all gets one cpu.
void select_from_members(draft& d, bool nothing_asked) {
  select_chunk chunk;
  for (const auto& [name, value] : d.list)
    if (d.is_chunk_resource(name)) chunk.resources.push_back({name, value});
  if (nothing_asked && chunk.resources.empty()) {
    chunk.count_written = false;
    chunk.resources.push_back({"ncpus", "1"});
  }
  d.select.chunks = {chunk};
  d.list.insert_or_assign("select", print(d.select));
  d.list.insert_or_assign("place", "pack");
}

maybe_refusal select_from_text(draft& d, const std::string& text, schema::Role role) {
  auto select = check_select(text, d.resources, role);
  if (!select) return select.error();
  d.select = std::move(*select);
  d.list.insert_or_assign("select", text);
  if (!d.has("place")) {
    const std::string* place = default_of("place", d.defaults);
    d.list.insert_or_assign("place", place ? *place : "free");
  }
  return std::nullopt;
}

// -- what follows from the chunks
// --------------------------------------------------------------------------------------

// Fills default_chunk into every chunk, then the sums. A chunk that asks for nothing is refused.
maybe_refusal finish(draft& d) {
  for (select_chunk& chunk : d.select.chunks) {
    for (const resource_list* defaults : {&d.defaults.queue_chunk, &d.defaults.server_chunk})
      for (const auto& [name, value] : *defaults)
        if (name != "nchunk" && !chunk.find(name)) chunk.resources.push_back({name, value});
    if (chunk.resources.empty()) return refuse(pbs_error::invalid_in_select);
  }
  for (auto& [name, value] : sums_of(d.select, d.resources)) d.list.insert_or_assign(name, value);
  return std::nullopt;
}

completion completed(draft& d) {
  if (auto wrong = finish(d)) return std::move(*wrong);
  return completed_request{std::move(d.list), print_with_counts(d.select)};
}

}  // namespace

completion complete_request(const resource_list& asked, const request_defaults& defaults,
                            const resource_catalogue& resources, schema::Role role) {
  draft d{defaults, resources, role, {}, {}};
  for (const auto& [name, text] : asked)
    if (auto wrong = take(d, name, text)) return std::move(*wrong);
  if (auto wrong = check_company(d)) return std::move(*wrong);
  if (auto wrong = check_walltimes(d)) return std::move(*wrong);

  const std::string* default_select = default_of("select", defaults);
  const bool from_default = default_select && !d.has("select") && !d.has("nodes");
  fill_defaults(d, d.has("select") || d.has("nodes") || from_default);
  maybe_refusal wrong;
  if (d.has("nodes"))
    wrong = select_from_nodes(d);
  else if (from_default)
    wrong = select_from_text(d, *default_select, schema::Role::SERVER);
  else if (d.has("select"))
    wrong = select_from_text(d, std::string(*d.find("select")), role);
  else
    select_from_members(d, asked.empty());
  if (wrong) return std::move(*wrong);
  return completed(d);
}

// -- changes
// -----------------------------------------------------------------------------------------------------------

namespace {

// A job that was not given a select: one chunk of what it asked for as a whole, packed. select_from_members() made it.
bool is_old_style(const draft& d, const select_spec& select) {
  if (select.chunks.size() != 1 || select.chunks.front().count != 1) return false;
  const std::string* place = d.find("place");
  const auto& members = select.chunks.front().resources;
  return place && *place == "pack" && !d.has("nodes") &&
         std::is_sorted(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

// Takes away what the old select summed up, so that the new one starts clean.
void forget_sums(draft& d, const select_spec& old) {
  select_spec filled = old;
  for (select_chunk& chunk : filled.chunks)
    for (const resource_list* defaults : {&d.defaults.queue_chunk, &d.defaults.server_chunk})
      for (const auto& [name, value] : *defaults)
        if (!chunk.find(name)) chunk.resources.push_back({name, value});
  for (const auto& [name, value] : sums_of(filled, d.resources)) d.list.erase(name);
}

// Old-style members changed: the chunk is made of the old chunk's members and the new ones.
void rebuild_members(draft& d, const select_spec& old, const resource_list& changed, const resource_list& unset) {
  resource_list members;
  for (const named_value& v : old.chunks.front().resources) members.emplace(v.name, v.value);
  for (const auto& [name, value] : changed) members.insert_or_assign(name, value);
  for (const auto& [name, value] : unset) members.erase(name);
  for (const auto& [name, value] : members) d.list.insert_or_assign(name, value);
  select_chunk chunk;
  for (const auto& [name, value] : members) chunk.resources.push_back({name, value});
  d.select.chunks = {chunk};
  d.list.insert_or_assign("select", print(d.select));
}

}  // namespace

completion alter_request(const resource_list& current, const resource_list& changes, const request_defaults& defaults,
                         const resource_catalogue& resources, schema::Role role) {
  draft d{defaults, resources, role, {}, {}};
  resource_list chunk_members, chunk_unset;
  for (const auto& [name, text] : changes) {
    const bool unset = text.empty() && name != "select" && name != "place" && resources.find(name);
    if (!unset)
      if (auto wrong = take(d, name, text)) return std::move(*wrong);
    if (d.is_chunk_resource(name)) (unset ? chunk_unset : chunk_members).emplace(name, unset ? "" : d.list[name]);
  }
  const resource_list changed = std::move(d.list);
  d.list = current;
  for (const auto& [name, text] : changes) d.list.erase(name);
  for (const auto& [name, value] : changed) d.list.insert_or_assign(name, value);
  if (auto wrong = check_walltimes(d)) return std::move(*wrong);

  const auto old_text = current.find("select");
  auto old = check_select(old_text == current.end() ? "ncpus=1" : old_text->second, resources, schema::Role::SERVER);
  if (!old) return old.error();
  d.select = *old;
  const std::string* first = !chunk_members.empty() ? &chunk_members.begin()->first
                             : !chunk_unset.empty() ? &chunk_unset.begin()->first
                                                    : nullptr;
  if (first && (changed.contains("select") || changed.contains("place") || !is_old_style(d, *old)))
    return refuse_about(pbs_error::invalid_with_select, *first);
  if (changed.contains("select")) {
    forget_sums(d, *old);
    if (auto wrong = select_from_text(d, changed.at("select"), role)) return std::move(*wrong);
  } else if (first) {
    forget_sums(d, *old);
    rebuild_members(d, *old, chunk_members, chunk_unset);
  }
  return completed(d);
}

}  // namespace annals::attributes
