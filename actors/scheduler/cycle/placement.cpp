#include "actors/scheduler/cycle/placement.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::cycle {

// -- the whole job -----------------------------------------------------------------------------------------------------

bool placement::place(const job& j, allocation& out, refusal& why, const reserved_space* others) {
  job_ = &j;
  others_ = others;
  request_ = &jobs_.request_of(j);
  out.clear();
  why = {};
  if (beyond_what_others_leave()) return false;
  const node_pool& pool = pool_of(j);
  const bool one_each = request_->arrange == values::arrangement::scatter || request_->arrange == values::arrangement::vscatter;
  const std::uint64_t vnodes_needed = one_each ? request_->chunk_count : 1;
  if (vnodes_needed > pool.vnodes.size()) {
    why = {true, "Not enough total nodes available", {}, lack_of_vnodes(pool, vnodes_needed)};
    return false;
  }
  if (vnodes_needed > pool.usable) {
    why = {false, "Not enough free nodes available", {}, lack_of_vnodes(pool, vnodes_needed)};
    return false;
  }
  if (!sums_suffice(pool, false, &why) || !numbers_suffice(pool, why)) return false;
  if (place_anywhere(out, pool, why)) {
    finish(out);
    return true;
  }
  if (why.text.empty() && !first_lack_host_) why.text = provision_lack_;
  if (why.text.empty())
    why.text = first_lack_host_ ? "Insufficient amount of resource: " + resources_[first_lack_want_.resource].name + " "
                                : "No available resources on nodes";
  if (!others_ || within_) explain(pool, why);
  return false;
}

// Nobody is told what lacks at another time. Amounts are told as they are, also of vnodes that take no more jobs.
void placement::explain(const node_pool& pool, refusal& why) {
  hosts_taken_.clear();
  vnodes_taken_.clear();
  lifts_run_limits_ = true;
  why.data = lack_of_place(pool);
  lifts_run_limits_ = false;
  if (!has_run_limits_) return;
  if (auto limit = lack_of_run_limits(pool)) why.data = std::move(*limit);
}

// With avoid_provision it is placed where nothing is provisioned, if it can be.
bool placement::place_anywhere(allocation& out, const node_pool& pool, refusal& why) {
  provision_lack_.clear();
  keeps_aoes_ = avoids_provision_ && std::ranges::any_of(request_->chunks, [&](const chunk& c) { return !aoe_of(c).empty(); });
  if (keeps_aoes_ && place_on_hosts(out, pool, why)) return true;
  keeps_aoes_ = false;
  return place_on_hosts(out, pool, why);
}

// First without all hosts that could not start the job. The one that failed last is the last that is tried again.
bool placement::place_on_hosts(allocation& out, const node_pool& pool, refusal& why) {
  const auto keys = group_keys(*job_);
  for (forgiven_ = 0;; ++forgiven_) {
    first_lack_host_ = nullptr;
    unplaced_ = nullptr;
    why = {};
    if (keys.empty() ? place_in(pool, out) : place_in_sets(pool, keys, out, why)) return true;
    if (forgiven_ == job_->failed_hosts.size()) return false;
  }
}

bool placement::failed_on(index host) const {
  const auto& failed = job_->failed_hosts;
  return std::find(failed.begin() + static_cast<std::ptrdiff_t>(forgiven_), failed.end(), host) != failed.end();
}

bool placement::sums_suffice(const node_pool& pool, bool totals_only, refusal* why) const {
  const auto& table = resources_;
  for (const want& w : request_->sums) {
    if (!checked_[w.resource]) continue;
    const auto& r = table[w.resource];
    if (!r.numeric) {
      if (matched_somewhere(pool, w)) continue;
      if (why) {
        const auto there = values_instead_of(pool, w);
        const auto asked = r.is_boolean() ? table.print(w.resource, w.value) : w.text;
        *why = {true,
                "Insufficient amount of resource: " + r.name + " (" + asked + " != " + there + ")",
                {},
                lack_of_value(w, there, pool.vnodes)};
      }
      return false;
    }
    const amount total = pool.total[w.resource], now = totals_only ? total : pool.at_start[w.resource];
    if (!r.consumable || w.value <= now) continue;  // numbers_suffice
    if (why) *why = insufficient(pool, w, now, total);
    return false;
  }
  return true;
}

