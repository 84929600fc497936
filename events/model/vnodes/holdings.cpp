// How the events of hosts and jobs change who holds what.
#include "events/model/vnodes/holdings.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/resources.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace ids = attributes::node;

// -- hosts ---------------------------------------------------------------------------------------------------------------

holdings::number holdings::known(std::string_view vnode) {
  const auto key = name_table::key_of(vnode);
  if (const auto at = number_of(key, vnode); at != name_table::none) return at;
  const auto added = static_cast<number>(vnodes_.size());
  vnodes_.emplace_back().name = vnode;
  numbers_.add(key, added);
  return added;
}

holdings::number holdings::number_of(name_table::key key, std::string_view vnode) const {
  return numbers_.find(key, [&](number at) { return vnodes_[at].name == vnode; });
}
holdings::number holdings::number_of(std::string_view vnode) const { return number_of(name_table::key_of(vnode), vnode); }

std::vector<holdings::located> holdings::locate(std::string_view exec_vnode, std::string_view* unknown) const {
  struct named {
    name_table::key key;
    std::string_view vnode, resources;
  };
  std::vector<named> names;
  names.reserve(std::min<std::size_t>(exec_vnode.size() / 16, vnodes_.size()));
  values::exec_vnode_reader parts(exec_vnode);
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    names.push_back({name_table::key_of(p.vnode), p.vnode, p.resources});
    numbers_.expect(names.back().key);
  }
  if (!parts.well_formed()) return {};
  for (const auto& n : names)
    numbers_.find(n.key, [&](number at) {
      __builtin_prefetch(&vnodes_[at]);
      return true;
    });
  std::vector<located> found;
  found.reserve(names.size());
  for (const auto& n : names) {
    const auto at = number_of(n.key, n.vnode);
    if (at != name_table::none) found.push_back({at, static_cast<std::uint32_t>(found.size()), n.resources});
    else if (unknown && unknown->empty()) *unknown = n.vnode;
  }
  std::sort(found.begin(), found.end(),
            [](const located& a, const located& b) { return std::pair(a.at, a.order) < std::pair(b.at, b.order); });
  return found;
}

// A large cluster does not fit into the processor's caches: what waits for memory is most of what an assignment costs.
void holdings::expect(const std::vector<located>& parts, std::size_t next) const {
  constexpr std::size_t entry_ahead = 12, amounts_ahead = 6, line = 64;
  if (next + entry_ahead < parts.size()) {
    const auto* const entry = reinterpret_cast<const char*>(&vnodes_[parts[next + entry_ahead].at]);
    for (std::size_t at = 0; at < sizeof(vnode_entry); at += line) __builtin_prefetch(entry + at);
  }
  if (next + amounts_ahead >= parts.size()) return;
  const auto& v = vnodes_[parts[next + amounts_ahead].at];
  for (const auto* const some : {&v.available, &v.use.assigned}) {
    __builtin_prefetch(some->begin());
    __builtin_prefetch(reinterpret_cast<const char*>(some->begin()) + line);
  }
  __builtin_prefetch(v.use.jobs.data());
}

const holdings::vnode_entry* holdings::entry(std::string_view vnode) const {
  const auto at = number_of(vnode);
  return at == name_table::none ? nullptr : &vnodes_[at];
}

const host_state* holdings::host_of(std::string_view vnode) const {
  const auto* v = entry(vnode);
  return v && v->host != 0 ? &hosts_.at(v->host) : nullptr;
}

const vnode_use* holdings::find(std::string_view vnode) const {
  const auto* v = entry(vnode);
  return v ? &v->use : nullptr;
}

holdings::place holdings::place_of(std::string_view vnode) const {
  const auto* v = entry(vnode);
  if (!v || v->host == 0) return {nullptr, {}};
  return {&hosts_.at(v->host), partitions_[v->partition]};
}

std::string_view holdings::partition_of(std::string_view vnode) const { return place_of(vnode).partition; }

