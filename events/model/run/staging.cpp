// Files that come to a run before its sisters are asked and its program is started (pbs guide: stagein).
// docs/design/0025-staging.md.
#include "events/model/exit_codes.hpp"
#include "events/model/run/rules.hpp"

namespace annals::model {

using phase = run_phase;

namespace {

event staged_event(const ports::delivery_result& result) {
  return make_event([&](auto e) {
    auto s = e.initRun().initFilesStagedIn();
    s.setOk(result.ok);
    s.setText(result.text);
    s.setStaged(result.delivered);
    s.setAsked(result.asked);
  });
}

}  // namespace

bool wants_files(schema::StartRun::Reader order) {
  for (auto a : order.getAttributes())
    if (schema::text(a.getName()) == "stagein") return a.getValue().size() > 0;
  return false;
}

std::vector<event> begin_run(schema::StartRun::Reader order) {
  if (order.getSisters().size() > 0) return ask_sisters(order);
  std::vector<event> out;
  out.push_back(starting_event());
  return out;
}

outcome on_files_staged(const run_state& run, const files_staged& c) {
  if (run.phase != phase::received || run.stage_in != stage_in_phase::wanted) return no_change;
  std::vector<event> out{staged_event(c.what)};
  if (!c.what.ok) out.push_back(refused_event(exit_retry, "Stage In of files failed"));
  else out.push_back(std::move(begin_run(run.order.get().getStartRun()).front()));
  return out;
}

void apply_to_staging(run_state& run, const event_place& at, schema::FilesStagedIn::Reader e) {
  run.stage_in = e.getOk() ? stage_in_phase::done : stage_in_phase::failed;
  run.join_since_ns = at.wall_ns;
}

}  // namespace annals::model
