#include "actors/scheduler/cycle/view.hpp"

#include <algorithm>

#include "events/schema/message.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/job_id.hpp"
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

bool is_true(std::string_view value) { return values::parse_boolean(value).value_or(false); }

void read_pool(named_amounts& pool, const resource_table& resources, schema::Attribute::Reader a) {
  want w;
  w.resource = resources.find(text(a.getResource()));
  if (w.resource == no_resource) return;
  if (resources[w.resource].is_text()) {
    w.text = text(a.getValue());
  } else {
    const auto value = resources.read(w.resource, text(a.getValue()), rounding::down);
    if (!value) return;
    w.value = *value;
  }
  pool.available.push_back(std::move(w));
}

void read_durations(job& j, schema::SchedJob::Reader row, const resource_table& resources) {
  std::optional<std::int64_t> walltime, soft, min, max;
  j.durations.clear();
  for (const auto a : row.getResources()) {
    const auto r = resources.find(text(a.getResource()));
    if (r == no_resource || resources[r].type != attributes::value_type::duration) continue;
    const auto seconds = values::parse_duration(text(a.getValue()));
    if (!seconds) continue;
    if (resources[r].name == "walltime") walltime = seconds;
    else j.durations.emplace_back(r, *seconds);
    if (resources[r].name == "soft_walltime") soft = seconds;
    if (resources[r].name == "min_walltime") min = seconds;
    if (resources[r].name == "max_walltime") max = seconds;
  }
  j.walltime = walltime.value_or(no_walltime);
  j.soft_walltime = min ? 0 : std::max<std::int64_t>(soft.value_or(0), 0);  // a shrink-to-fit job has none
  const bool waits = row.getExecVnode().size() == 0;
  j.shrinks = waits ? values::walltime_range_of(min, max, walltime).value_or(values::walltime_range{}) : values::walltime_range{};
  j.granted = 0;
}

constexpr std::int64_t ns_per_second = 1'000'000'000;

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

bool view::apply(schema::SchedulingDelta::Reader delta) {
  const bool reads_all = reads_all_limited(delta);
  if (delta.getFull()) {
    forget_everything();
  } else if (!seen_full_ || !reads_all || delta.getPrevious() != sequence_ || !knows_entities_after(delta)) {
    return false;
  }
  seen_full_ = true;
  sequence_ = delta.getSequence();

  for (const auto r : delta.getResources()) resources_.define(text(r.getName()), text(r.getType()), text(r.getFlags()));
  if (delta.getServer().size() > 0) apply_server(delta.getServer());
  if (delta.getScheduler().size() > 0) apply_scheduler(delta.getScheduler());
  for (const auto q : delta.getQueues()) apply_queue(q);
  for (const auto name : delta.getQueuesGone()) queues_[queue_at(text(name))].exists = false;
  // Jobs before vnodes: a job that the server speaks about loses its claim, and the vnode's row already counts it.
  for (const auto serial : delta.getJobsGone()) {
    drop_subjobs(serial);
    if (const auto at = job_ids_.find(serial); at != job_ids_.end()) remove_job(at->second);
  }
  for (const auto j : delta.getJobs()) apply_job(j);
  apply_usages(delta);
  for (const auto name : delta.getVnodesGone()) {
    const auto at = vnode_ids_.find(text(name));
    if (at == vnode_ids_.end()) continue;
    vnodes_[at->second].exists = false;
    std::erase(hosts_[vnodes_[at->second].host].vnodes, at->second);
    vnode_ids_.erase(at);
    one_hosts_changed_ = true;
  }
  for (const auto v : delta.getVnodes()) apply_vnode(v);
  if (delta.getVnodes().size() + delta.getVnodesGone().size() > 0) {
    link_borrowed_pools();
    count_vnodes_of_queues();
    if (std::exchange(one_hosts_changed_, false)) find_one_hosts();
  }
  apply_reservations(delta);
  return true;
}

std::uint64_t comment_hash(std::string_view text) { return text.empty() ? 0 : std::hash<std::string_view>{}(text); }

