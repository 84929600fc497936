// Placement sets (pbs guide: placement sets): a job goes into the smallest set that has room for it. While none has, it waits if one of
// them could hold it empty; else it may span them.
#include <algorithm>
#include <set>

#include "actors/scheduler/cycle/placement.hpp"

namespace annals::cycle {

// Tries the job in hand on hosts where nothing runs, in the way in which it would be placed there.
class placement::empty_hosts {
 public:
  explicit empty_hosts(const placement& of)
      : of_(of),
        request_(*of.request_),
        scatter_(request_.arrange == values::arrangement::scatter),
        vscatter_(request_.arrange == values::arrangement::vscatter) {}

  using host_list = std::vector<const node_pool::host_group*>;
  bool hold(const host_list& hosts) { return request_.arrange == values::arrangement::pack ? hold_packed(hosts) : hold_spread(hosts); }

 private:
  bool hold_packed(const host_list& hosts) {
    return std::any_of(hosts.begin(), hosts.end(), [&](const auto* host) {
      taken_.clear();
      return std::all_of(request_.chunks.begin(), request_.chunks.end(),
                         [&](const chunk& c) { return put(*host, c, c.count) == c.count; });
    });
  }

  bool hold_spread(const host_list& hosts) {
    std::vector<char> has_one(hosts.size());
    for (const chunk& c : request_.chunks) {
      std::uint32_t left = c.count;
      for (std::size_t i = 0; left > 0 && i < hosts.size(); ++i) {
        if (scatter_ && has_one[i]) continue;
        const auto placed = put(*hosts[i], c, scatter_ ? 1 : left);
        left -= placed;
        if (placed > 0) has_one[i] = 1;
      }
      if (left > 0) return false;
    }
    return true;
  }

  // Answers how many of so many found a place.
  std::uint32_t put(const node_pool::host_group& host, const chunk& c, std::uint32_t count) {
    std::uint32_t placed = 0;
    while (placed < count && (put_whole(host, c) || put_split(host, c))) ++placed;
    return placed;
  }

  bool put_whole(const node_pool::host_group& host, const chunk& c) {
    for (const index at : host.vnodes) {
      const auto holds = [&](const want& w) { return !of_.counted(w) || left(at, w.resource) >= w.value; };
      if (!serves(at, c) || !std::all_of(c.wants.begin(), c.wants.end(), holds)) continue;
      for (const want& w : c.wants)
        if (of_.counted(w)) taken_[key(at, w.resource)] += w.value;
      if (vscatter_) vnodes_taken_.insert(at);
      return true;
    }
    return false;
  }

  bool put_split(const node_pool::host_group& host, const chunk& c) {
    if (vscatter_ || host.vnodes.size() < 2) return false;
    const auto aoe = of_.aoe_of(c);
    std::vector<std::pair<place_of_amount, amount>> given;
    std::size_t lacking = 0;
    for (const want& w : c.wants) {
      amount needed = of_.counted(w) ? w.value : 0;
      for (const index at : host.vnodes) {
        if (needed <= 0) break;
        if (!serves(at, c) || (!aoe.empty() && of_.vnodes_[at].current_aoe != aoe)) continue;
        const amount part = std::min(needed, left(at, w.resource));
        if (part <= 0) continue;
        taken_[key(at, w.resource)] += part;
        given.emplace_back(key(at, w.resource), part);
        needed -= part;
      }
      if (needed > 0) ++lacking;
    }
    if (lacking == 0 && !given.empty()) return true;
    for (const auto& [from, part] : given) taken_[from] -= part;
    return false;
  }

  bool serves(index at, const chunk& c) const {
    const vnode& v = of_.vnodes_[at];
    if (v.no_multinode_jobs && scatter_ && request_.chunk_count > 1) return false;
    return !vnodes_taken_.contains(at) && of_.matches(v, c.wants);
  }

  using place_of_amount = std::pair<index, resource_id>;
  // A vnode may use the pool of another.
  place_of_amount key(index at, resource_id r) const {
    if (!of_.within_)
      for (const auto& b : of_.vnodes_[at].borrowed)
        if (b.resource == r) return {b.vnode, r};
    return {at, r};
  }
  amount left(index at, resource_id r) const {
    const auto from = key(at, r);
    const auto* share = of_.share_of(at);
    const amount has = share ? share->has[r] : of_.vnodes_[from.first].available(r);
    const auto taken = taken_.find(from);
    return taken == taken_.end() ? has : has - taken->second;
  }

  const placement& of_;
  const request& request_;
  const bool scatter_, vscatter_;
  std::map<place_of_amount, amount> taken_;
  std::set<index> vnodes_taken_;
};

// Recordings show that a host of which the set has some vnodes counts whole: a job that would fit there does not span.
bool placement::holds_when_empty(const node_pool& set, const node_pool& pool) const {
  const bool one_each = request_->arrange == values::arrangement::scatter || request_->arrange == values::arrangement::vscatter;
  if (one_each && request_->chunk_count > set.vnodes.size()) return false;
  std::vector<char> has_part(vnodes_.hosts().size());
  for (const auto& host : set.hosts) has_part[host.host] = 1;
  empty_hosts::host_list hosts;
  for (const auto& host : pool.hosts)
    if (has_part[host.host]) hosts.push_back(&host);
  return empty_hosts(*this).hold(hosts);
}

// The same for all jobs of a queue that ask for the same, as long as the cycle lasts.
bool placement::one_holds_when_empty(const std::vector<const node_pool*>& sets, const node_pool& pool) {
  const auto [known, is_new] = held_by_a_set_.try_emplace({job_->queue, job_->request}, false);
  if (is_new) known->second = std::any_of(sets.begin(), sets.end(), [&](const auto* set) { return holds_when_empty(*set, pool); });
  return known->second;
}

// True: the set has too little now, however the chunks are placed.
bool placement::is_short_now(const node_pool& set) const {
  const auto is_usable = [&](index at) { return usable_[at] && vnodes_[at].exclusive_jobs == 0; };
  if (std::none_of(set.vnodes.begin(), set.vnodes.end(), is_usable)) return true;
  return std::any_of(request_->sums.begin(), request_->sums.end(), [&](const want& w) {
    if (!checked_[w.resource]) return false;
    const auto& r = resources_[w.resource];
    if (!r.numeric) return !matched_somewhere(set, w);
    if (!r.consumable) return false;
    amount left = 0;
    for (const index at : set.vnodes)
      if (is_usable(at)) left += std::max<amount>(0, left_on(at, w.resource));
    return left < w.value;
  });
}

bool placement::place_in_sets(const node_pool& pool, const std::vector<std::string>& keys, allocation& out, refusal& why) {
  std::vector<const node_pool*> large_enough;  // by their sums
  const node_pool* last = nullptr;
  for (const auto& key : keys) {
    for (const node_pool& set : sets_of(*job_, pool, key)) {
      last = &set;
      if (!sums_suffice(set, true, nullptr)) continue;
      if (place_in(set, out)) return true;
      large_enough.push_back(&set);
    }
  }
  if (one_holds_when_empty(large_enough, pool)) {  // it waits for a set; of the largest PBS says why
    if (is_short_now(*last)) {
      why.text = "Placement set " + last->name + " has too few free resources";
      why.log = why.text + " or is too small";
    }
    return false;
  }
  first_lack_host_ = nullptr;  // a set that is too small lacks nothing
  if (!site_.do_not_span_sets()) return place_in(pool, out);
  why = {true, "can't fit in the largest placement set, and can't span psets",
         "Can't fit in the largest placement set, and can't span placement sets"};
  return false;
}

}  // namespace annals::cycle
