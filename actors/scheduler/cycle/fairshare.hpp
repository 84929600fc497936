// Which job comes next by fairshare. From the root of the tree down, the child with the lower usage by percentage; of the entity
// found, its next job in the order that holds otherwise. Among equals the job that comes first in that order. A job that is started
// adds what it asks for to its entity for the rest of the cycle, so that one entity does not get everything at once (pbs guide:
// fairshare). A cycle costs a look at each vertex, and each start the logarithm of the number of entities. Governed by
// docs/design/0042-fairshare.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/scheduler/cycle/fairshare_standing.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

class fairshare_order {
 public:
  // `order`: the jobs as they would be considered without fairshare. Where queues count, a queue's places stay its own: fairshare
  // says which of its jobs takes each.
  fairshare_order(const view& v, fairshare_standing& standing, std::vector<index> order, bool queues_count);
  ~fairshare_order();
  index next();  // none: that was all

 private:
  class picker;
  class dealer;

  std::vector<index> order_;
  std::vector<index> queues_;  // of each job of order_; 0 if they do not count
  std::size_t at_ = 0;
  std::vector<std::unique_ptr<picker>> pickers_;  // of each queue
};

}  // namespace annals::cycle