void view::forget_everything() {
  auto sharing = std::move(sharing_);
  auto limited = std::move(limited_beside_pools_);
  *this = view();
  sharing_ = std::move(sharing);
  limited_beside_pools_ = std::move(limited);
}

bool view::count_by(const fairshare_settings& settings) {
  const bool counted = counts_shares(), same = count_the_same(sharing_, settings);
  sharing_ = settings;
  return seen_full_ && (counted != counts_shares() || (counted && !same));
}

fairshare_standing& view::stand(const std::shared_ptr<const share_tree>& tree) {
  entities_.find_places(tree);
  standing_.begin(entities_, tree);
  return standing_;
}

void view::apply_usages(schema::SchedulingDelta::Reader delta) {
  if (delta.getUsagesChanged()) entities_.forget_usages();
  for (const auto u : delta.getUsages()) entities_.set_usage(text(u.getEntity()), u.getUsage());
}

void view::count_entity(job& j, schema::SchedJob::Reader row) {
  if (!counts_shares()) return;
  j.entity = entities_.number_of(
      values::entity_of(sharing_.entity, {text(row.getEuser()), text(row.getEgroup()), text(row.getAccountName()), text(row.getQueue())}));
  j.expected_usage = sharing_.usage.value_with([&](std::string_view name) {
    for (const auto a : row.getResources())
      if (text(a.getResource()) == name) return values::number_of(text(a.getValue()));
    return 0.0;
  });
}

void view::apply_server(capnp::List<schema::Attribute>::Reader attributes) {
  server_.available.clear();
  server_.dynamic.clear();
  server_group_keys_.clear();
  released_on_suspend_.clear();
  provisions_ = node_group_enable_ = clears_estimates_ = eligible_time_enable_ = false;
  backfill_depth_ = 1;
  server_formula_.clear();
  take_limits(run_limit_book::server_place, attributes);
  for (const auto a : attributes) {
    const auto name = text(a.getName());
    if (name == "resources_available") read_pool(server_, resources_, a);
    if (name == "restrict_res_to_release_on_suspend") released_on_suspend_ = values::split_trimmed(text(a.getValue()));
    if (name == "provision_enable") provisions_ = is_true(text(a.getValue()));
    if (name == "node_group_enable") node_group_enable_ = is_true(text(a.getValue()));
    if (name == "node_group_key") server_group_keys_ = values::split_list(text(a.getValue()));
    if (name == "backfill_depth") backfill_depth_ = values::parse_integer(text(a.getValue())).value_or(1);
    if (name == "clear_topjob_estimates_enable") clears_estimates_ = is_true(text(a.getValue()));
    if (name == "eligible_time_enable") eligible_time_enable_ = is_true(text(a.getValue()));
    if (name == "job_sort_formula") server_formula_ = text(a.getValue());
  }
  compile_formula();
}

namespace {

// The scheduler's, or else the server's. The server took it, so its names mean something; one whose resource is gone since counts as 0
// (job_terms).
std::optional<values::job_formula> formula_of(std::string_view scheduler, std::string_view server) {
  const auto formula = scheduler.empty() ? server : scheduler;
  if (formula.empty()) return std::nullopt;
  return values::job_formula::parse(formula, [](std::string_view) { return true; });
}

bool names_shares(const std::optional<values::job_formula>& formula) {
  return formula && std::ranges::any_of(formula->names(), values::is_fairshare_word);
}

// `before`: what holds if the delta says nothing of these attributes.
std::string_view formula_in(capnp::List<schema::Attribute>::Reader attributes, std::string_view before) {
  if (attributes.size() == 0) return before;
  for (const auto a : attributes)
    if (text(a.getName()) == "job_sort_formula") return text(a.getValue());
  return {};
}

}  // namespace

void view::compile_formula() {
  formula_ = formula_of(scheduler_formula_, server_formula_);
  formula_names_shares_ = names_shares(formula_);
}

// While no shares count, jobs are read without their entities.
bool view::knows_entities_after(schema::SchedulingDelta::Reader delta) const {
  if (counts_shares() || (delta.getServer().size() == 0 && delta.getScheduler().size() == 0)) return true;
  return !names_shares(
      formula_of(formula_in(delta.getScheduler(), scheduler_formula_), formula_in(delta.getServer(), server_formula_)));
}

