#include "actors/scheduler/cycle/exec_text.hpp"

#include <algorithm>

namespace annals::cycle {

namespace {

void append_part(std::string& out, const view& v, const allocation& what, const allocation::part& part) {
  out += v.vnodes()[part.vnode].name;
  for (std::uint32_t i = part.first_piece; i < part.end_piece; ++i) {
    const auto& piece = what.pieces[i];
    out += ':';
    out += v.resources()[piece.resource].name;
    out += '=';
    v.resources().print_assigned(out, piece.resource, piece.value);
  }
  if (!part.aoe.empty()) out += ":aoe=" + part.aoe;
}

// The cpus that exec_host shows for a chunk: none for one that is split over vnodes.
amount cpus_of(const view& v, const allocation& what, const allocation::placed_chunk& c) {
  if (c.end_part - c.first_part != 1) return 0;
  const resource_id ncpus = v.resources().find("ncpus");
  const auto& part = what.parts[c.first_part];
  for (std::uint32_t i = part.first_piece; i < part.end_piece; ++i)
    if (what.pieces[i].resource == ncpus) return what.pieces[i].value;
  return 0;
}

void append_slot(exec_texts& out, const view& v, index host_at, amount cpus) {
  const host& h = v.vnodes().hosts()[host_at];
  // The job's own slots are not yet in the view: they are the lowest ones so far, so the search goes on behind them.
  std::uint32_t from = 0;
  for (const auto& [other, slot] : out.slots)
    if (other == host_at) from = slot + 1;
  const std::uint32_t slot = h.lowest_free_slot(from);
  if (!out.exec_host.empty()) out.exec_host += '+';
  out.exec_host += h.name;
  out.exec_host += '/';
  out.exec_host += std::to_string(slot);
  if (cpus != 1) {
    out.exec_host += '*';
    out.exec_host += std::to_string(cpus);
  }
  out.slots.emplace_back(host_at, slot);
  if (std::find(out.hosts.begin(), out.hosts.end(), h.name) == out.hosts.end()) out.hosts.push_back(h.name);
}

}  // namespace

exec_texts describe(const view& v, const allocation& what) {
  exec_texts out;
  for (const auto& c : what.chunks) {
    if (!out.exec_vnode.empty()) out.exec_vnode += '+';
    out.exec_vnode += '(';
    for (std::uint32_t p = c.first_part; p < c.end_part; ++p) {
      if (p > c.first_part) out.exec_vnode += '+';
      append_part(out.exec_vnode, v, what, what.parts[p]);
    }
    out.exec_vnode += ')';
    append_slot(out, v, v.vnodes()[what.parts[c.first_part].vnode].host, cpus_of(v, what, c));
  }
  for (const index extra : what.whole_host_extra) {
    out.exec_vnode += "+(" + v.vnodes()[extra].name + ")";
    append_slot(out, v, v.vnodes()[extra].host, 0);
  }
  return out;
}

}  // namespace annals::cycle
