// The cgroup of a run that has ended, with nobody in it, for the next run: to give it another name costs less than to remove one and to
// make one. In a hierarchy whose cgroups can't have another name (v2) none is kept. docs/design/0026-cgroups.md.
#pragma once

#include <optional>

#include "actors/mom/host/job_cgroup.hpp"

namespace annals::shepherd {

class spare_cgroup {
 public:
  spare_cgroup() = default;
  spare_cgroup(const spare_cgroup&) = delete;
  spare_cgroup& operator=(const spare_cgroup&) = delete;
  ~spare_cgroup() { remove(); }

  // As job_cgroup::make(), of what was kept where that will do.
  std::string make(const mom::job_cgroup& cgroup, const mom::cgroup_limits& limits);
  // The one that was made last. What of it can't be kept is removed.
  void keep(const mom::job_cgroup& cgroup);
  void remove();

 private:
  std::optional<mom::job_cgroup> kept_;
  std::optional<mom::cgroup_limits> limits_;  // of the one that was made last; nothing: not all of them could be set
};

}  // namespace annals::shepherd
