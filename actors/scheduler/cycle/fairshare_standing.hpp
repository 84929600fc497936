// What each vertex of the tree of shares has used, at this moment of a cycle: what the server told, and what the jobs that this cycle
// starts ask for. Kept from cycle to cycle, since children that stood in order mostly still do.
// Governed by docs/design/0042-fairshare.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/scheduler/cycle/entities.hpp"
#include "actors/scheduler/cycle/share_tree.hpp"

namespace annals::cycle {

class fairshare_standing {
 public:
  static constexpr std::uint32_t no_job = UINT32_MAX;

  // A cycle begins. The entities' places are those in this tree.
  void begin(const entity_table& entities, const std::shared_ptr<const share_tree>& tree);
  // A job that asks for so much was started.
  void started(share_index leaf, double expected_usage);
  std::uint64_t starts() const { return starts_; }

  // Vertices of the tree, a parent before its children, and behind them the entities that are not in it, below `unknown`.
  std::size_t size() const { return usage_.size(); }
  share_index parent_of(share_index v) const { return parents_[v]; }
  double ratio(share_index v) const { return ratios_[v]; }                                 // usage by percentage; infinite: it has no share
  double percentage(share_index v) const { return static_cast<double>(percentages_[v]); }  // of the cluster, 0 to 1
  double tree_usage(share_index v) const;                                                  // as share_usage has it
  bool has_share(share_index v) const { return percentages_[v] > 0; }
  // It has used a larger part of all that was used than its percentage (pbs guide: preempt_prio, fairshare).
  bool is_over_share(share_index v) const;

  // Puts the children of each vertex in order: by ratio, among equals by where the next job of each stands. `next_job`: of each leaf,
  // no_job if it has none; those of groups are found here.
  void order_children(std::vector<std::uint32_t>& next_job);
  std::span<const share_index> children_of(share_index v) const { return {children_.data() + begins_[v], begins_[v + 1] - begins_[v]}; }

 private:
  void take_tree(const std::shared_ptr<const share_tree>& tree, std::uint32_t outsiders);
  void find_ratio(share_index v);
  bool is_leaf(share_index v) const { return v != share_tree::unknown && begins_[v] == begins_[v + 1]; }

  std::uint64_t starts_ = 0;
  std::shared_ptr<const share_tree> tree_;
  // Of each vertex. Apart, since they are looked at in any order.
  std::vector<share_index> parents_;
  std::vector<float> percentages_;
  std::vector<double> usage_, ratios_;
  std::vector<share_index> children_;  // all of them, siblings together
  std::vector<std::uint32_t> begins_;  // where in children_ those of a vertex begin; one more at the end
};

}  // namespace annals::cycle
