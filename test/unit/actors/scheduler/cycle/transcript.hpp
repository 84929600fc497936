// Reads the transcript of a real PBS (data/placement.txt) as a series of cases: the cluster as the qmgr lines before a
// case made it, the background jobs that its `nodes:` line shows, the job, and what PBS did with it.
#pragma once

#include <string>
#include <vector>

#include "small_cluster.hpp"

namespace annals::cycle::test {

struct placement_case {
  std::string name;        // "P01"
  std::string command;     // the qsub line
  bool submitted = false;  // false: qsub refused it; nothing for a scheduler to do
  small_cluster cluster;   // the job is the last of cluster.jobs
  std::string sched_config;
  std::string exec_vnode, exec_host, comment;  // expected; comment only of a job that did not run
  std::vector<std::string> log_lines;          // "0080;pbs_sched;Job;1071.p1;Considering job to run"
};

// `overrides` has lines "P217 <sched_config line>": where the transcript does not say which line was in force.
std::vector<placement_case> read_transcript(const std::string& path, const std::string& overrides);

std::string shipped_sched_config();

}  // namespace annals::cycle::test