std::string_view holdings::partition_of_first(std::string_view exec_vnode) const {
  values::exec_vnode_reader parts(exec_vnode);
  values::exec_vnode_reader::part first;
  return parts.next(first) ? partition_of(first.vnode) : std::string_view();
}

// Partitions are few: schedulers have one each.
std::uint32_t holdings::partition_number(std::string_view name) const {
  const auto at = std::find(partitions_.begin(), partitions_.end(), name);
  return at == partitions_.end() ? no_vnode_has_it : static_cast<std::uint32_t>(at - partitions_.begin());
}

std::uint32_t holdings::known_partition(std::string_view name) {
  if (const auto at = partition_number(name); at != no_vnode_has_it) return at;
  partitions_.emplace_back(name);
  return static_cast<std::uint32_t>(partitions_.size() - 1);
}

bool holdings::is_pool(std::string_view vnode, std::string_view resource) const {
  const auto pool = pools_.find(vnode);
  return pool != pools_.end() && (resource.empty() || pool->second.contains(resource));
}

void holdings::share_nothing(std::string_view vnode) {
  const auto shares = sharing_.find(vnode);
  if (shares == sharing_.end()) return;
  for (const auto& s : shares->second) {
    const auto pool = pools_.find(s.pool);
    const auto of = pool->second.find(s.resource);
    if (--of->second == 0) pool->second.erase(of);
    if (pool->second.empty()) pools_.erase(pool);
  }
  sharing_.erase(shares);
}

void holdings::refresh(const event_place& at, const vnode_state& vnode) {
  auto& v = vnodes_[known(vnode.name)];
  v.host = at.stream;
  v.able = base_state(hosts_.at(at.stream), vnode).empty();
  v.sharing = read_sharing(vnode.attributes.get(ids::sharing).value_or(""));
  v.partition = known_partition(vnode.attributes.get(ids::partition).value_or(""));
  v.available = {};
  share_nothing(vnode.name);
  for (const auto& e : vnode.attributes) {
    if (e.id != ids::resources_available) continue;
    if (e.value.starts_with('@')) {
      const shared s{std::string(e.resource), std::string(e.value.substr(1))};
      ++pools_[s.pool][s.resource];
      sharing_[vnode.name].push_back(s);
    }
    bool counts = false;
    const auto a = read_amount(e.value, &counts);
    if (counts) v.available[e.resource] = a;
  }
  look_at_state(v, at.seconds());
}

void holdings::forget(std::string_view vnode) {
  vnodes_[known(vnode)].host = 0;
  share_nothing(vnode);
}

void holdings::apply(const event_place& at, schema::HostEvent::Reader event) {
  using which = schema::HostEvent::Which;
  auto& host = hosts_[at.stream];
  model::apply(host, at, event);
  const auto refresh_one = [&](capnp::Text::Reader name) { refresh(at, *host.vnode(schema::text(name))); };
  switch (event.which()) {
    case which::VNODE_CREATED: return refresh_one(event.getVnodeCreated().getName());
    case which::VNODE_CHANGED: return refresh_one(event.getVnodeChanged().getVnode());
    case which::CAME_UP:
    case which::WENT_DOWN:
      for (const auto& v : host.vnodes) refresh(at, v);
      return;
    case which::VNODE_DELETED: return forget(schema::text(event.getVnodeDeleted().getName()));
    case which::REMOVED:
      for (const auto& v : host.vnodes) forget(v.name);
      hosts_.erase(at.stream);
      return;
    default: return;
  }
}

void holdings::apply(schema::ServerEvent::Reader event) {
  if (event.isResourceDeleted()) only_compared_.erase(schema::str(event.getResourceDeleted().getName()));
  if (!event.isResourceCreated() && !event.isResourceChanged()) return;
  const auto defined = event.isResourceCreated() ? event.getResourceCreated() : event.getResourceChanged();
  const auto flags = attributes::resource_flags_of(schema::text(defined.getFlags())).value_or(0);
  if ((flags & (attributes::consumable | attributes::first_host_only)) != 0) only_compared_.erase(schema::str(defined.getName()));
  else only_compared_.insert(schema::str(defined.getName()));
}

