#include "events/model/job/run_rights.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

namespace {

// pbs guide: qrun is for operators and managers.
bool may_order_runs(const requester& by) { return by.is_operator(); }

bool is_there(const job_state* job) { return job && job->phase != job_phase::none && job->phase != job_phase::forgotten; }

// What holds for both: the job waits to be run, and who asks may act for it.
std::optional<rejection> not_waiting(const job_state& job, const requester& by) {
  if (!may_act(job, by)) return refuse(pbs_error::unauthorized);
  if (job.phase > job_phase::waiting) return refuse(pbs_error::bad_state);
  return std::nullopt;
}

// It is nobody's to run before it has come to an execution queue.
bool is_nobodys(const job_state& job) { return job.phase <= job_phase::waiting && in_routing_queue(job); }

rejection not_its_own(const job_state& job, std::string_view its, std::string_view scheduler, const settings& settings, const char* to_do) {
  const auto whose = its.empty() ? "nobody's to " + std::string(to_do) + ": no scheduler has partition " +
                                       std::string(settings.partition_of_queue(job.queue()))
                                 : "scheduler " + std::string(its) + "'s to " + to_do + ", not " + std::string(scheduler) + "'s";
  return refuse(pbs_error::unauthorized, "Unauthorized Request: job " + job.id + " is " + whose);
}

}  // namespace

std::string_view scheduler_of(const job_state& job, const settings& settings) { return settings.scheduler_of_queue(job.queue()); }

std::optional<rejection> proposal_refusal(const job_state& job, const proposed_run& proposed, const requester& by,
                                          const settings& settings) {
  if (is_nobodys(job)) return refuse(pbs_error::bad_state);
  if (by.role != schema::Role::SCHEDULER) {
    const bool by_hand = proposed.asked && proposed.scheduler.empty() && may_order_runs(by);
    return by_hand ? std::nullopt : std::optional(refuse(pbs_error::unauthorized));
  }
  const auto its = scheduler_of(job, settings);
  if (proposed.scheduler == its && !its.empty()) return std::nullopt;
  if (job.phase == job_phase::suspended && settings.places_jobs(proposed.scheduler)) return std::nullopt;
  return not_its_own(job, its, proposed.scheduler, settings, "run");
}

std::optional<rejection> preemption_refusal(const job_state& job, std::string_view scheduler, const settings& settings) {
  if (!is_there(&job)) return refuse(pbs_error::unknown_job);
  const auto its = scheduler_of(job, settings);
  return scheduler == its && !its.empty() ? std::nullopt : std::optional(not_its_own(job, its, scheduler, settings, "preempt"));
}

std::optional<rejection> run_by_hand_refusal(const job_state* job, const requester& by) {
  if (!may_order_runs(by)) return refuse(pbs_error::unauthorized);
  if (!is_there(job)) return refuse(pbs_error::unknown_job);
  if (job->ended()) return refuse(pbs_error::job_has_finished);
  if (job->phase == job_phase::suspended) return refuse(pbs_error::resource_unavailable);
  if (is_nobodys(*job)) return refuse(pbs_error::bad_state);
  return not_waiting(*job, by);
}

values::result<values::index_set, rejection> subjobs_to_run(const job_state* array, const values::job_id& id, const requester& by) {
  if (!may_order_runs(by)) return refuse(pbs_error::unauthorized);
  if (!is_there(array) || !array->array) return refuse(pbs_error::unknown_job);
  if (array->ended()) return refuse(pbs_error::job_has_finished);
  const auto& remaining = array->array->remaining;
  const auto named = values::index_set::parse(id.indices, remaining.of());
  if (id.form == values::id_form::array || !named || named->empty()) return refuse(pbs_error::invalid_request);
  auto left = named->also_in(remaining);
  if (left.empty() || is_nobodys(*array)) return refuse(pbs_error::bad_state);
  return left;
}

std::optional<rejection> reorder_refusal(const job_state* job, const requester& by) {
  if (!is_there(job)) return refuse(pbs_error::unknown_job);
  if (job->ended()) return refuse(pbs_error::job_has_finished);
  return not_waiting(*job, by);
}

run_identity identity_of_run(const job_state& job, std::uint32_t run, std::string_view host) {
  if (!job.running() || job.run != run || job.drops(host)) return {};
  if (std::find(job.hosts.begin(), job.hosts.end(), host) == job.hosts.end()) return {};
  return {std::string(job.attribute(attributes::job::euser)), std::string(job.attribute(attributes::job::egroup))};
}

std::optional<rejection> terminal_refusal(const job_state& job, const requester& by) {
  if (!is_there(&job)) return refuse(pbs_error::unknown_job);
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (job.owner_name() != by.user) return refuse(pbs_error::unauthorized);
  if (job.attribute(attributes::job::interactive) != "True") return refuse(pbs_error::invalid_request);
  return std::nullopt;
}

values::result<exchanged_ranks, rejection> exchange_ranks(const job_state* first, const job_state* second, const requester& by) {
  if (auto why = reorder_refusal(first, by)) return *why;
  if (auto why = reorder_refusal(second, by)) return *why;
  return exchanged_ranks{{second->queue_rank}, {first->queue_rank}};
}

}  // namespace annals::model
