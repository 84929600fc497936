#include "events/model/vnodes/planned_release.hpp"

#include <algorithm>
#include <map>

#include "events/attributes/resources.hpp"
#include "events/model/limits.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

// What the server has added to each chunk that did not ask for it (default_chunk) stands in schedselect, not in select: a keep_select
// that was made of select gets it too.
values::select_spec completed(values::select_spec keep_select, const shown_request& shown) {
  const auto select = shown.resources.find("select");
  if (select == shown.resources.end() || shown.resources.contains("select_requested")) return keep_select;
  const auto asked = values::parse_select(select->second), given = values::parse_select(shown.schedselect);
  if (!asked || !given || asked->chunks.size() != given->chunks.size()) return keep_select;
  std::map<std::string, std::string> added;
  for (std::size_t i = 0; i < given->chunks.size(); ++i)
    for (const auto& r : given->chunks[i].resources)
      if (!asked->chunks[i].find(r.name)) added.emplace(r.name, r.value);
  for (auto& chunk : keep_select.chunks)
    for (const auto& [name, value] : added)
      if (!chunk.find(name)) chunk.resources.push_back({name, value});
  return keep_select;
}

planned_release planned(reduction reduced, const values::select_spec& select, const release_from& from,
                        const attributes::resource_catalogue& resources, const std::string& by) {
  planned_release out{change_of(reduced, from.shown, select, resources, by), std::move(reduced.left)};
  out.left.renumber(std::move(reduced.satisfies), out.change.keep_select);
  return out;
}

void add(const values::named_value& more, values::select_chunk& to) {
  const auto at = std::ranges::find(to.resources, more.name, &values::named_value::name);
  if (at == to.resources.end()) return to.resources.push_back(more);
  auto sum = read_amount(at->value);
  sum.value += read_amount(more.value).value;
  at->value = sum.print();
}

// Of which its chunks are: of what the server has given it, or of what a reduction has left.
std::optional<values::select_spec> select_answered(const allocation& has, const shown_request& shown) {
  auto asked = values::parse_select(has.select().empty() ? shown.schedselect : has.select());
  if (!asked) return std::nullopt;
  return std::move(*asked);
}

// Those of its chunks that its first host has. Nothing: what it has can't be read.
std::optional<values::select_spec> items_of_first_host(const release_from& from) {
  const auto asked = select_answered(from.has, from.shown);
  const auto slots = values::parse_exec_host(from.has.exec_host());
  if (!asked || !slots) return std::nullopt;
  const auto by_chunk = select_by_chunk(from.has, *asked);
  values::select_spec out;
  for (std::size_t i = 0; i < slots->size(); ++i)
    if ((*slots)[i].host == slots->front().host && !by_chunk.chunks[i].resources.empty()) out.chunks.push_back(by_chunk.chunks[i]);
  return out;
}

struct select_of_left {
  values::select_spec select;
  std::vector<std::uint32_t> satisfies;  // as allocation_change's
};

// The select of what is left: a chunk for each, with what its vnodes have, and what it asked besides (RD-13). None for chunks without
// resources, which place=exclhost adds.
std::optional<select_of_left> select_of(const allocation& left, const shown_request& shown) {
  const auto asked = select_answered(left, shown);
  const auto chunks = values::parse_exec_vnode(left.exec_vnode());
  if (!asked || !chunks) return std::nullopt;
  const auto by_chunk = select_by_chunk(left, *asked);
  select_of_left out;
  for (std::size_t i = 0; i < chunks->chunks.size(); ++i) {
    const auto& parts = chunks->chunks[i].parts;
    const bool bare = std::ranges::all_of(parts, [](const auto& part) { return part.resources.empty(); });
    out.satisfies.push_back(bare ? allocation::no_chunk : static_cast<std::uint32_t>(out.select.chunks.size()));
    if (bare) continue;
    auto& chunk = out.select.chunks.emplace_back();
    for (const auto& part : parts)
      for (const auto& r : part.resources) add(r, chunk);
    for (const auto& r : by_chunk.chunks[i].resources)
      if (!chunk.find(r.name)) chunk.resources.push_back(r);
  }
  return out;
}

}  // namespace

values::result<planned_release, not_reduced> kept_by(const values::select_spec& keep_select, const release_from& from,
                                                     const attributes::resource_catalogue& resources, const std::string& by) {
  const auto select = completed(keep_select, from.shown);
  auto reduced = reduce(from.has, select, from.failed, resources);
  if (!reduced) return reduced.error();
  return planned(std::move(*reduced), select, from, resources, by);
}

values::result<planned_release, not_reduced> kept_beside_first_host(const values::select_spec& keep_select, const release_from& from,
                                                                    const attributes::resource_catalogue& resources,
                                                                    const std::string& by) {
  const auto refused = [&](const values::select_spec& select) {
    return not_reduced{values::print(select), values::print(select), from.has.exec_vnode(), false, {}};
  };
  auto all = items_of_first_host(from);
  if (!all) return refused(keep_select);
  all->chunks.insert(all->chunks.end(), keep_select.chunks.begin(), keep_select.chunks.end());
  if (values::print(*all).size() > limits::keep_select_bytes_max) return refused(keep_select);
  auto plan = kept_by(*all, from, resources, by);
  const auto first = from.has.on_host(from.has.hosts().front());
  // Another host's chunk may do for one of the first host, but that one would have to go.
  if (plan && plan->left.on_host(from.has.hosts().front()) != first) return refused(*all);
  return plan;
}

std::optional<planned_release> without(const std::vector<std::string>& vnodes, const release_from& from,
                                       const attributes::resource_catalogue& resources, const std::string& by) {
  auto dropped = drop(from.has, vnodes);
  if (!dropped) return std::nullopt;
  auto of_left = select_of(dropped->left, from.shown);
  if (!of_left || values::print(of_left->select).size() > limits::keep_select_bytes_max) return std::nullopt;
  reduction reduced;
  reduced.released = std::move(dropped->released);
  reduced.left = std::move(dropped->left);
  reduced.satisfies = std::move(of_left->satisfies);
  return planned(std::move(reduced), of_left->select, from, resources, by);
}

}  // namespace annals::model
