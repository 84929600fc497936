// A job has a comment and an estimate from cycles, and eligible time, without an event of its own. They are kept beside its state. So the
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

  // Applies an event to the job's state. An attribute that it sets takes the place of what was told; words that it adds to the comment are
  // added to the one that is shown.
  void apply(model::job_state& job, const model::event_place& at, schema::JobEvent::Reader event);
  // A job that is no top job any more keeps the time and the place, unless a cycle takes them away (clear_topjob_estimates_enable).
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