// PBS says of what can never be what there would be if no job ran.
refusal placement::insufficient(const node_pool& pool, const want& w, amount now, amount total) const {
  const auto& table = resources_;
  const bool never = w.value > total;
  return {never,
          "Insufficient amount of resource: " + table[w.resource].name + " (R: " + table.print(w.resource, w.value) +
              " A: " + table.print(w.resource, never ? total : now) + " T: " + table.print(w.resource, total) + ")",
          {},
          lack_of_amount(w, now, total, pool.vnodes)};
}

// A number that is not used up is compared vnode by vnode: what no vnode has, a chunk never gets.
bool placement::numbers_suffice(const node_pool& pool, refusal& why) const {
  for (const chunk& c : request_->chunks)
    for (const want& w : c.wants) {
      if (!counted(w) || resources_[w.resource].consumable || pool.vnodes.empty()) continue;
      amount most = vnodes_[pool.vnodes.front()].available(w.resource);
      for (const index v : pool.vnodes) most = std::max(most, vnodes_[v].available(w.resource));
      if (w.value <= most) continue;
      why = insufficient(pool, w, most, most);
      return false;
    }
  return true;
}

bool placement::matched_somewhere(const node_pool& pool, const want& w) const {
  return std::any_of(pool.vnodes.begin(), pool.vnodes.end(), [&](index v) { return matches(vnodes_[v], w); });
}

// What the vnodes have instead, each value once: "linux,aix".
std::string placement::values_instead_of(const node_pool& pool, const want& w) const {
  const auto& table = resources_;
  const bool boolean = table[w.resource].is_boolean();
  std::vector<index> by_creation = pool.vnodes;
  std::sort(by_creation.begin(), by_creation.end(),
            [&](index a, index b) { return vnodes_[a].order < vnodes_[b].order; });
  std::vector<std::string> seen;
  const auto see = [&](const std::string& value) {
    if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
  };
  for (const index v : by_creation) {
    if (boolean) see(table.print(w.resource, vnodes_[v].available(w.resource)));
    if (const auto* values = vnodes_[v].text(w.resource)) std::for_each(values->begin(), values->end(), see);
  }
  std::string out;
  for (std::size_t i = 0; i < seen.size(); ++i) (out += i ? "," : "") += seen[i];
  return out;
}

bool placement::place_in(const node_pool& pool, allocation& out) {
  hosts_taken_.clear();
  vnodes_taken_.clear();
  return request_->arrange == values::arrangement::pack ? place_packed(pool, out) : place_spread(pool, out);
}

bool placement::place_packed(const node_pool& pool, allocation& out) {
  const bool hopeless = beyond_every_host(pool, request_->sums);
  unplaced_ = &request_->sums;
  for (const auto& host : pool.hosts) {
    if (!any_usable(host)) continue;
    if (!host_may_hold(host, request_->sums)) {
      if (hopeless) return false;
      continue;
    }
    bool all = true;
    for (const chunk& c : request_->chunks)
      for (std::uint32_t n = 0; all && n < c.count; ++n) all = place_chunk_on(host, c, out);
    if (all) return true;
    undo(out, {}, 0);
  }
  return false;
}

bool placement::place_spread(const node_pool& pool, allocation& out) {
  for (const chunk& c : request_->chunks) {
    if (spread_chunk(pool, c, out)) continue;
    unplaced_ = &c.wants;
    undo(out, {}, 0);
    return false;
  }
  return true;
}

bool placement::spread_chunk(const node_pool& pool, const chunk& c, allocation& out) {
  const bool scatter = request_->arrange == values::arrangement::scatter;
  const bool hopeless = beyond_every_host(pool, c.wants);
  std::uint32_t left = c.count;
  for (const auto& host : pool.hosts) {
    if (scatter && std::find(hosts_taken_.begin(), hosts_taken_.end(), host.host) != hosts_taken_.end()) continue;
    if (!any_usable(host)) continue;
    if (!host_may_hold(host, c.wants)) {
      if (hopeless) return false;
      continue;
    }
    while (left > 0 && place_chunk_on(host, c, out)) {
      --left;
      if (!scatter) continue;
      hosts_taken_.push_back(host.host);
      break;
    }
    if (left == 0) return true;
  }
  return false;
}

// -- one chunk ---------------------------------------------------------------------------------------------------------

bool placement::any_usable(const node_pool::host_group& host) const {
  return std::any_of(host.vnodes.begin(), host.vnodes.end(), [&](index v) { return may_use(v); });
}

