// The holdings of running and proposed jobs: vnodes, amounts, slots of hosts, and parts of the pools and run limits of server and queues.
//
// A proposed job holds its vnodes until the server says something about the job or refuses it. So neither the rest of a cycle nor the next
// one hands out the same cpu again.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "actors/scheduler/cycle/index.hpp"
#include "actors/scheduler/cycle/job_limits.hpp"
#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/request.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "actors/scheduler/cycle/site_settings.hpp"
#include "actors/scheduler/cycle/vnode_table.hpp"

namespace annals::cycle {

class claim_book {
 public:
  claim_book(const resource_table& resources, const site_settings& settings, queue_table& queues, vnode_table& vnodes, job_table& jobs,
             job_limits& limits)
      : resources_(resources), settings_(settings), queues_(queues), vnodes_(vnodes), jobs_(jobs), limits_(limits) {}

  // The job is proposed: it holds what is in the claim. Its amounts are already taken.
  void claim_for(index job_at, claim c);
  // What a running or proposed job holds.
  const claim& held_by(index job_at);
  // The amounts and vnodes that an exec_vnode names; vnodes that are not in the view are left out. `exclusive`: it has them for itself.
  claim claim_of(std::string_view exec_vnode, const request& r) const;

  // -- what if (calendar, preemption) ---------------------------------------------------------------------------------------
  // While the vnodes suppose (vnode_table::suppose), jobs come and go. Whoever lifted one MUST put it back before that ends.
  void lift(index job_at);      // it has ended: its vnodes and its part of the pools are free
  void put_back(index job_at);  // it has not
  // The same of one that is suspended: it stays on its vnodes if the site says which resources are released
  // (restrict_res_to_release_on_suspend).
  void lift_suspended(index job_at) { lift(job_at, settings_.keeps_some_on_suspend()); }
  void put_back_suspended(index job_at) { put_back(job_at, settings_.keeps_some_on_suspend()); }
  // A lifted job is proposed to make room: it stays lifted until the server speaks about it, and its slots are free.
  void preempted(index job_at);

  // -- for the other parts of a view ----------------------------------------------------------------------------------------
  void began(index job_at);         // it runs, by the server's word: the vnodes' own rows count it
  void ended(index job_at);         // undoes what began or claim_for did, of a running or a proposed job
  void take_again(index vnode_at);  // the vnode's row came anew, without the claims of proposals

 private:
  void lift(index job_at, bool partly);
  void put_back(index job_at, bool partly);
  void drop_claim(index job_at);
  void count_pools(const job& j, int sign);

  const resource_table& resources_;
  const site_settings& settings_;
  queue_table& queues_;
  vnode_table& vnodes_;
  job_table& jobs_;
  job_limits& limits_;
  std::unordered_map<index, claim> claims_;  // by job
};

}  // namespace annals::cycle
