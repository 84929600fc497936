// What is told of a job beside its own events, and kept beside its state: what cycles say of it, and how much eligible time it has. So the
// state is what the job's events alone make of it, and its rules decide over it as over the state that the job's actor has; who shows the
// job shows both. Governed by docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/job/job.hpp"
#include "events/schema/event/scheduler.capnp.h"
#include "projections/status/eligible_time.hpp"

namespace annals::projections {

struct told_of_job {
  std::shared_ptr<const std::string> comment = {};         // many jobs have the same one; null: the job's own is shown
  std::optional<attributes::attribute_set> estimate = {};  // all of `estimated` and `topjob`; nothing: the job's own
  accrued_time eligible = {};

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.comment, self.estimate, self.eligible);
  }
  bool empty() const { return !comment && !estimate && eligible == accrued_time(); }

  // Applies an event to the job's state. What it sets of the job's own takes the place of what was told; what it adds to the comment is
  // added to the one that is shown.
  void apply(model::job_state& job, const model::event_place& at, schema::JobEvent::Reader event);
  // Of a top job. When it is none any more it keeps the time and the place, unless a cycle takes them away (clear_topjob_estimates_enable).
  void set_estimate(const model::job_state& job, schema::JobEstimate::Reader e);

  // All attributes of the job with this: those that are shown.
  attributes::attribute_set shown(const model::job_state& job) const;
  // A single one; empty: it is not shown.
  std::string shown(const model::job_state& job, attributes::attribute_id id, std::string_view resource) const;

 private:
  void apply_with_comment(model::job_state& job, const model::event_place& at, schema::JobEvent::Reader event);
  template <class Change>
  void change_estimate(const model::job_state& job, Change&& change);
};

}  // namespace annals::projections
