// Runs that go on with less than they began with (job.release_nodes() of hooks, rjselect, pbs_release_nodes), by the server's log: what
// each job holds and shows, and which hosts it has dropped. docs/design/0033-allocations-and-holdings.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/job/job.hpp"

namespace annals::model {
class holdings;
}

namespace annals::sim {

using cpus_by_vnode = std::map<std::string, int>;  // a vnode of this world has the name of its host

class reduced_runs {
 public:
  void fold(const log::record& record);
  std::size_t count() const { return count_; }

  // Empty, or the first that is not as it must be after what was written since this was asked last. Between two records of one append
  // it may not be.
  //
  // The rules: a server believes its own MoMs, and they do what they are asked. A job that goes on with less had said that it bears
  // failures or was asked to, holds what it uses and what hosts that it dropped have not handed back, shows just what it uses, and asks
  // again what it asked first when it is requeued. Of a host that stays a release frees nothing before the host goes.
  std::string fault();
  // And what the ledger keeps are the sums of that.
  std::string fault_of_sums(const model::holdings& ledger) const;

  struct dropped_host {
    values::run_key key;
    std::string host;
    std::int64_t since_ns;
  };
  std::vector<dropped_host> dropped() const;                             // by jobs that go on, and not handed back
  std::vector<dropped_host> take_handed_back();                          // by jobs that go on, since this was asked last
  const std::string* told_at_the_end(const values::run_key& key) const;  // exec_vnode of a run whose end its MoM has told

 private:
  struct job {
    model::job_state state;
    std::string asked;  // as it was queued
    cpus_by_vnode held, used;
    cpus_by_vnode behind;            // released, on hosts that it still uses
    std::set<std::string> released;  // each exec_vnode that a release of this run has left
    struct part {
      std::int64_t since_ns;
      int cpus;
    };
    std::map<std::string, part> dropped;  // by host
    bool goes_on = false, suspended = false, reduced = false, believes = true;
    bool stages_out = false;  // and its other hosts have left
  };
  void see(job& j, const log::record& r);
  void on_told(job& j, schema::AllocationReduced::Reader e);
  void on_reduced(job& j, schema::JobReduced::Reader e, std::int64_t now_ns);
  void on_released(job& j, schema::VnodesReleased::Reader e, std::int64_t now_ns);
  std::string fault_of(const job& j) const;

  std::map<std::uint64_t, job> jobs_;  // by stream
  std::set<std::uint64_t> changed_;    // streams, since fault() was asked last
  std::map<values::run_key, std::string> ended_;
  std::vector<dropped_host> handed_back_;
  std::size_t count_ = 0;
  std::string fault_;
};

}  // namespace annals::sim
