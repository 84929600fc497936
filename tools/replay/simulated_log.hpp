// The server's side of a simulation: its status and the view that a scheduler has of it, fed with recorded and with invented records.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/place.hpp"
#include "events/log/record.hpp"
#include "events/model/settings_fold.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/scheduling/withheld_jobs.hpp"
#include "projections/status/status.hpp"

namespace annals::replay {

class simulated_log {
 public:
  explicit simulated_log(const std::string& scheduler) : view_(now_, scheduler), withheld_(now_, view_) { now_.keep_no_history(); }
  simulated_log(const simulated_log&) = delete;
  simulated_log& operator=(const simulated_log&) = delete;

  void fold(const log::record& record) {
    now_.fold(record);
    view_.apply(record);
    withheld_.folded(record);
    const auto event = record.event();
    if (event.isServer() || event.isQueue() || event.isScheduler()) settings_.fold(log::place_of(record), event);
  }
  // An event that never was, at this time.
  void write(std::uint64_t stream, std::int64_t wall_ns, const std::function<void(schema::Event::Builder)>& fill);

  void write(std::uint64_t stream, std::int64_t wall_ns, const std::vector<model::event>& of_job);

  const projections::status& now() const { return now_; }
  const model::settings& settings() const { return *settings_.settings(); }
  // As a scheduler sees it in a cycle that decides for this time.
  projections::scheduling_projection& view_at(std::int64_t wall_ns) {
    withheld_.time_is(wall_ns);
    return view_;
  }
  // Of this scheduler, as the server's attributes or its own have it.
  bool scheduling_on(const std::string& scheduler) const;
  std::int64_t iteration_ns(const std::string& scheduler) const;

 private:
  projections::status now_;
  projections::scheduling_projection view_;
  projections::withheld_jobs withheld_;
  model::settings_fold settings_;
};

// Whether a recorded event that is no part of a run may happen to the job as it is in the simulation.
bool happens_to(const model::job_state& job, schema::JobEvent::Which event);

}  // namespace annals::replay
