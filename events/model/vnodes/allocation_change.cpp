#include "events/model/vnodes/allocation_change.hpp"

#include "events/attributes/select_rules.hpp"
#include "events/model/vnodes/reduce.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

bool has_rjselect(const values::resource_list& resources) {
  return resources.contains("rjselect") && !resources.contains("select_reliable_startup");
}

std::vector<shown_value> shown_after(const shown_request& before, const values::select_spec& keep_select,
                                     const attributes::resource_catalogue& resources) {
  reduction reduced;
  reduced.schedselect = values::print_with_counts(keep_select);
  reduced.sums = attributes::sums_of(keep_select, resources);
  auto now = before.resources;
  if (const auto asked = values::parse_select(before.schedselect))  // it has what the server added to select, too
    for (const auto& chunk : asked->chunks)
      for (const auto& r : chunk.resources) now.erase(r.name);
  now = resources_after(std::move(now), reduced);
  if (has_rjselect(before.resources)) now["select"] = before.resources.at("select");
  std::vector<shown_value> changes;
  for (const auto& [name, value] : before.resources)
    if (!now.contains(name)) changes.push_back({"Resource_List", name, std::nullopt});
  for (const auto& [name, value] : now)
    if (const auto old = before.resources.find(name); old == before.resources.end() || old->second != value)
      changes.push_back({"Resource_List", name, value});
  if (before.schedselect != reduced.schedselect) changes.push_back({"schedselect", {}, reduced.schedselect});
  return changes;
}

allocation_change change_of(const reduction& reduced, const shown_request& before, const values::select_spec& keep_select,
                            const attributes::resource_catalogue& resources, std::string by) {
  return {reduced.released, reduced.left.exec_vnode(),
          reduced.left.exec_host(), reduced.satisfies,
          values::print(keep_select), shown_after(before, keep_select, resources),
          std::move(by)};
}

void write_changes(const std::vector<shown_value>& changes, capnp::List<schema::Attribute>::Builder to) {
  for (unsigned i = 0; i < changes.size(); ++i) {
    to[i].setName(changes[i].name);
    to[i].setResource(changes[i].resource);
    if (changes[i].value) to[i].setValue(*changes[i].value);
    else to[i].setOp(schema::AttributeOp::UNSET);
  }
}

shown_value read_change(schema::Attribute::Reader change) {
  shown_value out{schema::str(change.getName()), schema::str(change.getResource()), {}};
  if (change.getOp() != schema::AttributeOp::UNSET) out.value = schema::str(change.getValue());
  return out;
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
