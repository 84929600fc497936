// Keeps which words jobs add to the states of their vnodes, and since when.
#include "events/model/vnodes/holdings.hpp"

namespace annals::model {

state_by_jobs holdings::state_of(std::string_view vnode) const {
  const auto* v = entry(vnode);
  return v ? v->state : state_by_jobs();
}

void holdings::state_changed(std::string_view vnode, std::int64_t at_s) {
  if (const auto at = number_of(vnode); at != name_table::none) vnodes_[at].use.state_changed_s = at_s;
}

state_by_jobs holdings::state_now(const vnode_entry& v) {
  state_by_jobs s;
  s.maintenance = !v.use.maintenance.empty();
  if (v.use.jobs.empty()) return s;
  s.exclusive = v.exclusive_jobs > 0;
  if (s.exclusive) return s;
  const auto* cpus = v.available.find("ncpus");
  const auto taken = v.use.assigned.value_of("ncpus");
  s.busy = cpus != v.available.end() && taken > 0 && taken >= cpus->second.value;
  return s;
}

void holdings::look_at_state(vnode_entry& v, std::int64_t at_s) {
  const auto now = state_now(v);
  if (now == v.state) return;
  v.state = now;
  v.use.state_changed_s = at_s;
}

void holdings::begin_maintenance(const event_place& at, std::string_view id) {
  const auto of_job = vnodes_of_job_.find(at.stream);
  if (of_job == vnodes_of_job_.end()) return;
  for (const auto vnode : of_job->second) {
    vnodes_[vnode].use.maintenance.emplace_back(id);
    look_at_state(vnodes_[vnode], at.seconds());
  }
}

void holdings::end_maintenance(const event_place& at, std::string_view id) {
  const auto of_job = vnodes_of_job_.find(at.stream);
  if (of_job == vnodes_of_job_.end()) return;
  for (const auto vnode : of_job->second) {
    std::erase(vnodes_[vnode].use.maintenance, id);
    look_at_state(vnodes_[vnode], at.seconds());
  }
}

}  // namespace annals::model
