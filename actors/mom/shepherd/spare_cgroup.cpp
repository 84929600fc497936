#include "actors/mom/shepherd/spare_cgroup.hpp"

namespace annals::shepherd {

std::string spare_cgroup::make(const mom::job_cgroup& cgroup, const mom::cgroup_limits& limits) {
  if (kept_ && !(cgroup.is_beside(*kept_) && limits_ == limits)) remove();
  auto wrong = cgroup.make(limits, kept_ ? &*kept_ : nullptr);
  kept_.reset();
  limits_ = wrong.empty() ? std::optional(limits) : std::nullopt;
  return wrong;
}

void spare_cgroup::keep(const mom::job_cgroup& cgroup) {
  remove();
  if (!limits_) return (void)cgroup.remove();
  // A name of its own: when the MoM forgets the run it removes the run's. No run has it, so a MoM that starts removes it when we were
  // killed.
  auto aside = cgroup.beside(cgroup.key() + ".next");
  cgroup.clear(aside);
  kept_ = std::move(aside);
}

void spare_cgroup::remove() {
  if (kept_) kept_->remove();
  kept_.reset();
}

}  // namespace annals::shepherd
