// The cgroups of all runs of one MoM: which of its orders get one, and what is left from an earlier life.
// docs/design/0026-cgroups.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/order_file.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

// "annals/n1-1f0c5a9d": of the MoM of this host and this home, so that several on one machine don't meet, even if each is in a
// container where both are called the same.
std::string cgroup_parent(const std::string& host, const std::string& pbs_home);

class run_cgroups {
 public:
  run_cgroups(std::vector<std::string> roots, std::string parent) : roots_(std::move(roots)), parent_(std::move(parent)) {}

  // Names its cgroup in an order that wants one, if this machine has them.
  void write_into(shepherd_order& to, const ports::run_order& from) const;
  // Other limits for a run that is at work. What went wrong first, or "".
  std::string confine(const values::run_key& key, const ports::host_share& share) const;
  // Kills what is in cgroups of runs that `known` does not know, and removes them. True: there was none. Else look again.
  bool sweep(const std::function<bool(const values::program_key& key)>& known) const;

 private:
  std::vector<std::string> roots_;
  std::string parent_;
};

// Of an order that has none: one where all succeeds and nothing happens.
inline job_cgroup cgroup_of(const shepherd_order& o) { return {o.cgroup_roots, o.cgroup_parent, o.key}; }

}  // namespace annals::mom
