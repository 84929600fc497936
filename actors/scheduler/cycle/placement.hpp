// Where one job's chunks go: hosts in order, on each host first a single vnode that holds the whole chunk, then parts of
// it over the host's vnodes (pbs guide: placement, vnode order). One placement serves one cycle: it remembers what was
// free when the cycle began, because reasons are told from that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// Vnodes that may serve a job: those of its queue, or one placement set of them.
struct node_pool {
  struct host_group {
    index host = none;
    std::vector<index> vnodes;     // in order of placement
    std::vector<amount> at_start;  // free on usable vnodes when the cycle began, by resource
  };
  std::vector<index> vnodes;      // in order of placement, stale ones left out
  std::vector<host_group> hosts;  // in the order of their first vnode
  std::vector<amount> total;      // of all vnodes, usable or not, by resource
  std::vector<amount> at_start;
  std::vector<amount> largest_host;  // the most that one host had when the cycle began, by resource
  struct best_hosts {
    index freest = none, roomiest = none;  // the first of `hosts` that had most free when the cycle began, and that has most in all
  };
  mutable std::vector<best_hosts> best;  // by resource; found out when a reason needs it
  std::uint32_t usable = 0;              // vnodes, now or when the cycle began
  std::string name;                      // of a placement set: "color=red", "color=\"\""
};

// What a job gets: chunks of parts of amounts, in flat lists that are used again for the next job.
struct allocation {
  struct piece {
    resource_id resource;
    amount value;
  };
  struct part {
    index vnode = none;
    std::uint32_t first_piece = 0, end_piece = 0;
    std::string aoe{};  // that the vnode is provisioned with first; empty: it is not
  };
  struct placed_chunk {
    std::uint32_t first_part = 0, end_part = 0;
  };  // several parts: split over vnodes of a host
  std::vector<placed_chunk> chunks;
  std::vector<part> parts;
  std::vector<piece> pieces;
  std::vector<index> whole_host_extra;  // vnodes that exclhost adds
  std::int64_t seconds = 0;             // for how long, if somebody looked at that (backfill)
  void clear() {
    chunks.clear();
    parts.clear();
    pieces.clear();
    whole_host_extra.clear();
  }
};

// What somebody else will need of vnodes and pools while a job runs, beside what is in use now (calendar).
struct reserved_space {
  enum class kind : std::uint8_t { none,
                                   shared,
                                   alone };
  struct pool_part {
    index queue;  // none: the server's
    resource_id resource;
    amount value;
  };
  std::vector<kind> vnodes;                  // by vnode
  std::vector<std::vector<amount>> amounts;  // by vnode and resource; empty: nothing
  std::vector<pool_part> pools;
  std::vector<amount> largest;  // at most so much is left on one host, by resource; empty: not known
  amount of(index vnode_at, resource_id r) const { return r < amounts[vnode_at].size() ? amounts[vnode_at][r] : 0; }
  amount of_pool(index queue, resource_id r) const;
};

// What a running reservation has of a vnode, and what of it none of its jobs holds, by resource.
struct vnode_share {
  index vnode = none;
  std::vector<amount> has, left;
};

class placement {
 public:
  // `within`: for jobs of a reservation, which have nothing but its shares of vnodes. They are to live as long.
  placement(view& v, const policy& p, const timed_settings& now, const std::vector<vnode_share>* within = nullptr);

  // True: `out` says where, and its consumable amounts are taken in the view. False: `why` says why. `others`: to be left alone.
  bool place(const job& j, allocation& out, refusal& why, const reserved_space* others = nullptr);
  // To be called once a job got its vnodes (claim_book::claim_for): counts and orders what is left.
  void vnodes_changed();
  bool is_checked(resource_id r) const { return checked_[r] != 0; }
  // What `place` took is given back.
  void give_back(const allocation& placed);
  // What the job will hold there.
  claim claim_of(const job& j, const allocation& placed) const;

 private:
  void note_usable();
  bool counts_as_free(index at) const { return usable_[at] || !start_[at].empty(); }  // whom a job of this cycle filled too
  void note_start(index vnode_at);
  std::vector<index> members_of(index queue) const;
  const vnode_share* share_of(index vnode_at) const;
  node_pool make_pool(std::vector<index> members) const;
  void group_by_host(node_pool& pool) const;
  void sort_vnodes(std::vector<index>& vnodes) const;
  void add_start(std::vector<amount>& sums, index vnode_at) const;
  node_pool& pool_of(const job& j);
  const std::vector<node_pool>& sets_of(const job& j, const node_pool& pool, const std::string& resource);
  std::vector<std::string> group_keys(const job& j) const;

