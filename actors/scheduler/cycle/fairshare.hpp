// Which job comes next by fairshare. From the root of the tree down, the child with the lower usage by percentage; of the entity
// found, its next job in the order that holds otherwise. Among equals the job that comes first in that order. A job that is started
// adds what it asks for to its entity for the rest of the cycle, so that one entity does not get everything at once (pbs guide:
// fairshare). Each step costs the logarithm of the number of entities. Governed by docs/design/0042-fairshare.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/scheduler/cycle/fairshare_settings.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// What each vertex has used, at this moment of a cycle.
class fairshare_standing {
 public:
  fairshare_standing(view& v, const fairshare_settings& settings);

  std::size_t size() const { return usage_.size(); }
  share_index leaf_of(const job& j) const { return entities_.place_of(j.entity); }
  share_index parent_of(share_index v) const { return parents_[v]; }
  double ratio(share_index v) const { return ratios_[v]; }  // infinite: it has no share
  bool has_share(const job& j) const { return percentages_[leaf_of(j)] > 0; }
  void started(const job& j);

 private:
  void find_ratio(share_index v);

  const entity_table& entities_;
  // Of the tree's vertices, and behind them of the entities that are not in it. Apart, since they are looked at in any order.
  std::vector<share_index> parents_;
  std::vector<float> percentages_;
  std::vector<double> usage_, ratios_;
};

class fairshare_order {
 public:
  // `order`: the jobs as they would be considered without fairshare. Where queues count, a queue's places stay its own: fairshare
  // says which of its jobs takes each.
  fairshare_order(const view& v, const fairshare_standing& standing, std::vector<index> order, bool queues_count);
  ~fairshare_order();
  index next();  // none: that was all

 private:
  class picker;
  picker& of(const job& j);

  const view& view_;
  const fairshare_standing& standing_;
  std::vector<index> order_;
  bool queues_count_;
  std::size_t at_ = 0;
  std::vector<std::vector<index>> jobs_;          // of each queue
  std::vector<std::unique_ptr<picker>> pickers_;  // of each queue, from its first job on
  std::vector<std::uint32_t> node_of_;            // for who builds a picker: of each vertex
};

}  // namespace annals::cycle
