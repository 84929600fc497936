// Which failures of its other hosts a run bears: one answer for everything that meets one (RS-01 to RS-05).
#include "events/model/run/rules.hpp"

namespace annals::model {

tolerance tolerance_of(schema::StartRun::Reader order) {
  for (auto a : order.getAttributes()) {
    if (schema::text(a.getName()) != "tolerate_node_failures") continue;
    if (schema::text(a.getValue()) == "all") return tolerance::all;
    if (schema::text(a.getValue()) == "job_start") return tolerance::job_start;
  }
  return tolerance::none;
}

bool run_state::bears_failures() const {
  switch (tolerates) {
    case tolerance::none: return false;
    case tolerance::job_start: return phase == run_phase::received || phase == run_phase::starting;
    case tolerance::all: return phase == run_phase::received || active();
  }
  return false;
}

}  // namespace annals::model
