#include "hooks-runtime/chain/release.hpp"

#include <algorithm>
#include <map>

#include "events/attributes/request_check.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/order_now.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/select.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks {

namespace {

// Also as earlier PBS did it, of a job that asks for spare chunks as one did then (RS-103 to RS-105).
void tell_as_before(const model::not_reduced& why, const release_from& from, const line_taker& log) {
  const auto debug = [&](const std::string& line) { log(log_level::debug, line); };
  if (why.of_first)
    debug("could not satisfy 1st select chunk (" + why.chunk + ") with first available chunk (" + why.available + ")");
  else debug("could not satisfy the original select chunk (" + why.chunk + ") with first available chunk " + why.available);
  const auto hosts = values::parse_exec_host(from.has.exec_host()).value_or(values::exec_host_spec{});
  std::map<std::string, bool> vnodes;  // whether they failed
  values::exec_vnode_reader reader(from.has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    const bool host_failed = p.chunk < hosts.size() && std::ranges::count(from.failed.hosts, hosts[p.chunk].host) > 0;
    vnodes.emplace(p.vnode, host_failed || std::ranges::count(from.failed.vnodes, p.vnode) > 0);
  }
  for (const auto& [vnode, failed] : vnodes)
    if (failed) debug("job node_list_fail: node " + vnode);
  for (const auto& [vnode, failed] : vnodes) {
    if (failed) continue;
    debug("job node_list: node " + vnode);
    debug("job node_list:_good node " + vnode);
  }
}

// What the server has added to each chunk that did not ask for it (default_chunk) stands in schedselect, not in select: a keep_select
// that was made of select gets it too.
values::select_spec completed(values::select_spec keep_select, const model::shown_request& shown) {
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

planned_release planned(model::reduction reduced, const values::select_spec& select, const release_from& from, std::string_view by) {
  planned_release out{model::change_of(reduced, from.shown, select, {}, std::string(by)), std::move(reduced.left)};
  out.left.renumber(std::move(reduced.satisfies), out.change.keep_select);
  return out;
}

std::optional<planned_release> reduced_to(std::string_view keep_select, const release_from& from, std::string_view by,
                                          const line_taker& log) {
  if (keep_select.size() > limits::keep_select_bytes_max) return std::nullopt;
  auto asked = values::parse_select(keep_select);
  if (!asked || !attributes::has_good_values(*asked, {})) return std::nullopt;
  const auto select = completed(std::move(*asked), from.shown);
  if (auto reduced = model::reduce(from.has, select, from.failed)) return planned(std::move(*reduced), select, from, by);
  else {
    for (const auto& line : reduced.error().lines()) log(log_level::debug2, line);
    if (from.shown.resources.contains("select_requested")) tell_as_before(reduced.error(), from, log);
  }
  return std::nullopt;
}

void add(const values::named_value& more, values::select_chunk& to) {
  const auto at = std::ranges::find(to.resources, more.name, &values::named_value::name);
  if (at == to.resources.end()) return to.resources.push_back(more);
  auto sum = model::read_amount(at->value);
  sum.value += model::read_amount(more.value).value;
  at->value = sum.print();
}

struct select_of_left {
  values::select_spec select;
  std::vector<std::uint32_t> satisfies;  // as allocation_change's
};

// The select of what is left: a chunk for each, with what its vnodes have, and what it asked besides (RD-13). None for chunks without
// resources, which place=exclhost adds.
std::optional<select_of_left> select_of(const model::allocation& left, const model::shown_request& shown) {
  const auto asked = values::parse_select(left.select().empty() ? shown.schedselect : left.select());
  const auto chunks = values::parse_exec_vnode(left.exec_vnode());
  if (!asked || !chunks) return std::nullopt;
  const auto by_chunk = model::select_by_chunk(left, *asked);
  select_of_left out;
  for (std::size_t i = 0; i < chunks->chunks.size(); ++i) {
    const auto& parts = chunks->chunks[i].parts;
    const bool bare = std::ranges::all_of(parts, [](const auto& part) { return part.resources.empty(); });
    out.satisfies.push_back(bare ? model::allocation::no_chunk : static_cast<std::uint32_t>(out.select.chunks.size()));
    if (bare) continue;
    auto& chunk = out.select.chunks.emplace_back();
    for (const auto& part : parts)
      for (const auto& r : part.resources) add(r, chunk);
    for (const auto& r : by_chunk.chunks[i].resources)
      if (!chunk.find(r.name)) chunk.resources.push_back(r);
  }
  return out;
}

std::optional<planned_release> without(const std::vector<std::string>& vnodes, const release_from& from, std::string_view by) {
  auto dropped = model::drop(from.has, vnodes);
  if (!dropped) return std::nullopt;
  auto of_left = select_of(dropped->left, from.shown);
  if (!of_left || values::print(of_left->select).size() > limits::keep_select_bytes_max) return std::nullopt;
  model::reduction reduced;
  reduced.released = std::move(dropped->released);
  reduced.left = std::move(dropped->left);
  reduced.satisfies = std::move(of_left->satisfies);
  return planned(std::move(reduced), of_left->select, from, by);
}

}  // namespace

model::shown_request shown_by(const hook_object& job) {
  model::shown_request out;
  for (const auto& a : job.attributes) {
    if (a.name == "Resource_List") out.resources[a.resource] = a.value;
    if (a.name == "schedselect") out.schedselect = a.value;
  }
  return out;
}

std::optional<planned_release> plan_release(protocol::ReleaseNodes::Reader asked, const release_from& from, std::string_view by,
                                            const line_taker& log) {
  if (asked.getKeepSelect().size() > 0) return reduced_to(schema::text(asked.getKeepSelect()), from, by, log);
  std::vector<std::string> vnodes;
  for (const auto vnode : asked.getVnodes()) vnodes.push_back(schema::str(vnode));
  return without(vnodes, from, by);
}

void put(const model::allocation_change& change, hook_object& job) {
  job.put("exec_vnode", {}, change.exec_vnode);
  job.put("exec_host", {}, change.exec_host);
  for (const auto& c : change.changes) {
    if (c.value) job.put(c.name, c.resource, *c.value);
    else job.remove(c.name, c.resource);
  }
}

}  // namespace annals::hooks
