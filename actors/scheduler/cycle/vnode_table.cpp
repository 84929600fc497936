#include "actors/scheduler/cycle/vnode_table.hpp"

#include <algorithm>

#include "actors/scheduler/cycle/attribute_text.hpp"
#include "events/schema/message.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using schema::text;

namespace {

sharing_mode read_sharing(std::string_view word) {
  if (word == "default_excl") return sharing_mode::default_excl;
  if (word == "ignore_excl") return sharing_mode::ignore_excl;
  if (word == "force_excl") return sharing_mode::force_excl;
  if (word == "default_exclhost") return sharing_mode::default_exclhost;
  if (word == "force_exclhost") return sharing_mode::force_exclhost;
  return sharing_mode::default_shared;
}

// Jobs and reservations come and go; whatever else a state says stays.
bool only_busy(std::string_view state) {
  const auto words = values::split_trimmed(state);
  return std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "free" || word == "job-busy" || word == "job-exclusive" || word == "resv-exclusive";
  });
}

template <class T>
void set_at(std::vector<T>& list, std::size_t at, T value) {
  if (at >= list.size()) list.resize(at + 1);
  list[at] = value;
}

}  // namespace

const std::vector<std::string>* vnode::text(resource_id r) const {
  for (const auto& t : texts)
    if (t.resource == r) return &t.values;
  return nullptr;
}

std::uint32_t host::lowest_free_slot(std::uint32_t from) const {
  while (from < slots.size() && slots[from] > 0) ++from;
  return from;
}

hold_kind hold_on(const vnode& v, values::sharing asked) {
  using values::sharing;
  if (asked == sharing::exclhost || v.sharing == sharing_mode::force_exclhost) return hold_kind::whole_host;
  switch (v.sharing) {
    case sharing_mode::ignore_excl: return hold_kind::shared;
    case sharing_mode::force_excl: return hold_kind::exclusive;
    case sharing_mode::default_excl: return asked == sharing::shared ? hold_kind::shared : hold_kind::exclusive;
    case sharing_mode::default_exclhost:
      return asked == sharing::shared ? hold_kind::shared
             : asked == sharing::excl ? hold_kind::exclusive
                                      : hold_kind::whole_host;
    case sharing_mode::default_shared:
    case sharing_mode::force_exclhost: break;
  }
  return asked == sharing::excl ? hold_kind::exclusive : hold_kind::shared;
}

bool holds_alone(const vnode& v, values::sharing asked) {
  return hold_on(v, asked) != hold_kind::shared && v.sharing != sharing_mode::ignore_excl;
}

// -- what the server says ------------------------------------------------------------------------------------------------

void vnode_table::apply_attribute(vnode& v, schema::Attribute::Reader a) {
  const auto name = text(a.getName());
  const auto value = text(a.getValue());
  if (name != "resources_available") {
    const auto number = [&](std::int64_t fallback) { return values::parse_integer(value).value_or(fallback); };
    if (name == "Priority") v.priority = number(0);
    if (name == "sharing") v.sharing = read_sharing(value);
    if (name == "queue" && !value.empty()) v.queue = queues_.at(value);
    if (name == "no_multinode_jobs") v.no_multinode_jobs = is_true(value);
    if (name == "provision_enable") v.provision_enable = is_true(value);
    if (name == "current_aoe") v.current_aoe = value;
    if (name == "resv_enable") v.takes_reservations = is_true(value);
    if (name == "max_running") v.max_running = number(-1);
    if (name == "max_user_run") v.max_user_run = number(-1);
    if (name == "max_group_run") v.max_group_run = number(-1);
    return;
  }
  const resource_id r = resources_.find(text(a.getResource()));
  if (r == no_resource) return;
  if (resources_[r].is_text()) {
    v.texts.push_back({r, resources_[r].type == attributes::value_type::string_array ? values::split_list(value)
                                                                                     : std::vector<std::string>{std::string(value)}});
  } else if (!value.empty() && value[0] == '@') {
    borrowed_names_[vnode_ids_.find(v.name)->second].emplace_back(r, value.substr(1));
  } else if (const auto n = resources_.read(r, value, rounding::down)) {
    set_at(v.has, r, *n);
  }
}

index vnode_table::apply(schema::SchedVnode::Reader row) {
  const auto [at, is_new] = vnode_ids_.try_emplace(std::string(text(row.getName())), static_cast<index>(vnodes_.size()));
  if (is_new) {
    vnodes_.emplace_back();
    borrowed_names_.emplace_back();
  }
  const index i = at->second;
  vnode v;
  v.name = text(row.getName());
  v.exists = true;
  v.order = row.getOrder();
  v.free = text(row.getState()) == "free";
  v.up = only_busy(text(row.getState()));
  v.stale = text(row.getState()).find("Stale") != std::string_view::npos;
  v.host = host_at(text(row.getHost()));
  borrowed_names_[i].clear();
  for (const auto a : row.getAttributes()) apply_attribute(v, a);
  for (const char* name : {"host", "vnode"}) {  // every vnode has both, whether or not somebody set them
    const resource_id r = resources_.find(name);
    if (!v.text(r)) v.texts.push_back({r, {*name == 'h' ? hosts_[v.host].name : v.name}});
  }
  for (const auto a : row.getAssigned()) {
    const resource_id r = resources_.find(text(a.getResource()));
    if (r == no_resource || !resources_[r].consumable) continue;
    if (const auto n = resources_.read(r, text(a.getValue()), rounding::up)) set_at(v.used, r, *n);
  }
  if (const resource_id r = resources_.find("host"); is_new || *vnodes_[i].text(r) != *v.text(r)) one_hosts_changed_ = true;
  else v.one_host = vnodes_[i].one_host;
  if (!is_new && vnodes_[i].exists) std::erase(hosts_[vnodes_[i].host].vnodes, i);
  vnodes_[i] = std::move(v);
  for (const auto j : row.getJobs()) take_vnode(i, j.getJob(), j.getExclusive());
  auto& members = hosts_[vnodes_[i].host].vnodes;
  members.insert(std::upper_bound(members.begin(), members.end(), i,
                                  [&](index a, index b) { return vnodes_[a].order < vnodes_[b].order; }),
                 i);
  return i;
}

