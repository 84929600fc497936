// What the server may do with a job in a routing queue, and when it ends there. Source: pbs guide, routing queues.
#include "events/model/job/routing.hpp"

#include <algorithm>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace queue_ids = attributes::queue;
namespace pbs_error = values::pbs_error;

namespace {

constexpr std::string_view lifetime_text = "Route queue lifetime exceeded";

bool flag(const attributes::attribute_set& queue, attributes::attribute_id id) { return queue.get(id) == "True"; }

std::vector<std::string> destinations_of(std::string_view queue, const settings& settings) {
  const auto* known = settings.queue(queue);
  return values::split_list(known ? known->attributes.get(queue_ids::route_destinations).value_or("") : "");
}

// Whether a job that comes to the queue may come out of routing queues, without a way through those that were seen. A queue that is not
// there and one that has no destinations are the end of a way, too.
bool leads_out(const std::string& queue, const settings& settings, std::set<std::string, std::less<>>& seen) {
  const auto* known = settings.queue(queue);
  if (!known || !is_routing(known->attributes)) return true;
  if (!seen.insert(queue).second) return false;
  const auto destinations = destinations_of(queue, settings);
  return destinations.empty() || std::any_of(destinations.begin(), destinations.end(), [&](const std::string& d) {
           const auto next = queue_named(d, settings);
           return !next || leads_out(*next, settings, seen);
         });
}

// Every destination that leads anywhere refuses for good, and there is one.
bool nobody_ever_takes(const job_state& job, const stamp& now, const settings& settings) {
  const stamp by_server{now.wall_ns, {now.by.user, now.by.host, schema::Role::SERVER}};
  bool any = false;
  for (const auto& d : destinations_of(job.queue(), settings)) {
    if (leads_nowhere(job.queue(), d, settings)) continue;
    any = true;
    const auto moved = decide_move_to(job, d, by_server, settings);
    if (moved.accepted() || !refuses_for_good(moved.why().code)) return false;
  }
  return any;
}

outcome end_unrouted(const job_state& job, std::string_view why, const settings& settings) {
  std::vector<event> out;
  end_by_server(job, 91, why, settings, out);
  return out;
}

std::optional<rejection> stays(const job_state& job, const settings& settings) {
  const auto* queue = settings.queue(job.queue());
  if (!queue || !is_routing(queue->attributes) || job.phase > job_phase::waiting) return refuse(pbs_error::bad_state);
  return not_to_be_routed(queue->attributes, job.holds != 0, !job.wait_over);
}

}  // namespace

bool is_routing(const attributes::attribute_set& queue) { return queue.get(queue_ids::queue_type) == "Route"; }
bool in_routing_queue(const job_state& job) { return job.attribute(ids::queue_type) == "R"; }
std::int64_t hops_of(const job_state& job) { return values::parse_integer(job.attribute(ids::hop_count)).value_or(0); }

bool refuses_for_good(std::uint32_t code) {
  switch (code) {
    case pbs_error::unauthorized:
    case pbs_error::bad_host:
    case pbs_error::bad_value:
    case pbs_error::unknown_queue:
    case pbs_error::queue_access_denied:
    case pbs_error::bad_user:
    case pbs_error::too_many_hops:
    case pbs_error::unknown_resource:
    case pbs_error::exceeds_queue_resources:
    case pbs_error::no_default_queue:
    case pbs_error::bad_group:
    case pbs_error::invalid_in_select: return true;
    default: return false;
  }
}

bool leads_nowhere(std::string_view from, std::string_view destination, const settings& settings) {
  const auto queue = queue_named(destination, settings);
  std::set<std::string, std::less<>> seen{std::string(from)};
  return queue && !leads_out(*queue, settings, seen);
}

std::optional<rejection> not_to_be_routed(const attributes::attribute_set& queue, bool is_held, bool waits) {
  const bool leaves = flag(queue, queue_ids::started) && (!is_held || flag(queue, queue_ids::route_held_jobs)) &&
                      (!waits || flag(queue, queue_ids::route_waiting_jobs));
  return leaves ? std::nullopt : std::optional(refuse(pbs_error::bad_state));
}

std::optional<std::int64_t> lifetime_left(const attributes::attribute_set& queue, std::int64_t since_s, std::int64_t now_s) {
  const auto lifetime = values::parse_integer(queue.get(queue_ids::route_lifetime).value_or("")).value_or(0);
  if (lifetime <= 0 || !flag(queue, queue_ids::started)) return std::nullopt;
  return lifetime - (now_s - since_s);
}

std::optional<rejection> unroutable(const job_state& job, const stamp& now, const settings& settings) {
  if (stays(job, settings) || !nobody_ever_takes(job, now, settings)) return std::nullopt;
  return refuse(pbs_error::all_destinations_rejected);
}

outcome decide_unrouted(const job_state& job, const stamp& now, const settings& settings) {
  const auto* queue = settings.queue(job.queue());
  if (!queue || !in_routing_queue(job) || job.phase > job_phase::waiting) return refuse(pbs_error::bad_state);
  const auto since = values::parse_integer(job.attribute(ids::qtime)).value_or(now.seconds());
  const auto left = lifetime_left(queue->attributes, since, now.seconds());
  if (left && *left <= 0) return end_unrouted(job, lifetime_text, settings);
  if (auto why = stays(job, settings)) return *why;
  if (!nobody_ever_takes(job, now, settings)) return refuse(pbs_error::try_again, "Please retry: a destination may take the job");
  return end_unrouted(job, values::pbs_error_text(pbs_error::all_destinations_rejected), settings);
}

}  // namespace annals::model
