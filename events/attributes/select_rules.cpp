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

constexpr const char* reliable_startup = "select_reliable_startup";
constexpr const char* rjselect = "rjselect";
constexpr const char* requested = "select_requested";

const std::string* find_in(const resource_list& list, std::string_view name) {
  const auto at = list.find(name);
  return at == list.end() ? nullptr : &at->second;
}

// One request on its way to be complete.
struct draft {
  const request_defaults& defaults;
  const resource_catalogue& resources;
  const asker& by;
  resource_list list;  // checked members
  select_spec select;  // canonical values

  const std::string* find(std::string_view name) const { return find_in(list, name); }
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
    if (const auto* value = find_in(*list, name)) return value;
  return nullptr;
}

// Form, existence and right of one member the user gave.
maybe_refusal take(draft& d, const std::string& name, const std::string& text) {
  auto value = check_member("Resource_List", name, text, d.resources);
  if (!value) return value.error();
  const resource& r = *d.resources.find(name);
  if (auto wrong = may_ask_for(r, d.by.role_for(name), "Resource_List." + name)) return wrong;
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

// Job-wide members nobody gave. With a select, what stands in chunks is the business of default_chunk.
void fill_defaults(draft& d, bool with_select) {
  for (const resource_list* defaults : {&d.defaults.queue_default, &d.defaults.server_default})
    for (const auto& [name, value] : *defaults)
      if (name != "select" && name != "place" && name != "nodes" && !(with_select && d.is_chunk_resource(name)))
        d.list.emplace(name, value);
  for (const resource_list* limits : {&d.defaults.queue_max, &d.defaults.server_max})
    for (const auto& [name, value] : *limits) {
      const resource* r = d.resources.find(name);
      const bool of_job = r && r->where == asked_in::job_wide && !r->has(host_level);
      if (of_job || (r && !with_select && d.is_chunk_resource(name))) d.list.emplace(name, value);
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
  auto converted = convert_nodes(*d.find("nodes"), [&](std::string_view word) {
    const resource* r = d.resources.find(word);
    return r && r->type == value_type::boolean && r->has(host_level);
  });
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
  auto checked = check_chunks(std::move(select), d.resources, d.by.role_for("nodes"));
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

// Takes away what a select summed up, so that another one starts clean.
void forget_sums(draft& d, const select_spec& old) {
  select_spec filled = old;
  for (select_chunk& chunk : filled.chunks)
    for (const resource_list* defaults : {&d.defaults.queue_chunk, &d.defaults.server_chunk})
      for (const auto& [name, value] : *defaults)
        if (!chunk.find(name)) chunk.resources.push_back({name, value});
  for (const auto& [name, value] : sums_of(filled, d.resources)) d.list.erase(name);
}

// The chunks of this request that have spare ones among them; nullptr: it has none (RS-36).
const std::string* chunks_with_spares(const resource_list& list) {
  const auto* chunks = find_in(list, reliable_startup);
  return chunks ? chunks : find_in(list, rjselect);
}

// The job is given chunks with spare ones. What it asked for is kept, for the time when it gives the spare ones back.
maybe_refusal add_spares(draft& d, const std::string& chunks) {
  d.list.insert_or_assign(requested, print_with_counts(d.select));
  forget_sums(d, d.select);
  auto select = check_select(chunks, d.resources, schema::Role::SERVER);
  if (!select) return select.error();
  d.select = std::move(*select);
  if (d.has(reliable_startup)) d.list.insert_or_assign("select", print_with_counts(d.select));
  return finish(d);
}

// A job has one environment at most.
bool asks_several_aoes(const select_spec& select) {
  const std::string* first = nullptr;
  for (const auto& chunk : select.chunks)
    for (const auto& r : chunk.resources) {
      if (r.name != "aoe") continue;
      if (first && *first != r.value) return true;
      first = &r.value;
    }
  return false;
}

completion completed(draft& d) {
  if (auto wrong = finish(d)) return std::move(*wrong);
  if (asks_several_aoes(d.select)) return refuse(pbs_error::bad_aoe_chunk);
  if (const auto* chunks = chunks_with_spares(d.list))
    if (auto wrong = add_spares(d, *chunks)) return std::move(*wrong);
  return completed_request{std::move(d.list), print_with_counts(d.select)};
}

}  // namespace

schema::Role asker::role_for(std::string_view member) const { return role_to_set("Resource_List", member); }

// Looks without making the full name: this is asked for each attribute of each submission.
schema::Role asker::role_to_set(std::string_view attribute, std::string_view resource) const {
  const auto names_it = [&](std::string_view full) {
    if (!full.starts_with(attribute)) return false;
    const auto rest = full.substr(attribute.size());
    return resource.empty() ? rest.empty() : rest.starts_with('.') && rest.substr(1) == resource;
  };
  return role < schema::Role::MANAGER && std::ranges::any_of(by_hooks, names_it) ? schema::Role::MANAGER : role;
}

std::optional<refusal> walltimes_refusal(const resource_list& list) {
  const std::string* min = find_in(list, "min_walltime");
  const std::string* max = find_in(list, "max_walltime");
  if (max && !min) return refuse(pbs_error::max_without_min_walltime);
  if (max && compare_values(value_type::duration, *min, *max).value_or(0) > 0) return refuse(pbs_error::min_above_max_walltime);
  if (min && find_in(list, "soft_walltime")) return refuse(pbs_error::soft_walltime_shrink);
  return std::nullopt;
}

completion complete_request(const resource_list& asked, const request_defaults& defaults,
                            const resource_catalogue& resources, const asker& by) {
  draft d{defaults, resources, by, {}, {}};
  for (const auto& [name, text] : asked)
    if (auto wrong = take(d, name, text)) return std::move(*wrong);
  if (auto wrong = check_company(d)) return std::move(*wrong);
  if (auto wrong = walltimes_refusal(d.list)) return std::move(*wrong);

  const std::string* default_select = default_of("select", defaults);
  const bool from_default = default_select && !d.has("select") && !d.has("nodes");
  fill_defaults(d, d.has("select") || d.has("nodes") || from_default);
  maybe_refusal wrong;
  if (d.has("nodes"))
    wrong = select_from_nodes(d);
  else if (from_default)
    wrong = select_from_text(d, *default_select, schema::Role::SERVER);
  else if (d.has("select"))
    wrong = select_from_text(d, std::string(*d.find("select")), by.role_for("select"));
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

// The request as it was before it was given spare chunks, but for its sums.
resource_list without_spares(resource_list list) {
  const auto* asked = find_in(list, requested);
  if (asked && list.contains(reliable_startup)) list["select"] = *asked;
  list.erase(requested);
  return list;
}

// A member of the whole job that is taken away: the job has the default, as one that was submitted without it.
void give_default(draft& d, const std::string& name) {
  if (const std::string* value = default_of(name, d.defaults)) d.list.emplace(name, *value);
  const resource* r = d.resources.find(name);
  if (!r || r->where != asked_in::job_wide || r->has(host_level)) return;
  for (const resource_list* limits : {&d.defaults.queue_max, &d.defaults.server_max})
    if (const std::string* most = find_in(*limits, name)) d.list.emplace(name, *most);
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
                         const resource_catalogue& resources, const asker& by) {
  draft d{defaults, resources, by, {}, {}};
  resource_list chunk_members, chunk_unset;
  for (const auto& [name, text] : changes) {
    const bool unset = text.empty() && name != "select" && name != "place" && resources.find(name);
    if (!unset)
      if (auto wrong = take(d, name, text)) return std::move(*wrong);
    if (d.is_chunk_resource(name)) (unset ? chunk_unset : chunk_members).emplace(name, unset ? "" : d.list[name]);
  }
  const resource_list changed = std::move(d.list);
  d.list = without_spares(current);
  const std::string old_text = d.has("select") ? *d.find("select") : "ncpus=1";
  for (const auto& [name, text] : changes) d.list.erase(name);
  for (const auto& [name, value] : changed) d.list.insert_or_assign(name, value);
  if (auto wrong = walltimes_refusal(d.list)) return std::move(*wrong);
  for (const auto& [name, text] : changes)
    if (text.empty() && !changed.contains(name) && !d.is_chunk_resource(name)) give_default(d, name);

  auto old = check_select(old_text, resources, schema::Role::SERVER);
  if (!old) return old.error();
  const auto* spares = chunks_with_spares(current);
  auto given = spares ? check_select(*spares, resources, schema::Role::SERVER) : old;
  if (!given) return given.error();
  d.select = *old;
  const std::string* first = !chunk_members.empty() ? &chunk_members.begin()->first
                             : !chunk_unset.empty() ? &chunk_unset.begin()->first
                                                    : nullptr;
  if (first && (changed.contains("select") || changed.contains("place") || !is_old_style(d, *old)))
    return refuse_about(pbs_error::invalid_with_select, *first);
  forget_sums(d, *given);
  if (changed.contains("select")) {
    if (auto wrong = select_from_text(d, changed.at("select"), by.role_for("select"))) return std::move(*wrong);
  } else if (first) {
    rebuild_members(d, *old, chunk_members, chunk_unset);
  }
  return completed(d);
}

bool asks_aoe(std::string_view schedselect) {
  const auto select = values::parse_select(schedselect);
  return select && std::ranges::any_of(select->chunks, [](const auto& chunk) {
           return std::ranges::any_of(chunk.resources, [](const auto& r) { return r.name == "aoe"; });
         });
}

}  // namespace annals::attributes
