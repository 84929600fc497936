#include "actors/mom/shepherd/spare_cgroup.hpp"

namespace annals::shepherd {

void spare_cgroup::keep(const mom::job_cgroup& cgroup) {
  remove();
  cgroup.clear();
  // A name of its own: when the MoM forgets the run it removes the run's. No run has it, so a MoM that starts removes it when we were
  // killed.
  auto aside = cgroup.beside(cgroup.key() + ".next");
  cgroup.rename_to(aside);
  kept_ = std::move(aside);
}

void spare_cgroup::use(const mom::job_cgroup& cgroup) {
  if (!kept_) return;
  if (!cgroup.is_beside(*kept_)) return remove();
  kept_->rename_to(cgroup);
  kept_.reset();
}

void spare_cgroup::remove() {
  if (kept_) kept_->remove();
  kept_.reset();
}

}  // namespace annals::shepherd