void view::set_dynamic(const std::vector<std::pair<resource_id, amount>>& amounts) {
  std::erase_if(server_.available, [&](const want& w) { return server_.is_dynamic(w.resource); });
  server_.dynamic.clear();
  for (const auto& [resource, value] : amounts) {
    std::erase_if(server_.available, [&, r = resource](const want& w) { return w.resource == r; });
    server_.available.push_back({resource, value, {}});
    server_.dynamic.push_back(resource);
    if (resource >= server_.used.size()) server_.used.resize(resources_.size());
    server_.used[resource] = 0;
  }
}

// A program that never ends would stop the scheduler: 0 is no answer to how long it may take.
void view::set_dynamic_alarm(std::string_view value) {
  dynamic_alarm_seconds_ = values::parse_integer(value).value_or(0);
  if (dynamic_alarm_seconds_ <= 0) dynamic_alarm_seconds_ = dynamic_alarm_default;
}

void view::apply_scheduler(capnp::List<schema::Attribute>::Reader attributes) {
  do_not_span_psets_ = only_explicit_psets_ = false;
  scheduler_formula_.clear();
  formula_threshold_.reset();
  preempting_ = {};
  for (const auto a : attributes) {
    const auto name = text(a.getName());
    const auto value = text(a.getValue());
    if (name == "do_not_span_psets") do_not_span_psets_ = is_true(value);
    if (name == "job_sort_formula") scheduler_formula_ = value;
    if (name == "job_sort_formula_threshold") formula_threshold_ = values::parse_real(value);
    if (name == "server_dyn_res_alarm") set_dynamic_alarm(value);
    if (name == "only_explicit_psets") only_explicit_psets_ = is_true(value);
    if (name == "preempt_queue_prio") preempting_.queue_prio = values::parse_integer(value).value_or(preempting_.queue_prio);
    if (name == "preempt_targets_enable") preempting_.targets_count = is_true(value);
    if (name == "sched_preempt_enforce_resumption") preempting_.enforces_resumption = is_true(value);
    if (name == "preempt_prio") preempting_.set_levels(value);
    if (name == "preempt_order") preempting_.set_order(value);
    if (name == "log_events") log_events_ = static_cast<std::uint32_t>(values::parse_integer(value).value_or(log_events_));
  }
  compile_formula();
}

void view::apply_queue(schema::SchedQueue::Reader row) {
  const index at = queue_at(text(row.getName()));
  take_limits(at, row.getAttributes());
  queue& q = queues_[at];
  q.exists = true;
  q.order = row.getOrder();
  q.priority = 0;
  q.started = false;
  q.execution = true;
  q.group_keys.clear();
  q.backfill_depth.reset();
  q.reservation = row.getReservation();
  q.pool.available.clear();
  for (const auto a : row.getAttributes()) {
    const auto name = text(a.getName());
    const auto value = text(a.getValue());
    if (name == "Priority") q.priority = values::parse_integer(value).value_or(0);
    if (name == "started") q.started = is_true(value);
    if (name == "queue_type") q.execution = value.empty() || value[0] == 'E' || value[0] == 'e';
    if (name == "node_group_key") q.group_keys = values::split_list(value);
    if (name == "backfill_depth") q.backfill_depth = values::parse_integer(value);
    if (name == "resources_available") read_pool(q.pool, resources_, a);
  }
}

