// Answers pbsnodes: hosts and vnodes, by name or all of them.
#include <algorithm>
#include <utility>

#include "events/values/pbs_error.hpp"
#include "projections/status/query.hpp"
#include "projections/status/query_parts.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;

namespace {

class node_list final : public stat_list {
 public:
  node_list(const status& from, schema::Stat::Reader asked, const model::requester& by, bool by_host)
      : by_(from, by), shown_(schema::ObjectKind::NODE, by_, asked.getWanted()) {
    if (asked.getNames().size() == 0) note_all(from);
    for (auto name : asked.getNames()) note(from, schema::str(name), by_host);
    listed_ = vnodes_.size();
  }

  bool go_on(const status& from, piecewise& out, std::int64_t, effort& left) override {
    left.looked(std::exchange(listed_, 0));
    while (left.is_left()) {
      if (next_ == vnodes_.size()) {
        for (const auto& name : unknown_) out.unknown(name, values::refuse(pbs_error::unknown_node));
        return false;
      }
      const auto& name = vnodes_[next_++];
      left.looked();
      const auto* host = from.host_of_vnode(name);
      if (!host) continue;  // deleted since the list was begun
      const auto row = vnode_row(from, *host, *host->vnode(name));
      left.composed(out.add_made(name, [&](std::string& to) { shown_.append(row, to); }));
    }
    return true;
  }

 private:
  using places = std::vector<const model::vnode_state*>;

  void note_all(const status& from) {
    places all;
    for (const auto& [serial, host] : from.hosts())
      for (const auto& vnode : host.vnodes) all.push_back(&vnode);
    note_in_order(std::move(all));
  }

  void note(const status& from, const std::string& name, bool by_host) {
    const auto* host = from.host_of_vnode(name);
    if (!host) return unknown_.push_back(name);
    if (!by_host || host->name != name) return vnodes_.push_back(name);  // a host's natural vnode has its name
    places all;
    for (const auto& vnode : host->vnodes) all.push_back(&vnode);
    note_in_order(std::move(all));
  }

  void note_in_order(places all) {
    std::ranges::sort(all, {}, &model::vnode_state::order);
    for (const auto* vnode : all) vnodes_.push_back(vnode->name);
  }

  const viewer by_;
  const filter shown_;
  std::vector<std::string> vnodes_;  // to be told
  std::size_t next_ = 0;
  std::size_t listed_ = 0;  // so many were put into the list since the last part
  std::vector<std::string> unknown_;
};

}  // namespace

std::unique_ptr<stat_list> list_of_nodes(const status& from, schema::Stat::Reader asked, const model::requester& by, bool by_host) {
  return std::make_unique<node_list>(from, asked, by, by_host);
}

}  // namespace annals::projections
