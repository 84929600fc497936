#include "tools/replay/simulated_log.hpp"

#include <algorithm>
#include <optional>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"

namespace annals::replay {

// Its sequence is that of the record before it: nobody asks for it by number.
void simulated_log::write(std::uint64_t stream, std::int64_t wall_ns, const std::function<void(schema::Event::Builder)>& fill) {
  const auto message = schema::make<schema::Record>([&](schema::Record::Builder r) {
    r.setSequence(now_.sequence());
    r.setStream(stream);
    r.setWallNs(std::max(wall_ns, now_.wall_ns()));
    r.setRawNs(wall_ns);
    r.initWho().setRole(schema::Role::SERVER);
    fill(r.initEvent());
  });
  fold(log::record(message, {}));
}

void simulated_log::write(std::uint64_t stream, std::int64_t wall_ns, const std::vector<model::event>& of_job) {
  for (const auto& event : of_job) write(stream, wall_ns, [&](schema::Event::Builder e) { e.setJob(event.get().getJob()); });
}

bool simulated_log::scheduling_on(const std::string& scheduler) const {
  const auto at = now_.schedulers().find(scheduler);
  if (at == now_.schedulers().end()) return false;
  if (scheduler == model::default_scheduler) return now_.server().attributes.get(attributes::server::scheduling) != "False";
  return at->second.attributes.get(attributes::scheduler::scheduling) == "True";
}

std::int64_t simulated_log::iteration_ns(const std::string& scheduler) const {
  std::optional<std::int64_t> seconds;
  if (scheduler == model::default_scheduler)
    seconds = attributes::integer_of(now_.server().attributes, attributes::server::scheduler_iteration);
  else if (const auto at = now_.schedulers().find(scheduler); at != now_.schedulers().end())
    seconds = attributes::integer_of(at->second.attributes, attributes::scheduler::scheduler_iteration);
  return std::max<std::int64_t>(seconds.value_or(600), 1) * 1'000'000'000;
}

bool happens_to(const model::job_state& job, schema::JobEvent::Which event) {
  using which = schema::JobEvent::Which;
  switch (event) {
    case which::ALTERED:
    case which::HELD:
    case which::RELEASED:
    case which::WAIT_ENDED:
    case which::MOVED:
    case which::REORDERED: return model::may_happen(job.phase, event);
    default: return false;
  }
}

}  // namespace annals::replay