// Told from what was free when the cycle began, and the first such host decides what the job is said to lack.
bool placement::host_may_hold(const node_pool::host_group& host, const std::vector<want>& wants) {
  for (const want& w : wants) {
    if (!checked_[w.resource]) continue;
    const bool holds = resources_[w.resource].numeric
                           ? host.at_start[w.resource] >= w.value
                           : std::any_of(host.vnodes.begin(), host.vnodes.end(),
                                         [&](index v) { return matches(vnodes_[v], w); });
    if (holds) continue;
    if (!first_lack_host_) first_lack_host_ = &host, first_lack_want_ = w;
    return false;
  }
  return true;
}

// Then the first host that is asked already tells the reason, and the others need not be.
bool placement::beyond_every_host(const node_pool& pool, const std::vector<want>& wants) const {
  return std::any_of(wants.begin(), wants.end(),
                     [&](const want& w) { return counted(w) && w.value > pool.largest_host[w.resource]; });
}

bool placement::beyond_what_others_leave() const {
  if (!others_ || others_->largest.empty()) return false;
  return std::any_of(request_->chunks.begin(), request_->chunks.end(), [&](const chunk& c) {
    return std::any_of(c.wants.begin(), c.wants.end(), [&](const want& w) { return counted(w) && w.value > others_->largest[w.resource]; });
  });
}

bool placement::place_chunk_on(const node_pool::host_group& host, const chunk& c, allocation& out) {
  if (whole_on_one(host, c, out)) return true;
  return request_->arrange != values::arrangement::vscatter && host.vnodes.size() > 1 && split_over(host, c, out);
}

bool placement::whole_on_one(const node_pool::host_group& host, const chunk& c, allocation& out) {
  for (const index at : host.vnodes) {
    const vnode& v = vnodes_[at];
    if (!may_use(at) || !matches(v, c.wants)) continue;
    const bool holds = std::all_of(c.wants.begin(), c.wants.end(), [&](const want& w) {
      return !counted(w) || left_on(at, w.resource) >= w.value;
    });
    if (!holds) continue;
    const auto aoe = aoe_of(c);
    const bool provisioned = !aoe.empty() && v.current_aoe != aoe;
    if (provisioned && !may_provision(at, aoe)) continue;
    allocation::part part{at, static_cast<std::uint32_t>(out.pieces.size()), 0, provisioned ? std::string(aoe) : ""};
    for (const want& w : c.wants) {
      if (!counted(w)) continue;
      out.pieces.push_back({w.resource, w.value});
      vnodes_.take(at, w.resource, w.value);
    }
    part.end_piece = static_cast<std::uint32_t>(out.pieces.size());
    const auto first = static_cast<std::uint32_t>(out.parts.size());
    out.parts.push_back(part);
    out.chunks.push_back({first, first + 1});
    if (request_->arrange == values::arrangement::vscatter) vnodes_taken_.push_back(at);
    return true;
  }
  return false;
}

bool placement::split_over(const node_pool::host_group& host, const chunk& c, allocation& out) {
  needed_.clear();
  for (const want& w : c.wants) needed_.push_back(counted(w) ? w.value : 0);
  const auto first = static_cast<std::uint32_t>(out.parts.size());
  for (const index at : host.vnodes) {
    if (!may_use(at) || !matches(vnodes_[at], c.wants)) continue;
    if (const auto aoe = aoe_of(c); !aoe.empty() && vnodes_[at].current_aoe != aoe) continue;
    if (!give_part(at, c, out.parts.size() == first, out)) continue;
    if (std::all_of(needed_.begin(), needed_.end(), [](amount n) { return n == 0; })) {
      out.chunks.push_back({first, static_cast<std::uint32_t>(out.parts.size())});
      return true;
    }
  }
  out.chunks.push_back({first, static_cast<std::uint32_t>(out.parts.size())});
  undo(out, out.chunks.back(), out.chunks.size() - 1);
  return false;
}

// Takes as much of everything still needed as the vnode has. PBS writes the parts of a split chunk backwards, and what
// was asked as 0 on the first vnode only.
bool placement::give_part(index at, const chunk& c, bool first, allocation& out) {
  allocation::part part{at, static_cast<std::uint32_t>(out.pieces.size()), 0, {}};
  bool gives = false;
  for (std::size_t i = c.wants.size(); i-- > 0;) {
    const want& w = c.wants[i];
    if (!counted(w)) continue;
    const amount given = needed_[i] > 0 ? std::min(needed_[i], left_on(at, w.resource)) : 0;
    if (given > 0) gives = true;
    if (given > 0 || (first && w.value == 0)) out.pieces.push_back({w.resource, std::max<amount>(given, 0)});
  }
  if (!gives) {
    out.pieces.resize(part.first_piece);
    return false;
  }
  part.end_piece = static_cast<std::uint32_t>(out.pieces.size());
  for (std::uint32_t p = part.first_piece; p < part.end_piece; ++p) {
    vnodes_.take(at, out.pieces[p].resource, out.pieces[p].value);
    for (std::size_t i = 0; i < c.wants.size(); ++i)
      if (c.wants[i].resource == out.pieces[p].resource) needed_[i] -= out.pieces[p].value;
  }
  out.parts.push_back(part);
  return true;
}