  void explain(const node_pool& pool, refusal& why);
  bool place_anywhere(allocation& out, const node_pool& pool, refusal& why);
  bool place_on_hosts(allocation& out, const node_pool& pool, refusal& why);
  bool failed_on(index host) const;
  bool sums_suffice(const node_pool& pool, bool totals_only, refusal* why) const;
  bool is_short_now(const node_pool& set) const;
  bool numbers_suffice(const node_pool& pool, refusal& why) const;
  refusal insufficient(const node_pool& pool, const want& w, amount now, amount total) const;
  bool matched_somewhere(const node_pool& pool, const want& w) const;
  std::string values_instead_of(const node_pool& pool, const want& w) const;
  void name_vnodes(why_data& why, const std::vector<index>& from) const;
  why_data lack_of_vnodes(const node_pool& pool, std::uint64_t needed);
  why_data lack_of_amount(const want& w, amount free, amount total, const std::vector<index>& where) const;
  why_data lack_of_value(const want& w, std::string there, const std::vector<index>& where) const;
  std::vector<index> unusable_with(const node_pool& pool, const want& w) const;
  why_data lack_of_usable(const want& w, const std::vector<index>& unusable) const;
  why_data lack_of_place(const node_pool& pool);
  why_data lack_of_all(const node_pool& pool);
  struct stock {
    amount free = 0, total = 0;
  };
  std::optional<stock> lack_on(const node_pool::host_group& host, const want& w) const;
  std::optional<why_data> lack_of_run_limits(const node_pool& pool);
  bool looks_at(std::size_t vnodes);
  bool is_used_up(const want& w) const;
  const want& lacking_want(const node_pool& pool) const;
  amount capacity_of(index vnode_at, resource_id r) const;
  bool serves(index vnode_at, const std::vector<want>& wants) const;
  bool may_hold_when_empty(const node_pool::host_group& host, const want& lacking) const;
  const node_pool::best_hosts& best_hosts_of(const node_pool& pool, resource_id r) const;
  const node_pool::host_group* nearest_host(const node_pool& pool, const want& lacking);
  bool may_give(index vnode_at) const;
  template <class Candidate>
  std::vector<index> some_that_may_give(const std::vector<index>& vnodes, Candidate is_candidate);
  bool place_in_sets(const node_pool& pool, const std::vector<std::string>& keys, allocation& out, refusal& why);
  class empty_hosts;
  bool holds_when_empty(const node_pool& set, const node_pool& pool) const;
  bool one_holds_when_empty(const std::vector<const node_pool*>& sets, const node_pool& pool);
  bool place_in(const node_pool& pool, allocation& out);
  bool place_packed(const node_pool& pool, allocation& out);
  bool place_spread(const node_pool& pool, allocation& out);
  bool spread_chunk(const node_pool& pool, const chunk& c, allocation& out);
  bool place_chunk_on(const node_pool::host_group& host, const chunk& c, allocation& out);
  bool whole_on_one(const node_pool::host_group& host, const chunk& c, allocation& out);
  bool split_over(const node_pool::host_group& host, const chunk& c, allocation& out);
  bool give_part(index vnode_at, const chunk& c, bool first, allocation& out);
  bool any_usable(const node_pool::host_group& host) const;
  bool host_may_hold(const node_pool::host_group& host, const std::vector<want>& wants);
  bool beyond_every_host(const node_pool& pool, const std::vector<want>& wants) const;
  bool beyond_what_others_leave() const;
  bool may_use(index vnode_at) const;
  struct run_limit {
    const char* name;
    std::int64_t most, count;  // so many may run, so many do
  };
  std::optional<run_limit> reached_run_limit(const vnode& v) const;
  bool within_run_limits(const vnode& v) const;
  bool matches(const vnode& v, const want& w) const;  // texts and booleans
  bool matches(const vnode& v, const std::vector<want>& wants) const;
  std::string_view aoe_of(const chunk& c) const;
  bool may_provision(index vnode_at, std::string_view aoe);
  amount left_on(index vnode_at, resource_id r) const;
  bool reserved_for_others(index vnode_at, hold_kind wanted) const;
  bool counted(const want& w) const { return checked_[w.resource] && resources_[w.resource].numeric; }
  void undo(allocation& out, allocation::placed_chunk to, std::size_t chunks);
  void finish(allocation& out);

  const resource_table& resources_;
  const site_settings& site_;
  const queue_table& queues_;
  const job_table& jobs_;
  vnode_table& vnodes_;
  const std::vector<vnode_share>* within_;
  std::vector<char> checked_;  // by resource
  std::vector<std::pair<node_sort_key, resource_id>> sort_keys_;
  resource_id aoe_ = no_resource;
  bool avoids_provision_ = false;
  bool order_moves_ = false;                // a sort key looks at current amounts
  bool has_run_limits_ = false;             // a vnode has a limit on what runs there
  std::size_t looks_left_ = why_looks_max;  // to explain
  std::vector<char> usable_;                // by vnode
  std::vector<std::vector<amount>> start_;  // free when the cycle began, by vnode and resource
  std::map<index, node_pool> pools_;        // by queue; none: vnodes of no queue
  std::map<std::pair<index, std::string>, std::vector<node_pool>> sets_;
  std::map<std::pair<index, index>, bool> held_by_a_set_;  // by queue and request: some placement set could hold it, if nothing ran there

  // Of the job in hand.
  const job* job_ = nullptr;
  const request* request_ = nullptr;
  const reserved_space* others_ = nullptr;
  const node_pool::host_group* first_lack_host_ = nullptr;  // the first that can't hold a chunk,
  want first_lack_want_ = {};                               // and what it lacks
  const std::vector<want>* unplaced_ = nullptr;             // what the chunk, or the job that is packed, wants that found no place last
  bool lifts_run_limits_ = false;                           // limits of vnodes keep nobody away
  std::size_t forgiven_ = 0;                                // of the hosts that could not start it: so many of the oldest may be used
  bool keeps_aoes_ = false;                                 // no vnode is provisioned
  std::string provision_lack_;                              // why the first was not that would have to be
  std::vector<index> hosts_taken_, vnodes_taken_;           // scatter, vscatter
  std::vector<amount> needed_;                              // of the chunk being split, by want
};

}  // namespace annals::cycle
