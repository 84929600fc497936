#include "actors/scheduler/cycle/view.hpp"

#include <utility>

#include "events/schema/message.hpp"

namespace annals::cycle {

using schema::text;

bool view::apply(schema::SchedulingDelta::Reader delta) {
  const bool reads_all = parts_->limits.reads_all_limited(delta);
  if (delta.getFull()) {
    forget_everything();
  } else if (!seen_full_ || !reads_all || delta.getPrevious() != sequence_ || !parts_->shares.knows_entities_after(delta)) {
    return false;
  }
  seen_full_ = true;
  sequence_ = delta.getSequence();

  auto& p = *parts_;
  for (const auto r : delta.getResources()) p.resources.define(text(r.getName()), text(r.getType()), text(r.getFlags()));
  if (delta.getServer().size() > 0) apply_server(delta.getServer());
  if (delta.getScheduler().size() > 0) p.settings.apply_scheduler(delta.getScheduler());
  for (const auto q : delta.getQueues()) apply_queue(q);
  for (const auto name : delta.getQueuesGone()) p.queues.remove(text(name));
  // Jobs before vnodes: a job that the server speaks about loses its claim, and the vnode's row already counts it.
  for (const auto serial : delta.getJobsGone()) p.intake.gone(serial);
  for (const auto j : delta.getJobs()) p.intake.apply(j);
  p.shares.apply_usages(delta);
  for (const auto name : delta.getVnodesGone()) p.vnodes.remove(text(name));
  for (const auto v : delta.getVnodes()) p.claims.take_again(p.vnodes.apply(v));
  if (delta.getVnodes().size() + delta.getVnodesGone().size() > 0) p.vnodes.finish_rows();
  p.reservations.apply(delta);
  return true;
}

// By what jobs are counted and which of their amounts are read does not come with the server's rows.
void view::forget_everything() {
  const auto before = std::exchange(parts_, std::make_unique<parts>());
  parts_->shares.count_by(before->shares.counted_by());
  parts_->limits.read_beside_pools(before->limits.limited_beside_pools());
}

bool view::count_by(const fairshare_settings& settings) { return parts_->shares.count_by(settings) && seen_full_; }

void view::apply_server(capnp::List<schema::Attribute>::Reader attributes) {
  parts_->limits.take_limits(run_limit_book::server_place, attributes);
  parts_->queues.apply_server(attributes);
  parts_->settings.apply_server(attributes);
}

void view::apply_queue(schema::SchedQueue::Reader row) {
  parts_->limits.take_limits(parts_->queues.at(text(row.getName())), row.getAttributes());
  parts_->queues.apply(row);
}

}  // namespace annals::cycle
