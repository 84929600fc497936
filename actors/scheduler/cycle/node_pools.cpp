// The vnodes of a cycle in the order in which they are tried, by queue and by placement set, with the sums that reasons
// are told from.
#include <algorithm>

#include "actors/scheduler/cycle/placement.hpp"

namespace annals::cycle {

placement::placement(view& v, const policy& p, const timed_settings& now, const std::vector<vnode_share>* within)
    : resources_(v.resources()),
      site_(v.settings()),
      queues_(v.queues()),
      jobs_(v.jobs()),
      vnodes_(v.vnodes()),
      within_(within) {
  const auto& table = resources_;
  aoe_ = table.find("aoe");
  avoids_provision_ = p.avoids_provision;
  checked_.resize(table.size());
  for (resource_id r = 0; r < table.size(); ++r) checked_[r] = table[r].is_boolean() || table[r].custom;
  for (const auto& name : p.checked_resources)
    if (const resource_id r = table.find(name); r != no_resource) checked_[r] = 1;
  for (const auto& key : now.node_sort_keys) {
    sort_keys_.emplace_back(key, table.find(key.resource));
    order_moves_ |= key.by != node_sort_key::measure::total;
  }
  usable_.resize(vnodes_.size());
  start_.resize(vnodes_.size());
  note_usable();
  for (index i = 0; i < usable_.size(); ++i)
    if (!within_ && usable_[i]) note_start(i);
  for (index i = 0; i < vnodes_.size(); ++i)
    has_run_limits_ |= vnodes_[i].max_running >= 0 || vnodes_[i].max_user_run >= 0 || vnodes_[i].max_group_run >= 0;
  if (!within_) return;
  for (const auto& share : *within_)
    if (usable_[share.vnode]) start_[share.vnode] = share.left;
}

void placement::note_usable() {
  if (within_)
    for (const auto& share : *within_) usable_[share.vnode] = vnodes_.usable_within(vnodes_[share.vnode]);
  else
    for (index i = 0; i < usable_.size(); ++i) usable_[i] = vnodes_.usable(vnodes_[i]);
}

void placement::note_start(index at) {
  const auto& table = resources_;
  const vnode& v = vnodes_[at];
  auto& start = start_[at];
  start.resize(table.size());
  for (resource_id r = 0; r < table.size(); ++r)
    if (table[r].numeric) start[r] = v.available(r) - v.in_use(r);
  for (const auto& b : v.borrowed)  // on the owner's host the owner itself counts
    if (vnodes_[b.vnode].host != v.host) start[b.resource] = vnodes_.free_amount(v, b.resource);
  for (const auto& l : v.lent) start[l.resource] = vnodes_.free_amount(v, l.resource);
}

const vnode_share* placement::share_of(index at) const {
  if (!within_) return nullptr;
  const auto share = std::find_if(within_->begin(), within_->end(), [&](const vnode_share& s) { return s.vnode == at; });
  return share == within_->end() ? nullptr : &*share;
}

void placement::add_start(std::vector<amount>& sums, index at) const {
  for (std::size_t r = 0; r < start_[at].size(); ++r) sums[r] += start_[at][r];
}

namespace {
amount measure(const vnode& v, const node_sort_key& key, resource_id r) {
  if (key.resource == "sort_priority") return v.priority;
  if (r == no_resource) return 0;
  switch (key.by) {
    case node_sort_key::measure::total: return v.available(r);
    case node_sort_key::measure::assigned: return v.in_use(r);
    case node_sort_key::measure::unused: return v.available(r) - v.in_use(r);
  }
  return 0;
}
}  // namespace

void placement::sort_vnodes(std::vector<index>& list) const {
  std::sort(list.begin(), list.end(), [&](index a, index b) {
    const vnode &left = vnodes_[a], &right = vnodes_[b];
    for (const auto& [key, resource] : sort_keys_) {
      const amount l = measure(left, key, resource), r = measure(right, key, resource);
      if (l != r) return key.high_first ? l > r : l < r;
    }
    return left.order != right.order ? left.order < right.order : a < b;
  });
}

void placement::group_by_host(node_pool& pool) const {
  std::vector<index> group_of(vnodes_.hosts().size(), none);
  pool.hosts.clear();
  for (const index at : pool.vnodes) {
    index& group = group_of[vnodes_[at].host];
    if (group == none) {
      group = static_cast<index>(pool.hosts.size());
      pool.hosts.push_back({vnodes_[at].host, {}, std::vector<amount>(checked_.size())});
    }
    pool.hosts[group].vnodes.push_back(at);
    add_start(pool.hosts[group].at_start, at);
  }
}

node_pool placement::make_pool(std::vector<index> members) const {
  node_pool pool;
  pool.vnodes = std::move(members);
  pool.total.resize(checked_.size());
  pool.at_start.resize(checked_.size());
  sort_vnodes(pool.vnodes);
  group_by_host(pool);
  for (const index at : pool.vnodes) {
    const vnode& v = vnodes_[at];
    const auto* share = share_of(at);
    const auto& has = share ? share->has : v.has;
    for (resource_id r = 0; r < has.size(); ++r) pool.total[r] += has[r];
    for (const auto& b : v.borrowed)
      if (!share && vnodes_[b.vnode].host != v.host) pool.total[b.resource] += vnodes_[b.vnode].available(b.resource);
    add_start(pool.at_start, at);
    pool.usable += counts_as_free(at);
  }
  pool.largest_host.resize(checked_.size());
  for (const auto& host : pool.hosts)
    for (std::size_t r = 0; r < host.at_start.size(); ++r) pool.largest_host[r] = std::max(pool.largest_host[r], host.at_start[r]);
  return pool;
}

// A vnode with a queue serves only that queue, and the jobs of such a queue use only its vnodes.
node_pool& placement::pool_of(const job& j) {
  const index key = queues_[j.queue].vnodes > 0 ? j.queue : none;
  const auto known = pools_.find(key);
  if (known != pools_.end()) return known->second;
  return pools_.emplace(key, make_pool(members_of(key))).first->second;
}

std::vector<index> placement::members_of(index queue) const {
  std::vector<index> members;
  if (within_) {
    for (const auto& share : *within_) members.push_back(share.vnode);
    return members;
  }
  for (index i = 0; i < vnodes_.size(); ++i) {
    const vnode& v = vnodes_[i];
    if (v.exists && !v.stale && v.queue == queue) members.push_back(i);
  }
  return members;
}

std::vector<std::string> placement::group_keys(const job& j) const {
  if (!jobs_.request_of(j).group.empty()) return {jobs_.request_of(j).group};
  if (!site_.group_by_node()) return {};
  const auto& of_queue = queues_[j.queue].group_keys;
  return of_queue.empty() ? site_.server_group_keys() : of_queue;
}

// One set per value of the resource, and one of the vnodes without; smallest first.
const std::vector<node_pool>& placement::sets_of(const job& j, const node_pool& pool, const std::string& resource) {
  const auto key = std::make_pair(queues_[j.queue].vnodes > 0 ? j.queue : none, resource);
  const auto known = sets_.find(key);
  if (known != sets_.end()) return known->second;
  const resource_id r = resources_.find(resource);
  static const std::vector<std::string> no_value{""};
  std::vector<std::pair<std::string, std::vector<index>>> members;  // in the order in which values are seen
  for (const index at : pool.vnodes) {
    const auto* values = r == no_resource ? nullptr : vnodes_[at].text(r);
    if (!values && site_.only_explicit_sets()) continue;
    for (const auto& value : values ? *values : no_value) {
      auto set = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == value; });
      if (set == members.end()) set = members.insert(members.end(), {value, {}});
      set->second.push_back(at);
    }
  }
  auto& sets = sets_[key];
  for (auto& [value, vnodes] : members) {
    sets.push_back(make_pool(std::move(vnodes)));
    sets.back().name = resource + '=' + (value.empty() ? "\"\"" : value);
  }
  const resource_id cpus = resources_.find("ncpus"), mem = resources_.find("mem");
  std::stable_sort(sets.begin(), sets.end(), [&](const node_pool& a, const node_pool& b) {
    return a.total[cpus] != b.total[cpus] ? a.total[cpus] < b.total[cpus] : a.total[mem] < b.total[mem];
  });
  return sets;
}

void placement::vnodes_changed() {
  note_usable();
  const auto refresh = [&](node_pool& pool) {
    pool.usable = 0;
    for (const index at : pool.vnodes) pool.usable += counts_as_free(at);
    if (!order_moves_) return;
    sort_vnodes(pool.vnodes);
    group_by_host(pool);
    pool.best.clear();
  };
  for (auto& [queue, pool] : pools_) refresh(pool);
  for (auto& [key, sets] : sets_)
    for (auto& set : sets) refresh(set);
}

}  // namespace annals::cycle
