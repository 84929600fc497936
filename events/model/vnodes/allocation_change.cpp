#include "events/model/vnodes/allocation_change.hpp"

#include <algorithm>
#include <iterator>

#include "events/attributes/select_rules.hpp"
#include "events/model/vnodes/reduce.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

bool has_rjselect(const values::resource_list& resources) {
  return resources.contains("rjselect") && !resources.contains("select_reliable_startup");
}

namespace {

void forget_sums(const std::string& select, values::resource_list& of) {
  if (const auto asked = values::parse_select(select))
    for (const auto& chunk : asked->chunks)
      for (const auto& r : chunk.resources) of.erase(r.name);
}

}  // namespace

std::vector<shown_value> shown_after(const shown_request& before, const values::select_spec& now,
                                     const attributes::resource_catalogue& resources) {
  const auto schedselect = values::print_with_counts(now);
  auto list = before.resources;
  const auto select = list.find("select");
  const auto asked = select == list.end() ? std::string() : select->second;
  forget_sums(asked, list);
  forget_sums(before.schedselect, list);  // it has what the server added to select, too
  for (const auto& [name, value] : attributes::sums_of(now, resources)) list.insert_or_assign(name, value);
  if (!has_rjselect(before.resources)) list.insert_or_assign("select", schedselect);
  std::vector<shown_value> changes;
  for (const auto& [name, value] : before.resources)
    if (!list.contains(name)) changes.push_back({"Resource_List", name, std::nullopt});
  for (const auto& [name, value] : list)
    if (const auto old = before.resources.find(name); old == before.resources.end() || old->second != value)
      changes.push_back({"Resource_List", name, value});
  if (before.schedselect != schedselect) changes.push_back({"schedselect", {}, schedselect});
  return changes;
}

allocation_change change_of(const reduction& reduced, std::vector<std::uint32_t> answers, const shown_request& before,
                            const values::select_spec& now, const attributes::resource_catalogue& resources, std::string by) {
  return {reduced.released, reduced.left.exec_vnode(),
          reduced.left.exec_host(), std::move(answers),
          values::print(now), shown_after(before, now, resources),
          std::move(by)};
}

std::vector<std::size_t> items_by_chunk(const allocation& has, const values::select_spec& select) {
  std::vector<std::uint64_t> ends;  // the number of the chunk behind each item's last
  for (const auto& item : select.chunks) ends.push_back((ends.empty() ? 0 : ends.back()) + item.count);
  std::vector<std::size_t> items(has.chunks());
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), has.chunk_of_select(i)) - ends.begin());
  return items;
}

values::select_spec select_by_chunk(const allocation& has, const values::select_spec& select) {
  values::select_spec out;
  for (const auto item : items_by_chunk(has, select)) {
    auto& chunk = out.chunks.emplace_back();
    if (item == select.chunks.size()) chunk.resources = {{"ncpus", "0"}};
    else chunk.resources = select.chunks[item].resources;
  }
  return out;
}

namespace {

template <class Builder>
void write_common(const allocation_change& change, Builder& to) {
  to.setReleased(change.released);
  to.setExecVnode(change.exec_vnode);
  to.setExecHost(change.exec_host);
  auto satisfies = to.initSatisfies(static_cast<unsigned>(change.satisfies.size()));
  for (unsigned i = 0; i < change.satisfies.size(); ++i) satisfies.set(i, change.satisfies[i]);
  to.setKeepSelect(change.keep_select);
  write_changes(change.changes, to.initChanges(static_cast<unsigned>(change.changes.size())));
}

template <class Reader>
allocation_change read_common(Reader change) {
  allocation_change out;
  out.released = schema::str(change.getReleased());
  out.exec_vnode = schema::str(change.getExecVnode());
  out.exec_host = schema::str(change.getExecHost());
  out.keep_select = schema::str(change.getKeepSelect());
  for (const auto n : change.getSatisfies()) out.satisfies.push_back(n);
  for (const auto c : change.getChanges()) out.changes.push_back(read_change(c));
  return out;
}

void write_change(const shown_value& change, schema::Attribute::Builder to) {
  to.setName(change.name);
  to.setResource(change.resource);
  if (change.value) to.setValue(*change.value);
  else to.setOp(schema::AttributeOp::UNSET);
}

}  // namespace

void write(const allocation_change& change, schema::AllocationReduced::Builder to) {
  write_common(change, to);
  to.setBy(change.by);
}
void write(const allocation_change& change, schema::JobReduced::Builder to) { write_common(change, to); }

allocation_change read_reduction(schema::AllocationReduced::Reader change) {
  auto out = read_common(change);
  out.by = schema::str(change.getBy());
  return out;
}
allocation_change read_reduction(schema::JobReduced::Reader change) { return read_common(change); }

void write_changes(const std::vector<shown_value>& changes, capnp::List<schema::Attribute>::Builder to) {
  for (unsigned i = 0; i < changes.size(); ++i) write_change(changes[i], to[i]);
}

shown_value read_change(schema::Attribute::Reader change) {
  shown_value out{schema::str(change.getName()), schema::str(change.getResource()), {}};
  if (change.getOp() != schema::AttributeOp::UNSET) out.value = schema::str(change.getValue());
  return out;
}

void write_changed(capnp::List<schema::Attribute>::Reader before, const std::vector<shown_value>& changes, schema::StartRun::Builder to) {
  std::vector<schema::Attribute::Reader> same;
  std::vector<shown_value> now;
  for (const auto a : before) {
    const auto is_changed = [&](const shown_value& v) {
      return v.name == schema::text(a.getName()) && v.resource == schema::text(a.getResource());
    };
    if (std::ranges::none_of(changes, is_changed)) same.push_back(a);
  }
  std::ranges::copy_if(changes, std::back_inserter(now), [](const shown_value& v) { return v.value.has_value(); });
  auto list = to.initAttributes(static_cast<unsigned>(same.size() + now.size()));
  unsigned i = 0;
  for (const auto& a : same) list.setWithCaveats(i++, a);
  for (const auto& v : now) write_change(v, list[i++]);
}

std::optional<allocation> after(const allocation& has, schema::AllocationReduced::Reader change) {
  auto left = has.reduced_to(schema::text(change.getExecVnode()), schema::text(change.getExecHost()), schema::text(change.getReleased()));
  const auto satisfies = change.getSatisfies();
  if (!left) return std::nullopt;
  const auto chunks = values::parse_exec_vnode(left->exec_vnode());
  if (!chunks || chunks->chunks.size() != satisfies.size()) return std::nullopt;
  std::vector<std::uint32_t> numbers;
  for (const auto n : satisfies) numbers.push_back(n);
  left->renumber(std::move(numbers), schema::str(change.getKeepSelect()));
  return left;
}

}  // namespace annals::model
