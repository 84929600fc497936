#include "projections/exports/node_states.hpp"

#include "events/attributes/ids.hpp"
#include "projections/exports/resource_dimension.hpp"

namespace annals::exports {

using attributes::value_type;
namespace node_ids = attributes::node;

namespace {

value amount_of(const model::vnode_state& vnode, std::string_view resource, value_type type) {
  const auto text = vnode.attributes.get(node_ids::resources_available, resource);
  return text ? integer_of(type, *text) : value();
}

}  // namespace

node_states::shown node_states::look(const model::host_state& host, const model::vnode_state& vnode) {
  shown s;
  s.state = model::base_state(host, vnode);
  if (s.state.empty()) s.state = "free";
  if (!host.up) s.reason = host.down_reason;
  s.ncpus = amount_of(vnode, "ncpus", value_type::integer);
  s.mem = amount_of(vnode, "mem", value_type::size);
  return s;
}

namespace {

template <class Interval>
row row_of(const std::string& vnode, const Interval& of, std::int64_t ended_ns, const log::record& by) {
  row_builder r(table_id::node_states, by.get().getWallNs());
  r.text("vnode", vnode).count("since_sequence", of.since_sequence).text("host", of.host).text("state", of.what.state);
  r.text_unless_empty("reason", of.what.reason).at("began_at", of.since_ns).at_unless_0("ended_at", ended_ns);
  return r.any("ncpus", of.what.ncpus).any("mem_bytes", of.what.mem).count("sequence", by.sequence()).done(ended_ns != 0);
}

}  // namespace

void node_states::close(const std::string& vnode, const interval& of, const log::record& by, const row_taker& take) {
  take(row_of(vnode, of, by.get().getWallNs(), by));
}

void node_states::begin(intervals& of, const std::string& vnode, shown what, const std::string& host, const log::record& by,
                        const row_taker& take) {
  auto& now = of[vnode];
  if (now.since_sequence != 0) {
    if (now.what == what) return;
    close(vnode, now, by, take);
  }
  now = {std::move(what), host, by.sequence(), by.get().getWallNs()};
  take(row_of(vnode, now, 0, by));
}

void node_states::fold(const log::record& record, const model::host_state* host, const row_taker& take) {
  auto& all = of_host_[record.get().getStream()];
  std::erase_if(all, [&](const auto& known) {
    const bool gone = !host || !host->vnode(known.first);
    if (gone) close(known.first, known.second, record, take);
    return gone;
  });
  if (!host) {
    of_host_.erase(record.get().getStream());
    return;
  }
  for (const auto& vnode : host->vnodes) begin(all, vnode.name, look(*host, vnode), host->name, record, take);
}

}  // namespace annals::exports