void view::apply_vnode_attribute(vnode& v, schema::Attribute::Reader a) {
  const auto name = text(a.getName());
  const auto value = text(a.getValue());
  if (name != "resources_available") {
    const auto number = [&](std::int64_t fallback) { return values::parse_integer(value).value_or(fallback); };
    if (name == "Priority") v.priority = number(0);
    if (name == "sharing") v.sharing = read_sharing(value);
    if (name == "queue" && !value.empty()) v.queue = queue_at(value);
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

void view::apply_vnode(schema::SchedVnode::Reader row) {
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
  for (const auto a : row.getAttributes()) apply_vnode_attribute(v, a);
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
  for (const auto& [job_at, c] : claims_) {  // what the server has not heard of yet
    for (const auto& t : c.amounts)
      if (t.vnode == i) take(i, t.resource, t.value);
    for (const auto& t : c.vnodes)
      if (t.vnode == i) take_vnode(i, jobs_[job_at].serial, t.exclusive);
  }
}

void view::link_borrowed_pools() {
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

void view::find_one_hosts() {
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

void view::count_vnodes_of_queues() {
  for (auto& q : queues_) q.vnodes = 0;
  for (const auto& v : vnodes_)
    if (v.exists && v.queue != none) ++queues_[v.queue].vnodes;
}

index view::free_place() {
  if (free_jobs_.empty()) {
    jobs_.emplace_back();
    return static_cast<index>(jobs_.size() - 1);
  }
  const index at = free_jobs_.back();
  free_jobs_.pop_back();
  return at;
}

namespace {

// An array that has begun: it no longer shows what a cycle says of it.
bool has_begun(schema::SchedJob::Reader row) { return row.getState() == 'B'; }

}  // namespace

void view::apply_job(schema::SchedJob::Reader row, std::uint64_t serial) {
  const auto known = job_ids_.find(serial);
  index at;
  if (known != job_ids_.end()) {
    at = known->second;
    leave(jobs_[at]);
    limits_.forget(jobs_[at].owners);
  } else {
    at = free_place();
  }
  job_ids_[serial] = at;
  job& j = jobs_[at];
  j.serial = serial;
  j.id = text(row.getId());
  j.queue = queue_at(text(row.getQueue()));
  j.rank = row.getRank();
  j.priority = row.getPriority();
  j.eligible_seconds = row.getEligibleSeconds();
  j.eligible_since_ns = row.getEligibleSinceNs();
  read_durations(j, row, resources_);
  j.euser = text(row.getEuser());
  j.egroup = text(row.getEgroup());
  j.request = request_at({text(row.getSchedselect()), text(row.getPlace()), row.getResources()});
  count_entity(j, row);
  own_limits(j, row);
  const bool holds_vnodes = row.getExecVnode().size() > 0;
  const bool waits = row.getState() == 'Q' || has_begun(row);
  j.where = waits ? job_place::queued : holds_vnodes ? job_place::running
                                                     : job_place::other;
  if (row.getState() == 'S') j.where = job_place::suspended;
  j.resume = row.getResume();
  j.exec_vnode = text(row.getExecVnode());
  j.exec_host = j.resume ? text(row.getExecHost()) : "";
  j.can_checkpoint = row.getCanCheckpoint();
  j.started = row.getStartedNs() / ns_per_second;
  j.topjob_ineligible = row.getTopjobIneligible();
  j.rerunable = row.getRerunable();
  j.preempted = row.getPreempted();
  j.leaving = row.getLeaving();
  j.estimated = row.getEstimatedNs() / ns_per_second;
  j.estimated_vnode = text(row.getEstimatedVnode());
  j.shown_as_top = row.getTopjob();
  j.held.reset();
  if (!has_begun(row)) j.comment = j.behind = 0;
  j.subjobs = subjob_list(text(row.getIndices()));
  j.may_begin = row.getMayBegin();
  if (serial == row.getSerial()) drop_subjobs(serial, &j.subjobs);
  j.lifted = false;
  j.preempt_targets.clear();
  for (const auto a : row.getResources())
    if (text(a.getResource()) == "preempt_targets") j.preempt_targets = text(a.getValue());
  j.slots.clear();
  j.failed_hosts.clear();
  if (j.where == job_place::suspended) j.comment = comment_hash(text(row.getComment()));
  if (j.where == job_place::queued) {
    if (!has_begun(row)) j.comment = comment_hash(text(row.getComment()));
    for (const auto name : row.getFailedHosts()) j.failed_hosts.push_back(host_at(text(name)));
  }
  if (j.where != job_place::running) return;
  count_pools(j, +1);
  if (const auto spec = values::parse_exec_host(text(row.getExecHost())))
    for (const auto& s : *spec) j.slots.emplace_back(host_at(s.host), s.slot);
  count_slots(j.slots, +1);
}

void view::leave(job& j) {
  if (j.where == job_place::proposed) drop_claim(job_ids_.at(j.serial));
  if (j.where == job_place::running) {
    count_pools(j, -1);
    count_slots(j.slots, -1);
  }
  release_request(j.request);
}

void view::remove_job(index at) {
  leave(jobs_[at]);
  if (const auto others = subjobs_.find(jobs_[at].array); others != subjobs_.end()) std::erase(others->second, at);
  limits_.forget(jobs_[at].owners);
  job_ids_.erase(jobs_[at].serial);
  jobs_[at] = job();
  free_jobs_.push_back(at);
}

index view::take_asked(schema::SchedJob::Reader row) {
  const subjob_list asked(text(row.getIndices()));
  const auto serial = asked.empty() ? row.getSerial() : values::subjob_number(row.getSerial(), asked.front());
  if (const auto known = job_ids_.find(serial); known != job_ids_.end()) return known->second;
  apply_job(row, serial);
  const index at = job_ids_.at(serial);
  if (!asked.empty()) {
    add_subjob(at, row.getSerial(), asked.front(), text(row.getId()));
    jobs_[at].where = job_place::other;
  }
  return at;
}

void view::forget_asked(index job_at) {
  if (jobs_[job_at].where == job_place::other) remove_job(job_at);
}

void view::expect(index job_at, int steps) const {
  const job& j = jobs_[job_at];
  if (steps == 4) __builtin_prefetch(&j), __builtin_prefetch(&j.failed_hosts);
  if (steps == 3) __builtin_prefetch(&requests_[j.request]);
  if (steps == 2) __builtin_prefetch(requests_[j.request].parsed.get()), __builtin_prefetch(&requests_[j.request].parsed->arrange);
  if (steps == 1)
    __builtin_prefetch(requests_[j.request].parsed->sums.data()), __builtin_prefetch(requests_[j.request].parsed->sums.data() + 1);
}

index view::find_vnode(std::string_view name) const {
  const auto at = vnode_ids_.find(name);
  return at == vnode_ids_.end() ? none : at->second;
}

index view::place_of_job(std::uint64_t serial) const {
  const auto at = job_ids_.find(serial);
  return at == job_ids_.end() ? none : at->second;
}

const job* view::find_job(std::uint64_t serial) const {
  const index at = place_of_job(serial);
  return at == none ? nullptr : &jobs_[at];
}

index view::queue_at(std::string_view name) {
  if (const auto at = queue_ids_.find(name); at != queue_ids_.end()) return at->second;
  queue_ids_.emplace(name, static_cast<index>(queues_.size()));
  queues_.emplace_back().name = name;
  return static_cast<index>(queues_.size() - 1);
}

index view::host_at(std::string_view name) {
  if (const auto at = host_ids_.find(name); at != host_ids_.end()) return at->second;
  host_ids_.emplace(name, static_cast<index>(hosts_.size()));
  hosts_.emplace_back().name = name;
  return static_cast<index>(hosts_.size() - 1);
}

index view::request_at(const written_request& row) {
  key_buffer_.clear();
  request::append_key(key_buffer_, row, resources_);
  if (const auto at = request_ids_.find(key_buffer_); at != request_ids_.end()) {
    ++requests_[at->second].users;
    return at->second;
  }
  index at;
  if (!free_requests_.empty()) {
    at = free_requests_.back();
    free_requests_.pop_back();
  } else {
    at = static_cast<index>(requests_.size());
    requests_.emplace_back();
  }
  requests_[at] = {key_buffer_, std::make_unique<const request>(request::parse(row, resources_)), 1};
  request_ids_.emplace(key_buffer_, at);
  return at;
}

void view::release_request(index at) {
  if (--requests_[at].users > 0) return;
  request_ids_.erase(requests_[at].key);
  requests_[at] = {};
  free_requests_.push_back(at);
}

}  // namespace annals::cycle
