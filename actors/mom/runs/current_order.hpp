// The order of a run as it stands now, for the hooks and the hosts of a run that was told to go on with less than it was ordered with,
// whose job was altered, or that hooks of this host gave other variables.
#pragma once

#include "events/model/run/run.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

class current_order {
 public:
  void follow(const model::run_state& run);  // after each change of it
  const schema::sealed<schema::ToMom>& of(const model::run_state& run) const { return changed_ ? changed_ : run.order; }
  // What another host is told of it, with what the run has now.
  void fill_for_host(const model::run_state& run, schema::StartRun::Builder to) const;
  // Of a run that was reduced: one message for all hosts that stay.
  const schema::sealed<schema::ToSister>& update() const { return update_; }

 private:
  schema::sealed<schema::ToMom> changed_;  // what the job shows stands in it
  schema::sealed<schema::ToSister> update_;
  std::uint32_t reductions_ = 0;   // that stand in both
  std::uint32_t alterations_ = 0;  // that stand in changed_
  std::size_t hook_runs_ = 0;      // what they made of it stands in changed_
};

}  // namespace annals::actors
