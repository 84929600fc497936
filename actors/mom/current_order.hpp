// The order of a run as it stands now, for the hooks and the hosts of a run that was told to go on with less than it was ordered with.
#pragma once

#include "events/model/run/run.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

class current_order {
 public:
  void follow(const model::run_state& run);  // after each change of it
  const schema::sealed<schema::ToMom>& of(const model::run_state& run) const { return reduced_ ? reduced_ : run.order; }
  // What another host is told of it, with what the run has now.
  void fill_for_host(const model::run_state& run, schema::StartRun::Builder to) const;
  // Of a run that was reduced: one message for all hosts that stay.
  const schema::sealed<schema::ToSister>& update() const { return update_; }

 private:
  schema::sealed<schema::ToMom> reduced_;  // what the job shows stands in it
  schema::sealed<schema::ToSister> update_;
  std::uint32_t reductions_ = 0;  // that stand in both
};

}  // namespace annals::actors
