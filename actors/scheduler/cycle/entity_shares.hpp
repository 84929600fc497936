// The entities that jobs count for in fairshare, and what they have used (docs/design/0042-fairshare.md).
#pragma once

#include <memory>

#include "actors/scheduler/cycle/entities.hpp"
#include "actors/scheduler/cycle/fairshare_settings.hpp"
#include "actors/scheduler/cycle/fairshare_standing.hpp"
#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/site_settings.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

class entity_shares {
 public:
  explicit entity_shares(const site_settings& settings) : settings_(settings) {}

  // The order of jobs looks at shares: by sched_config, or by a formula that names them.
  bool matter() const { return sharing_.ever || settings_.formula_names_shares(); }
  // A cycle in which shares count begins: what the entities have used, in this tree.
  fairshare_standing& stand(const std::shared_ptr<const share_tree>& tree);
  share_index leaf_of(const job& j) const { return entities_.place_of(j.entity); }  // in that tree, or behind it

  // -- for the other parts of a view ----------------------------------------------------------------------------------------
  // How jobs taken in from here on are counted. True: those taken in before were counted otherwise.
  bool count_by(const fairshare_settings& settings);
  const fairshare_settings& counted_by() const { return sharing_; }
  // False: the delta brings the first formula that names shares. While no shares count, jobs are read without their entities.
  bool knows_entities_after(schema::SchedulingDelta::Reader delta) const;
  void count_entity(job& j, schema::SchedJob::Reader row);
  void apply_usages(schema::SchedulingDelta::Reader delta);

 private:
  const site_settings& settings_;
  fairshare_settings sharing_;
  entity_table entities_;
  fairshare_standing standing_;
};

}  // namespace annals::cycle
