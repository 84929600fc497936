// A fold that knows only one set of attributes for each job: words of cycles and the eligible time are written into the job's state, to
// which its next event is applied. For tests of told_of_job, which keeps the two apart and shows the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "projections/status/status.hpp"

namespace annals::test {

class told_in_states {
 public:
  std::map<std::uint64_t, model::job_state> jobs;  // by serial; not forgotten

  // `now` has folded it: which jobs are in the history is known to it.
  void fold(const log::record& r, const projections::status& now) {
    const auto at = log::place_of(r);
    const auto event = r.get().getEvent();
    if (event.isJob()) return fold_job(at, event.getJob());
    if (event.isScheduler() && event.getScheduler().isCycleReasons()) return fold_reasons(at, event.getScheduler().getCycleReasons());
    const bool counted = counts();
    if (event.isServer()) model::apply(server_, at, event.getServer());
    const bool switched = counts() != counted, went_back = event.isLog() && event.getLog().isClockSteppedBack();
    if (!switched && !went_back) return;
    for (auto& [serial, job] : jobs) {
      if (now.in_history(serial)) continue;
      if (switched && counted) stop(job, at.seconds());
      if (switched && !counted) accrue(job, projections::accrual_by_state(job), at.seconds());
      if (went_back && number_of(job, attributes::job::sample_starttime) > at.seconds()) set_since(job, at.seconds());
    }
  }

 private:
  static std::int64_t number_of(const model::job_state& job, attributes::attribute_id id) {
    return values::parse_integer(job.attribute(id)).value_or(0);
  }
  bool counts() const { return projections::counts_eligible_time(server_); }

  void fold_job(const model::event_place& at, schema::JobEvent::Reader event) {
    auto& job = jobs[at.stream];
    const auto waits_as = [&] { return std::pair(model::state_letter(job), model::in_routing_queue(job)); };
    const auto have_begun = [&] { return job.array && job.array->remaining.empty(); };
    const auto before = waits_as();
    const bool had_begun = have_begun();
    model::apply(job, at, event);
    if (job.phase == model::job_phase::forgotten) return void(jobs.erase(at.stream));
    bool is_given = false, goes_elsewhere = false;
    if (event.isAltered())
      for (auto c : event.getAltered().getChanges()) {
        is_given |= c.getName() == "eligible_time";
        goes_elsewhere |= c.getName() == "schedselect" || (c.getName() == "Resource_List" && c.getResource() == "place");
      }
    if (goes_elsewhere) job.attributes.erase_all(attributes::job::estimated);
    if (goes_elsewhere || event.isAssigned() || event.isVnodesTaken()) job.attributes.erase_all(attributes::job::topjob);
    const bool goes_on = event.isSubjobBegan() && !have_begun();
    const bool counts_anew = event.isQueued() || have_begun() != had_begun || (waits_as() != before && !goes_on);
    if (counts() && is_given) set_since(job, at.seconds());
    if (counts() && counts_anew) accrue(job, projections::accrual_by_state(job), at.seconds());
  }

  void fold_reasons(const model::event_place& at, schema::CycleReasons::Reader reasons) {
    const auto waiting = [&](std::uint64_t serial) {
      const auto known = jobs.find(serial);
      return known != jobs.end() && projections::status::may_be_told(known->second) ? &known->second : nullptr;
    };
    for (auto told : reasons.getJobs()) {
      auto* job = told.getText() < reasons.getTexts().size() ? waiting(told.getJob()) : nullptr;
      if (!job) continue;
      if (!job->array || job->array->began.empty())
        job->attributes.set(attributes::job::comment, schema::text(reasons.getTexts()[told.getText()]));
      const bool limited =
          told.getText() < reasons.getWhys().size() && reasons.getWhys()[told.getText()].getKind() == schema::Why::Kind::LIMIT;
      if (counts()) accrue(*job, limited ? projections::accrual::ineligible : projections::accrual::eligible, at.seconds());
    }
    for (auto e : reasons.getEstimates())
      if (auto* job = waiting(e.getJob())) set_estimate(job->attributes, e);
  }

  static void set_estimate(attributes::attribute_set& of, schema::JobEstimate::Reader e) {
    if (e.getStartNs() == 0) of.erase_all(attributes::job::estimated);
    if (e.getStartNs() == 0 || e.getFormer()) of.erase_all(attributes::job::topjob);
    if (e.getStartNs() == 0) return;
    of.set(attributes::job::estimated, "start_time", std::to_string(e.getStartNs() / 1'000'000'000));
    of.set(attributes::job::estimated, "exec_vnode", schema::text(e.getExecVnode()));
    if (!e.getFormer()) of.set(attributes::job::topjob, "True");
  }

  static void set_since(model::job_state& job, std::int64_t seconds) {
    job.attributes.set(attributes::job::sample_starttime, std::to_string(seconds));
  }
  static void add_up(model::job_state& job, std::int64_t seconds) {
    auto sum = values::parse_duration(job.attribute(attributes::job::eligible_time)).value_or(0);
    const auto since = number_of(job, attributes::job::sample_starttime);
    if (number_of(job, attributes::job::accrue_type) == static_cast<int>(projections::accrual::eligible) && since > 0)
      sum += std::max<std::int64_t>(0, seconds - since);
    job.attributes.set(attributes::job::eligible_time, values::print_duration(sum));
  }
  static void accrue(model::job_state& job, projections::accrual what, std::int64_t seconds) {
    if (number_of(job, attributes::job::accrue_type) == static_cast<int>(what)) return;
    add_up(job, seconds);
    job.attributes.set(attributes::job::accrue_type, std::to_string(static_cast<int>(what)));
    set_since(job, seconds);
  }
  static void stop(model::job_state& job, std::int64_t seconds) {
    if (!job.attributes.has(attributes::job::accrue_type)) return;
    add_up(job, seconds);
    job.attributes.erase(attributes::job::accrue_type);
    job.attributes.erase(attributes::job::sample_starttime);
  }

  model::server_state server_;
};

}  // namespace annals::test
