// How a real_process_host works: its programs, directories and times.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "actors/mom/host/account.hpp"
#include "events/model/host/host_limits.hpp"

namespace annals::mom {

struct host_options {
  std::string pbs_home;                                      // mom_priv/jobs, spool, undelivered and aux are made if missing
  std::string shepherd;                                      // path of pbs_shepherd
  std::vector<std::string> cp = {"/bin/cp", "-rp"};          // PBS_CP and its arguments
  std::vector<std::string> scp = {"/usr/bin/scp", "-Brvp"};  // PBS_SCP, its arguments and PBS_SCP_ARGS
  std::vector<unsigned> delivery_pauses_s = {0, 10, 0, 20};  // before each try
  unsigned copying_s_max = limits::copying_s_max;            // for all files that come to a run, or go from it
  name_service names;
  std::chrono::milliseconds retry_pause{1000};    // a name service that is ill, a file that can't be written
  std::vector<std::string> cgroup_roots;          // as find_cgroups() offers them; empty: no cgroups
  std::string tmpdir;                             // $tmpdir; empty: nothing is looked for there
  std::string mark;                               // mom_mark(): what is in tmpdir with this mark and of no job that is known is removed
  std::string cgroup_parent;                      // of this MoM alone: what is there and belongs to no run is killed
  std::chrono::milliseconds usage_age_max{1000};  // samples younger than this share one /proc scan
  // So long a shepherd waits for the array's next subjob, which comes some milliseconds after the last one's end, or a cycle later.
  std::chrono::milliseconds kept_idle_max{5000};
  std::function<void(const std::string&)> complain;  // for the MoM's log: what should never be, as of event_loop
};

}  // namespace annals::mom
