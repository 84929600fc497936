// Which failures of its other hosts a run bears: one answer for everything that meets one (RS-01 to RS-05).
#include "events/model/run/rules.hpp"
#include "events/values/pbs_error.hpp"

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

// A hook that calls job.rerun() or job.delete() wants that of the job, wherever it runs: no host has failed.
bool bears(const run_state& run, std::int32_t code) {
  const auto error = static_cast<std::uint32_t>(code);
  const bool is_wish = error == values::pbs_error::hook_rejected_rerun || error == values::pbs_error::hook_rejected_delete;
  return run.bears_failures() && !is_wish;
}

}  // namespace annals::model