// The vnodes of a run share what they were asked for, as they did when it was assigned.
void holdings::restored() {
  numbers_ = {};
  std::unordered_map<std::uint64_t, amounts> last;
  for (number at = 0; at < vnodes_.size(); ++at) {
    numbers_.add(name_table::key_of(vnodes_[at].name), at);
    for (auto& j : vnodes_[at].use.jobs) {
      auto& before = last[j.job];
      if (before == j.held) j.held = before;
      else before = j.held;
    }
  }
}

// -- jobs ----------------------------------------------------------------------------------------------------------------

void holdings::apply(const event_place& at, std::string_view id, schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::ASSIGNED:
      return take(at, id, schema::text(event.getAssigned().getExecVnode()), schema::text(event.getAssigned().getPlace()));
    case which::VNODES_TAKEN: {
      const auto e = event.getVnodesTaken();
      if (e.getAmountsOnly()) change_amounts(at, schema::text(e.getExecVnode()), +1);
      else take(at, id, schema::text(e.getExecVnode()), schema::text(e.getPlace()));
      return end_maintenance(at, id);
    }
    case which::VNODES_RELEASED: return release(at, id, event.getVnodesReleased());
    case which::SUSPENDED:
      if (event.getSuspended().getAdmin()) begin_maintenance(at, id);
      return;
    default: return;  // VnodesReleased follows JobReduced, and VnodesTaken JobResumed
  }
}

namespace {

bool has_entry(const vnode_use& use, std::uint64_t job) {
  return std::any_of(use.jobs.begin(), use.jobs.end(), [&](const vnode_job& j) { return j.job == job; });
}

// Of a job's entries on a vnode the first that suits, or else the first; end() when it has none there.
template <class Suits>
std::vector<vnode_job>::iterator entry_of(vnode_use& use, std::uint64_t job, Suits&& suits) {
  auto first = use.jobs.end();
  for (auto j = use.jobs.begin(); j != use.jobs.end(); ++j) {
    if (j->job != job) continue;
    if (suits(*j)) return j;
    if (first == use.jobs.end()) first = j;
  }
  return first;
}

}  // namespace

// The lowest cpu slots that no job has.
std::vector<std::uint32_t> holdings::free_slots(const vnode_entry& v, std::uint32_t wanted) {
  std::vector<std::uint32_t> slots;
  slots.reserve(wanted);
  for (std::uint32_t s = 0; s < 64 && slots.size() < wanted; ++s)
    if ((v.low_slots >> s & 1) == 0) slots.push_back(s);
  if (slots.size() == wanted) return slots;
  std::vector<bool> taken;  // of those from 64 on
  for (const auto& j : v.use.jobs)
    for (const auto s : j.slots) {
      if (s < 64) continue;
      if (s - 64 >= taken.size()) taken.resize(s - 63);
      taken[s - 64] = true;
    }
  for (std::uint32_t s = 64; slots.size() < wanted; ++s)
    if (s - 64 >= taken.size() || !taken[s - 64]) slots.push_back(s);
  return slots;
}

void holdings::count_slots(vnode_entry& v) {
  v.low_slots = 0;
  for (const auto& j : v.use.jobs)
    for (const auto s : j.slots)
      if (s < 64) v.low_slots |= std::uint64_t{1} << s;
}

void holdings::add(const taking& t, number at, const amounts& asked, bool alone) {
  auto& v = vnodes_[at];
  vnode_job j;
  j.job = t.job;
  j.id = t.id;
  j.held = asked;
  j.slots = free_slots(v, static_cast<std::uint32_t>(asked.value_of("ncpus")));
  j.exclusive = alone || hold_of(t.place, v.sharing) == hold_kind::exclusive;
  v.exclusive_jobs += j.exclusive;
  for (const auto s : j.slots)
    if (s < 64) v.low_slots |= std::uint64_t{1} << s;
  v.use.assigned.add(asked, +1);
  v.use.jobs.push_back(std::move(j));
  look_at_state(v, t.at_s);
}