void placement::undo(allocation& out, allocation::placed_chunk to, std::size_t chunks) {
  for (std::size_t p = to.first_part; p < out.parts.size(); ++p)
    for (std::uint32_t i = out.parts[p].first_piece; i < out.parts[p].end_piece; ++i)
      vnodes_.give_back(out.parts[p].vnode, out.pieces[i].resource, out.pieces[i].value);
  out.pieces.resize(to.first_part < out.parts.size() ? out.parts[to.first_part].first_piece : out.pieces.size());
  out.parts.resize(to.first_part);
  out.chunks.resize(chunks);
}

// Numbers that are not used up were taken so that the job's own chunks could not have them twice; now they are free
// again. And the other vnodes of hosts that the job has for itself are added.
void placement::finish(allocation& out) {
  for (const auto& part : out.parts)
    for (std::uint32_t i = part.first_piece; i < part.end_piece; ++i)
      if (!resources_[out.pieces[i].resource].consumable)
        vnodes_.give_back(part.vnode, out.pieces[i].resource, out.pieces[i].value);
  std::vector<index> whole;
  for (const auto& part : out.parts) {
    const vnode& v = vnodes_[part.vnode];
    if (hold_on(v, request_->share) != hold_kind::whole_host) continue;
    const auto is_there = [&](index at) { return vnodes_[at].one_host == v.one_host; };
    if (std::none_of(whole.begin(), whole.end(), is_there)) whole.push_back(part.vnode);
  }
  for (const index first : whole)
    for (const index v : vnodes_.one_host(vnodes_[first])) {
      const bool used = std::any_of(out.parts.begin(), out.parts.end(), [&](const auto& part) { return part.vnode == v; });
      if (!used && !vnodes_[v].stale) out.whole_host_extra.push_back(v);
    }
  sort_vnodes(out.whole_host_extra);
}

void placement::give_back(const allocation& placed) {
  for (const auto& part : placed.parts)
    for (std::uint32_t i = part.first_piece; i < part.end_piece; ++i)
      if (resources_[placed.pieces[i].resource].consumable)
        vnodes_.give_back(part.vnode, placed.pieces[i].resource, placed.pieces[i].value);
}

claim placement::claim_of(const job& j, const allocation& placed) const {
  claim c;
  const auto share = jobs_.request_of(j).share;
  const auto hold = [&](index v, bool provisioned = false) {
    if (std::any_of(c.vnodes.begin(), c.vnodes.end(), [&](const auto& taken) { return taken.vnode == v; })) return;
    c.vnodes.push_back({v, provisioned || holds_alone(vnodes_[v], share)});
  };
  for (const auto& part : placed.parts) {
    hold(part.vnode, !part.aoe.empty());
    for (std::uint32_t i = part.first_piece; i < part.end_piece; ++i)
      if (resources_[placed.pieces[i].resource].consumable)
        c.amounts.push_back({part.vnode, placed.pieces[i].resource, placed.pieces[i].value});
  }
  for (const index extra : placed.whole_host_extra) hold(extra);
  return c;
}

// -- one vnode ---------------------------------------------------------------------------------------------------------

bool placement::may_use(index at) const {
  const vnode& v = vnodes_[at];
  if (!usable_[at] || v.exclusive_jobs > 0) return false;
  if (failed_on(v.host)) return false;
  if (v.no_multinode_jobs && request_->arrange == values::arrangement::scatter && request_->chunk_count > 1) return false;
  if (!vnodes_taken_.empty() && std::find(vnodes_taken_.begin(), vnodes_taken_.end(), at) != vnodes_taken_.end()) return false;
  const auto wanted = hold_on(v, request_->share);
  if (others_ && reserved_for_others(at, wanted)) return false;
  switch (wanted) {
    case hold_kind::shared: break;
    case hold_kind::exclusive:
      if (!v.jobs.empty()) return false;
      break;
    case hold_kind::whole_host:
      for (const index other : vnodes_.one_host(v))
        if (!vnodes_[other].jobs.empty()) return false;
  }
  return within_run_limits(v);
}

