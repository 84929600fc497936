// Which failures of its other hosts a run bears: one answer for everything that meets one (RS-01 to RS-05).
#include "events/model/run/rules.hpp"

namespace annals::model {

tolerance tolerance_of(schema::StartRun::Reader order) {
  values::tolerance_words words;
  for (auto a : order.getAttributes()) words.take(schema::text(a.getName()), schema::text(a.getResource()), schema::text(a.getValue()));
  return words.bears();
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
