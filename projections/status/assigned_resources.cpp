#include "projections/status/assigned_resources.hpp"

#include <set>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::projections {

void counted_resources::count(std::string_view resource, std::string_view value, std::int64_t by) {
  auto of = values_.find(resource);
  if (of == values_.end()) of = values_.emplace(resource, counts()).first;
  auto at = of->second.find(value);
  if (at == of->second.end()) at = of->second.emplace(value, 0).first;
  ANNALS_INVARIANT(by > 0 || at->second >= static_cast<std::uint64_t>(-by), "a value is taken away that was counted");
  at->second += static_cast<std::uint64_t>(by);
  if (at->second == 0) of->second.erase(at);
  if (of->second.empty()) values_.erase(of);
}

void counted_resources::take_away(const counted_resources& part) {
  for (const auto& [resource, counts] : part.values_)
    for (const auto& [value, n] : counts) count(resource, value, -static_cast<std::int64_t>(n));
}

std::map<std::string, std::string, std::less<>> counted_resources::sums(const attributes::resource_catalogue& catalogue) const {
  std::map<std::string, std::string, std::less<>> all;
  std::vector<attributes::counted_value> values;
  for (const auto& [resource, counts] : values_) {
    const auto* known = catalogue.find(resource);
    if (!known) continue;
    values.clear();
    for (const auto& [value, n] : counts) values.push_back({value, n});
    all.emplace_hint(all.end(), resource, attributes::sum_of_values(known->type, values));
  }
  return all;
}

namespace {

// Chunks of an exec_vnode, without those that place=exclhost added.
std::size_t asked_chunks(std::string_view exec_vnode) {
  std::set<std::size_t> chunks;
  values::exec_vnode_reader reader(exec_vnode);
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (!p.resources.empty()) chunks.insert(p.chunk);
  return chunks.size();
}

// Calls see(resource, value) for each amount that a reduced run still holds and no longer shows: it holds all until the vnodes are free
// (docs/design/0039-ramp-down.md).
template <class See>
void each_let_go(const model::job_state& job, const See& see) {
  if (!job.reduced() || job.allocated.exec_vnode() == job.used.exec_vnode()) return;
  model::amounts beyond;
  for (const auto& part : model::parts_of(job.allocated.exec_vnode())) beyond.add(part.asked, +1);
  for (const auto& part : model::parts_of(job.used.exec_vnode())) beyond.add(part.asked, -1);
  for (const auto& [resource, a] : beyond)
    if (a.value > 0) see(resource, a.print());
  const auto held = asked_chunks(job.allocated.exec_vnode()), used = asked_chunks(job.used.exec_vnode());
  if (held > used) see("nodect", std::to_string(held - used));
}

}  // namespace

assigned_resources::counted_job assigned_resources::read(const model::job_state& job, const attributes::resource_catalogue& catalogue) {
  counted_job counted{std::string(job.queue()), {}};
  const auto add = [&](std::string_view resource, std::string_view value) {
    const auto* known = catalogue.find(resource);
    if (known && known->has(attributes::summed)) counted.values.emplace_back(resource, value);
  };
  const bool has_given_up = job.phase == model::job_phase::suspended && !job.released_partly;
  for (const auto& e : job.attributes)
    if (e.id == attributes::job::Resource_List && !has_given_up) add(e.resource, e.value);
  each_let_go(job, add);
  return counted;
}

void assigned_resources::count(const counted_job& job, std::int64_t by) {
  for (const std::string_view queue : {std::string_view(), std::string_view(job.queue)}) {
    auto at = by_queue_.find(queue);
    if (at == by_queue_.end()) at = by_queue_.emplace(queue, counted_resources()).first;
    for (const auto& [resource, value] : job.values) at->second.count(resource, value, by);
    if (at->second.empty()) by_queue_.erase(at);
    if (job.queue.empty()) return;
  }
}

void assigned_resources::changed(const model::job_state& job, bool holds, const attributes::resource_catalogue& catalogue) {
  if (!holds) return gone(job.serial);
  auto now = read(job, catalogue);
  auto& counted = jobs_[job.serial];
  if (now == counted) return;
  count(counted, -1);
  count(now, +1);
  counted = std::move(now);
}

void assigned_resources::gone(std::uint64_t job) {
  const auto at = jobs_.find(job);
  if (at == jobs_.end()) return;
  count(at->second, -1);
  jobs_.erase(at);
}

void assigned_resources::note_used(const model::amounts& assigned) {
  for (const auto& [resource, a] : assigned) ever_used_[resource] |= a.is_size;
}

void assigned_resources::taken(std::string_view exec_vnode, const model::holdings& holdings) {
  values::exec_vnode_reader parts(exec_vnode);
  model::amounts_reader read;
  const auto is_known = [&](const model::amounts::entry& asked) {
    const auto known = ever_used_.find(asked.first);
    return known != ever_used_.end() && (known->second || !asked.second.is_size);
  };
  for (values::exec_vnode_reader::part p; parts.next(p);)
    for (const auto& asked : read(p.resources)) {
      if (is_known(asked)) continue;
      const auto* use = holdings.find(p.vnode);
      if (use) note_used(use->assigned);
    }
}

const counted_resources* assigned_resources::of(std::string_view queue) const {
  const auto at = by_queue_.find(queue);
  return at == by_queue_.end() ? nullptr : &at->second;
}

}  // namespace annals::projections
