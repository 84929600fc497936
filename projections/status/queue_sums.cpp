#include "projections/status/queue_sums.hpp"

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::projections {

namespace {

// Chunks of an exec_vnode, without those that place=exclhost added.
std::size_t asked_chunks(std::string_view exec_vnode) {
  std::set<std::size_t> chunks;
  values::exec_vnode_reader reader(exec_vnode);
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (!p.resources.empty()) chunks.insert(p.chunk);
  return chunks.size();
}

}  // namespace

void asked_sums::add(const model::job_state& job) {
  const bool has_given_up = job.phase == model::job_phase::suspended && !job.released_partly;
  for (const auto& e : job.attributes)
    if (e.id == attributes::job::Resource_List && !has_given_up) add(e.resource, e.value);
  add_let_go(job);
}

// A run that was reduced shows less, and holds all until the vnodes are free (docs/design/0039-ramp-down.md).
void asked_sums::add_let_go(const model::job_state& job) {
  if (!job.reduced() || job.allocated.exec_vnode() == job.used.exec_vnode()) return;
  model::amounts beyond;
  for (const auto& part : model::parts_of(job.allocated.exec_vnode())) beyond.add(part.asked, +1);
  for (const auto& part : model::parts_of(job.used.exec_vnode())) beyond.add(part.asked, -1);
  for (const auto& [resource, a] : beyond)
    if (a.value > 0) add(resource, a.print());
  const auto held = asked_chunks(job.allocated.exec_vnode()), used = asked_chunks(job.used.exec_vnode());
  if (held > used) add("nodect", std::to_string(held - used));
}

void asked_sums::add(const model::reservation_state& r) {
  for (const auto& e : r.attributes)
    if (e.id == attributes::reservation::Resource_List) add(e.resource, e.value);
}

void asked_sums::add(const asked_sums& more) {
  for (const auto& [resource, value] : more.sums_) add(resource, value);
}

void asked_sums::rise_to(const asked_sums& least) {
  for (const auto& [resource, value] : least.sums_) {
    auto& sum = sums_[resource];
    if (sum.empty() || model::read_amount(sum).value < model::read_amount(value).value) sum = value;
  }
}

void asked_sums::add_zero(const std::string& resource, bool is_size) {
  if (!sums_.contains(resource)) add(resource, is_size ? "0kb" : "0");
}

void asked_sums::put(attributes::attribute_set& row, attributes::attribute_id id) const {
  for (const auto& [resource, value] : sums_) row.set(id, resource, value);
}

void asked_sums::add(std::string_view resource, std::string_view value) {
  const auto* r = catalogue_->find(resource);
  if (!r || !r->has(attributes::summed)) return;
  auto& sum = sums_[std::string(resource)];
  sum = sum.empty() ? std::string(value) : attributes::add_values(r->type, sum, value);
}

void each_running_job(const status& from, const std::function<void(const model::job_state& job)>& visit) {
  std::set<std::uint64_t> running;
  from.holdings().each_job([&](std::uint64_t serial) { running.insert(serial); });
  for (const auto serial : running) {
    if (const auto job = from.job(serial)) visit(*job);
  }
}

asked_sums sums_of_all(const status& from) {
  const auto& catalogue = from.server().resources;
  asked_sums sums(catalogue);
  std::map<std::string, asked_sums, std::less<>> within;  // by queue: of jobs of open windows
  for (const auto& [serial, place] : from.open_windows().places()) within.try_emplace(from.reservations().at(serial).id, catalogue);
  each_running_job(from, [&](const model::job_state& job) {
    const auto its = within.find(job.queue());
    (its == within.end() ? sums : its->second).add(job);
  });
  for (const auto& [serial, place] : from.open_windows().places()) {
    const auto& r = from.reservations().at(serial);
    asked_sums reserved(catalogue);
    reserved.add(r);
    reserved.rise_to(within.at(r.id));
    sums.add(reserved);
  }
  // Whatever is assigned on vnodes has a sum, 0 after the jobs have gone.
  from.holdings().each_used([&](const std::string&, const model::vnode_use& use) {
    for (const auto& [resource, a] : use.assigned) sums.add_zero(resource, a.is_size);
  });
  return sums;
}

queue_sums::queue_sums(const status& from) {
  each_running_job(from, [&](const model::job_state& job) {
    asked_.try_emplace(std::string(job.queue()), from.server().resources).first->second.add(job);
  });
  for (const auto& [serial, host] : from.hosts())
    for (const auto& v : host.vnodes)
      if (const auto queue = v.attributes.get(attributes::node::queue)) with_vnodes_.emplace(*queue);
}

const asked_sums* queue_sums::asked_in(std::string_view queue) const {
  const auto at = asked_.find(queue);
  return at == asked_.end() ? nullptr : &at->second;
}

}  // namespace annals::projections