bool placement::reserved_for_others(index at, hold_kind wanted) const {
  using kind = reserved_space::kind;
  const auto& v = vnodes_[at];
  if (others_->vnodes[at] == kind::alone) return true;
  if (wanted == hold_kind::shared || v.sharing == sharing_mode::ignore_excl) return false;
  if (wanted == hold_kind::exclusive) return others_->vnodes[at] != kind::none;
  const auto& all = vnodes_.one_host(v);
  return std::any_of(all.begin(), all.end(), [&](index other) { return others_->vnodes[other] != kind::none; });
}

amount placement::left_on(index at, resource_id r) const {
  const vnode& v = vnodes_[at];
  const amount left = vnodes_.free_amount(v, r);
  if (!others_) return left;
  if (v.borrowed.empty() && v.lent.empty()) return left - others_->of(at, r);
  index owner = at;
  for (const auto& b : v.borrowed)
    if (b.resource == r) owner = b.vnode;
  amount reserved = others_->of(owner, r);
  for (const auto& l : vnodes_[owner].lent)
    if (l.resource == r) reserved += others_->of(l.vnode, r);
  return left - reserved;
}

amount reserved_space::of_pool(index queue, resource_id r) const {
  for (const auto& p : pools)
    if (p.queue == queue && p.resource == r) return p.value;
  return 0;
}

std::optional<placement::run_limit> placement::reached_run_limit(const vnode& v) const {
  const auto runs = static_cast<std::int64_t>(v.jobs.size());
  if (v.max_running >= 0 && runs >= v.max_running) return run_limit{"max_running", v.max_running, runs};
  if (v.max_user_run < 0 && v.max_group_run < 0) return std::nullopt;
  std::int64_t of_user = 0, of_group = 0;
  for (const auto& on : v.jobs) {
    const job* other = jobs_.find(on.job);
    if (!other) continue;
    of_user += other->euser == job_->euser;
    of_group += other->egroup == job_->egroup;
  }
  if (v.max_user_run >= 0 && of_user >= v.max_user_run) return run_limit{"max_user_run", v.max_user_run, of_user};
  if (v.max_group_run >= 0 && of_group >= v.max_group_run) return run_limit{"max_group_run", v.max_group_run, of_group};
  return std::nullopt;
}

bool placement::within_run_limits(const vnode& v) const { return !has_run_limits_ || lifts_run_limits_ || !reached_run_limit(v); }

std::string_view placement::aoe_of(const chunk& c) const {
  for (const want& w : c.wants)
    if (w.resource == aoe_) return w.text;
  return {};
}

// Whether the vnode can be given the environment, which it has not (pbs guide: provisioning).
bool placement::may_provision(index at, std::string_view aoe) {
  if (keeps_aoes_) return false;
  const vnode& v = vnodes_[at];
  const auto* offered = v.text(aoe_);
  std::string why;
  if (!site_.provisions()) why = "Cannot provision, provisioning disabled on server";
  else if (!v.provision_enable) why = "Cannot provision, provisioning disabled on vnode";
  else if (!offered || std::find(offered->begin(), offered->end(), aoe) == offered->end())
    why = "Cannot provision, requested AOE " + std::string(aoe) + " not available on vnode";
  else if (vnodes_.hosts()[v.host].vnodes.size() > 1) why = "Cannot provision, host has multiple vnodes";
  else if (!v.jobs.empty()) why = "Provision conflict with existing job/reservation";
  if (provision_lack_.empty()) provision_lack_ = why;
  return why.empty();
}

bool placement::matches(const vnode& v, const want& w) const {
  const auto& r = resources_[w.resource];
  if (r.is_boolean()) return v.available(w.resource) == w.value;  // unset is False
  const auto* values = v.text(w.resource);
  if (!values) return false;
  const bool any_case = r.name == "host";
  return std::any_of(values->begin(), values->end(), [&](const std::string& value) {
    return any_case ? values::equal_any_case(value, w.text) : value == w.text;
  });
}

bool placement::matches(const vnode& v, const std::vector<want>& wants) const {
  return std::all_of(wants.begin(), wants.end(), [&](const want& w) {
    return !checked_[w.resource] || resources_[w.resource].numeric || matches(v, w);
  });
}

}  // namespace annals::cycle
