#include "events/model/vnodes/given_up.hpp"

#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

void given_up_vnodes::apply(const event_place& at, schema::JobEvent::Reader event) {
  if (event.isVnodesReleased()) return released(at.stream, event.getVnodesReleased());
  if (event.isVnodesTaken() || event.isRequeued() || event.isEnded()) of_job_.erase(at.stream);
}

// A suspended run does not go on with vnodes that it leaves meanwhile.
void given_up_vnodes::released(std::uint64_t job, schema::VnodesReleased::Reader e) {
  const bool suspends = e.getWhy() == schema::ReleaseReason::SUSPENDED;
  if (!suspends && !of_job_.contains(job)) return;
  auto& vnodes = of_job_[job];
  if (suspends) vnodes.clear();
  values::exec_vnode_reader parts(schema::text(e.getExecVnode()));
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    if (suspends) vnodes.emplace(p.vnode);
    else if (const auto left = vnodes.find(p.vnode); left != vnodes.end()) vnodes.erase(left);
  }
  if (vnodes.empty()) of_job_.erase(job);
}

std::optional<std::uint64_t> given_up_vnodes::job_on(std::string_view vnode) const {
  for (const auto& [job, vnodes] : of_job_)
    if (vnodes.contains(vnode)) return job;
  return std::nullopt;
}

}  // namespace annals::model