void vnode_table::remove(std::string_view name) {
  const auto at = vnode_ids_.find(name);
  if (at == vnode_ids_.end()) return;
  vnodes_[at->second].exists = false;
  std::erase(hosts_[vnodes_[at->second].host].vnodes, at->second);
  vnode_ids_.erase(at);
  one_hosts_changed_ = true;
}

void vnode_table::finish_rows() {
  link_borrowed_pools();
  count_vnodes_of_queues();
  if (std::exchange(one_hosts_changed_, false)) find_one_hosts();
}

void vnode_table::link_borrowed_pools() {
  for (auto& v : vnodes_) {
    v.borrowed.clear();
    v.lent.clear();
  }
  for (index i = 0; i < vnodes_.size(); ++i) {
    if (!vnodes_[i].exists) continue;
    for (const auto& [resource, owner] : borrowed_names_[i]) {
      const auto at = vnode_ids_.find(owner);
      if (at == vnode_ids_.end() || at->second == i) continue;
      vnodes_[i].borrowed.push_back({resource, at->second});
      vnodes_[at->second].lent.push_back({resource, i});
    }
  }
}

void vnode_table::find_one_hosts() {
  one_hosts_.clear();
  name_index known;
  const resource_id r = resources_.find("host");
  for (index i = 0; i < vnodes_.size(); ++i) {
    if (!vnodes_[i].exists) continue;
    const auto [at, is_new] = known.try_emplace(values::lower_case(vnodes_[i].text(r)->front()), static_cast<index>(one_hosts_.size()));
    if (is_new) one_hosts_.emplace_back();
    one_hosts_[at->second].push_back(i);
    vnodes_[i].one_host = at->second;
  }
}

void vnode_table::count_vnodes_of_queues() {
  queues_.forget_vnodes();
  for (const auto& v : vnodes_)
    if (v.exists && v.queue != none) queues_.count_vnode(v.queue);
}

index vnode_table::host_at(std::string_view name) {
  if (const auto at = host_ids_.find(name); at != host_ids_.end()) return at->second;
  host_ids_.emplace(name, static_cast<index>(hosts_.size()));
  hosts_.emplace_back().name = name;
  return static_cast<index>(hosts_.size() - 1);
}

index vnode_table::find(std::string_view name) const {
  const auto at = vnode_ids_.find(name);
  return at == vnode_ids_.end() ? none : at->second;
}

// -- what is in use ------------------------------------------------------------------------------------------------------

bool vnode_table::usable(const vnode& v) const { return usable_in_state(v, supposing_ ? v.up : v.free); }

bool vnode_table::usable_in_state(const vnode& v, bool in_state) const {
  if (!v.exists || !in_state || v.exclusive_jobs > 0) return false;
  const amount cpus = v.available(ncpus_);
  return cpus <= 0 || v.in_use(ncpus_) < cpus;  // all in use: job-busy
}

amount vnode_table::free_of_shared(const vnode& v, resource_id r) const {
  const vnode* owner = &v;
  for (const auto& b : v.borrowed)
    if (b.resource == r) owner = &vnodes_[b.vnode];
  amount left = owner->available(r) - owner->in_use(r);
  for (const auto& l : owner->lent)
    if (l.resource == r) left -= vnodes_[l.vnode].in_use(r);
  return left;
}

void vnode_table::take(index vnode_at, resource_id r, amount value) {
  auto& used = vnodes_[vnode_at].used;
  if (r >= used.size()) used.resize(resources_.size());
  used[r] += value;
}

void vnode_table::take_vnode(index vnode_at, std::uint64_t job, bool exclusive) {
  vnodes_[vnode_at].jobs.push_back({job, exclusive});
  vnodes_[vnode_at].exclusive_jobs += exclusive;
}

void vnode_table::leave_vnode(index vnode_at, std::uint64_t job) {
  auto& jobs = vnodes_[vnode_at].jobs;
  const auto entry = std::find_if(jobs.begin(), jobs.end(), [&](const job_on_vnode& on) { return on.job == job; });
  if (entry == jobs.end()) return;
  vnodes_[vnode_at].exclusive_jobs -= entry->exclusive;
  jobs.erase(entry);
}

void vnode_table::count_slots(const std::vector<std::pair<index, std::uint32_t>>& slots, int sign) {
  // Slots are numbered by chunk: far beyond any job; a larger number is not ours and can't be the lowest free one.
  constexpr std::uint32_t slot_max = 1u << 22;
  for (const auto& [h, slot] : slots) {
    if (slot > slot_max) continue;
    auto& taken = hosts_[h].slots;
    if (slot >= taken.size()) taken.resize(slot + 1);
    taken[slot] = static_cast<std::uint16_t>(taken[slot] + sign);
  }
}

}  // namespace annals::cycle
