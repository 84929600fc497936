// process_host on a real machine: runs programs through the shepherd and believes only what its files say.
// docs/design/0004-shepherd.md has the files and who may write them.
//
// One thread of its own does all the work and tells all events. It learns of changes from inotify (a run's journal
// grew) and pidfd (a shepherd ended); it never polls. Dropping the object leaves the runs alone: a new object on the
// same $PBS_HOME adopts them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/mom/host/account.hpp"
#include "events/model/host/host_limits.hpp"
#include "events/ports/process_host.hpp"

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

class real_process_host : public ports::process_host {
 public:
  explicit real_process_host(host_options options);  // throws std::system_error if a directory can't be made
  ~real_process_host() override;

  void listen(events e) override;  // before anything else
  void start(const ports::run_order& order) override;
  bool has_order(const values::program_key& key) const override;
  void adopt(const values::program_key& key) override;
  void signal(const values::program_key& key, int signal) override;
  void confirm(const values::run_key& key) override;
  void confine(const values::run_key& key, const ports::host_share& share) override;
  void append_stderr(const values::run_key& key, const std::string& text) override;
  void append_stdout(const values::run_key& key, const std::string& text) override;
  void append_output(const values::run_key& key, bool errors, const std::string& bytes) override;
  std::optional<ports::run_usage> usage(const values::program_key& key) override;
  void stage_in(const values::run_key& key, const ports::stage_in_order& order) override;
  void unstage(const values::run_key& key, const ports::stage_in_order& order) override;
  void deliver(const values::run_key& key, const ports::delivery_order& order) override;
  void keep_jobdir(const values::run_key& key) override;
  void forget(const values::program_key& key) override;
  void forget_others(const std::set<values::run_key>& keys) override;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::mom
