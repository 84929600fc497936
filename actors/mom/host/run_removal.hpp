// Takes away what a run that is over and is asked for no more has on the host: files, directories, cgroup, and last the run file, which
// tells where the rest is. What other runs of the same job still need stays. docs/design/0004-shepherd.md.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/host/host_news.hpp"
#include "actors/mom/host/host_runs.hpp"
#include "actors/mom/host/recycled_files.hpp"
#include "actors/mom/host/user_work.hpp"

namespace annals::mom {

// On the loop's thread, in guarded tasks.
class run_removal {
 public:
  using gone = std::function<void(host_run&)>;  // nothing of it is left on disk

  run_removal(const run_files& files, host_runs& runs, recycled_files& run_store, recycled_files& node_store, user_work& work,
              host_news& news, gone then)
      : files_(files), runs_(runs), run_store_(run_store), node_store_(node_store), user_work_(work), news_(news), gone_(std::move(then)) {}

  // At once or, when its owner's directories are to be removed with his rights, when that is done. May end the life of `r`.
  void remove(host_run& r);
  // What is on disk without a run file that tells of it, of jobs that are not in `jobs`. `tmpdir`, `mark`: as unknown_tmpdirs().
  void remove_unknown_but(const std::set<std::string>& jobs, const std::string& tmpdir, const std::string& mark);

 private:
  void remove_job_files(const host_run& r);
  void remove_run_file(host_run& r);

  const run_files& files_;
  host_runs& runs_;
  recycled_files& run_store_;
  recycled_files& node_store_;
  user_work& user_work_;
  host_news& news_;
  const gone gone_;
};

}  // namespace annals::mom