void holdings::take(const event_place& at, std::string_view id, std::string_view exec_vnode, std::string_view place) {
  const taking t{at.stream, at.seconds(), id, read_place_sharing(place)};
  auto& of_job = vnodes_of_job_[at.stream];
  const auto parts = locate(exec_vnode);
  of_job.reserve(of_job.size() + parts.size());
  amounts_reader read;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expect(parts, i);
    add(t, parts[i].at, read(parts[i].resources), !aoe_of_part(parts[i].resources).empty());
    of_job.insert(parts[i].at);
  }
  if (of_job.empty()) vnodes_of_job_.erase(at.stream);
}

void holdings::release(const event_place& at, std::string_view id, schema::VnodesReleased::Reader e) {
  if (e.getAmountsOnly()) return change_amounts(at, schema::text(e.getExecVnode()), -1);
  const bool left = e.getWhy() != schema::ReleaseReason::SUSPENDED;
  const auto parts = locate(schema::text(e.getExecVnode()));
  amounts_reader read;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expect(parts, i);
    auto& v = vnodes_[parts[i].at];
    if (left) std::erase(v.use.maintenance, id);
    give(at.stream, parts[i].at, read(parts[i].resources), left ? std::optional(at.seconds()) : std::nullopt);
    look_at_state(v, at.seconds());
  }
}

// What a suspended job has given up before is not there any more: its run leaves the vnode and nothing else changes.
void holdings::give(std::uint64_t job, number at, const amounts& asked, std::optional<std::int64_t> left_s) {
  auto& use = vnodes_[at].use;
  const auto held = entry_of(use, job, [&](const vnode_job& j) { return j.held == asked; });
  if (held == use.jobs.end()) return;
  use.assigned.add(held->held, -1);
  vnodes_[at].exclusive_jobs -= held->exclusive;
  use.jobs.erase(held);
  count_slots(vnodes_[at]);
  if (left_s) use.last_used_s = *left_s;
  if (has_entry(use, job)) return;
  const auto of_job = vnodes_of_job_.find(job);
  of_job->second.erase(at);
  if (of_job->second.empty()) vnodes_of_job_.erase(of_job);
}

void holdings::change_amounts(const event_place& at, std::string_view exec_vnode, int sign) {
  amounts_reader read;
  for (const auto& part : locate(exec_vnode)) {
    auto& use = vnodes_[part.at].use;
    const auto& by = read(part.resources);
    const auto held = entry_of(use, at.stream, [&](const vnode_job& j) {
      return std::all_of(by.begin(), by.end(), [&](const auto& a) {
        const auto has = j.held.value_of(a.first);
        return sign < 0 ? has >= a.second.value : has <= 0;
      });
    });
    if (held == use.jobs.end()) continue;
    held->held.add(by, sign);
    use.assigned.add(by, sign);
    look_at_state(vnodes_[part.at], at.seconds());
  }
}

void holdings::restore(std::vector<std::pair<std::string, vnode_use>> uses) {
  for (auto& v : vnodes_) {
    v.use = {};
    v.exclusive_jobs = 0;
    v.low_slots = 0;
    v.state = {};
  }
  vnodes_of_job_.clear();
  for (auto& [name, use] : uses) {
    const auto at = known(name);
    for (const auto& j : use.jobs) {
      vnodes_of_job_[j.job].insert(at);
      vnodes_[at].exclusive_jobs += j.exclusive;
    }
    vnodes_[at].use = std::move(use);
    count_slots(vnodes_[at]);
    vnodes_[at].state = state_now(vnodes_[at]);
  }
}

}  // namespace annals::model
