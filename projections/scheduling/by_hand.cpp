#include "projections/scheduling/by_hand.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/select.hpp"

namespace annals::projections {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

// What a chunk takes of a vnode: its consumable resources, sizes in kb.
std::vector<values::named_value> taken_by(const values::select_chunk& chunk, const attributes::resource_catalogue& resources) {
  std::vector<values::named_value> taken;
  for (const auto& v : chunk.resources) {
    const auto* r = resources.find(v.name);
    if (!r || !r->has(attributes::consumable)) continue;
    bool counts = false;
    const auto amount = model::read_amount(v.value, &counts);
    taken.push_back({v.name, counts ? amount.print() : v.value});
  }
  return taken;
}

// Vnodes without resources: they get the job's chunks in turn.
void deal_chunks(values::exec_vnode_spec& spec, const model::job_state& job, const attributes::resource_catalogue& resources) {
  const auto select = values::parse_select(job.attribute(ids::schedselect));
  if (!select) return;
  const auto vnodes = spec.vnodes();
  const bool parenthesised = spec.chunks.front().parenthesised;
  spec.chunks.clear();
  for (const auto& chunk : select->chunks)
    for (std::uint32_t n = 0; n < chunk.count; ++n) {
      values::exec_chunk placed;
      placed.parenthesised = parenthesised;
      placed.parts.push_back({vnodes[spec.chunks.size() % vnodes.size()], taken_by(chunk, resources)});
      spec.chunks.push_back(std::move(placed));
    }
}

bool names_only(const values::exec_vnode_spec& spec) {
  for (const auto& chunk : spec.chunks)
    for (const auto& part : chunk.parts)
      if (!part.resources.empty()) return false;
  return true;
}

// Slot numbers that jobs have on each host.
class slots {
 public:
  explicit slots(const status& from) {
    from.holdings().each_job([&](std::uint64_t serial) {
      const auto job = from.job(serial);
      if (!job) return;
      for (const auto& s : values::parse_exec_host(job->attribute(ids::exec_host)).value_or(values::exec_host_spec{}))
        taken_[s.host].insert(s.slot);
    });
  }
  std::uint32_t take(const std::string& host) {
    auto& of_host = taken_[host];
    std::uint32_t lowest = 0;
    while (of_host.contains(lowest)) ++lowest;
    of_host.insert(lowest);
    return lowest;
  }

 private:
  std::map<std::string, std::set<std::uint32_t>> taken_;
};

// A chunk that is split over vnodes shows no cpus (pbs guide: exec_host).
std::uint32_t cpus_of(const values::exec_chunk& chunk) {
  const auto* ncpus = chunk.parts.size() == 1 ? chunk.parts.front().find("ncpus") : nullptr;
  return ncpus ? static_cast<std::uint32_t>(values::parse_integer(*ncpus).value_or(0)) : 0;
}

}  // namespace

values::result<hand_placed, model::rejection> place_by_hand(const status& from, const model::job_state& job, std::string_view named) {
  if (named == "-") named = job.attribute(ids::exec_vnode);
  if (named.empty()) return model::refuse(pbs_error::invalid_request);
  auto spec = values::parse_exec_vnode(named);
  if (!spec) return model::refuse(pbs_error::bad_node_spec);
  for (const auto& name : spec->vnodes())
    if (!from.host_of_vnode(name))
      return model::refuse(pbs_error::unknown_node, std::string(values::pbs_error_text(pbs_error::unknown_node)) + " " + name);
  if (names_only(*spec)) deal_chunks(*spec, job, from.server().resources);
  hand_placed out;
  out.exec_vnode = values::print(*spec);
  slots free(from);
  values::exec_host_spec hosts;
  for (const auto& chunk : spec->chunks) {
    const auto& host = from.host_of_vnode(chunk.parts.front().vnode)->name;
    for (const auto& part : chunk.parts)  // a chunk is on one host
      if (from.host_of_vnode(part.vnode)->name != host) return model::refuse(pbs_error::bad_node_spec);
    hosts.push_back({host, free.take(host), cpus_of(chunk)});
  }
  out.exec_host = values::print(hosts);
  out.hosts = values::hosts_of(hosts);
  return out;
}

}  // namespace annals::projections
