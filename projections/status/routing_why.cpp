#include "projections/status/routing_why.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::projections {

namespace {

namespace queue_ids = attributes::queue;

model::settings settings_of(const status& from) {
  model::settings s;
  s.server_name = from.server().server_name;
  s.host_name = from.server().host_name;
  s.server = from.server().attributes;
  s.resources = from.server().resources;
  for (const auto& [name, queue] : from.queues()) s.queues[name] = {queue.order, queue.attributes, queue.reservation};
  return s;
}

// "max_queued of short": limits on how much may be queued. How much is, only the ledger counts.
void add_limits(const attributes::attribute_set& set, schema::ObjectKind kind, const std::string& of, std::set<std::string>& to) {
  for (const auto& e : set) {
    const std::string_view name = attributes::find(kind, e.id)->name;
    if (name.starts_with("max_queued") || name.starts_with("queued_jobs_threshold") || name == "max_queuable")
      to.insert(std::string(name) + " of " + of);
  }
}

class explained_routing {
 public:
  explained_routing(const status& from, const model::job_state& job)
      : from_(from), job_(job), settings_(settings_of(from)), name_(job.queue()) {
    if (const auto* known = settings_.queue(name_)) queue_ = known->attributes;
  }

  std::vector<std::string> sentences() {
    const bool is_tried = says_that_it_stays();
    say_where_it_may_go(is_tried);
    if (is_tried) say("It is tried again every " + seconds(retry_seconds()) + " (route_retry_time).");
    if (const auto most = number(queue_ids::route_lifetime, 0); most > 0 && is(queue_ids::started))
      say("It ends when it has been in " + name_ + " for " + seconds(most) + " (route_lifetime).");
    return std::move(all_);
  }

 private:
  void say(std::string sentence) { all_.push_back(std::move(sentence)); }
  bool is(attributes::attribute_id id) const { return queue_.get(id) == "True"; }
  std::int64_t number(attributes::attribute_id id, std::int64_t otherwise) const {
    return values::parse_integer(queue_.get(id).value_or("")).value_or(otherwise);
  }
  std::int64_t retry_seconds() const { return std::max<std::int64_t>(1, number(queue_ids::route_retry_time, model::route_retry_seconds)); }
  static std::string seconds(std::int64_t n) { return n == 1 ? "second" : std::to_string(n) + " seconds"; }

  // False: the queue keeps it, and nothing is tried.
  bool says_that_it_stays() {
    if (!is(queue_ids::started)) say("Queue " + name_ + " is not started: it routes no job.");
    if (job_.holds != 0 && !is(queue_ids::route_held_jobs)) say("Held jobs stay in " + name_ + ": its route_held_jobs is not True.");
    if (!job_.wait_over && !is(queue_ids::route_waiting_jobs))
      say("Jobs that wait for their time stay in " + name_ + ": its route_waiting_jobs is not True.");
    return all_.empty();
  }

  void say_where_it_may_go(bool is_tried) {
    const auto destinations = values::split_list(queue_.get(queue_ids::route_destinations).value_or(""));
    const auto nowhere = [&](const std::string& d) { return model::leads_nowhere(name_, d, settings_); };
    if (destinations.empty()) return say("It has nowhere to go: " + name_ + " has no route_destinations.");
    if (std::all_of(destinations.begin(), destinations.end(), nowhere))
      say("It has nowhere to go: route_destinations of " + name_ + " lead to no other than routing queues, which lead back.");
    for (const auto& d : destinations)
      if (nowhere(d)) say("Destination " + d + " leads back, and is passed over.");
      else if (is_tried) say_of(d);
  }

  void say_of(const std::string& destination) {
    const model::stamp now{from_.wall_ns(), {"pbs_server", settings_.host_name, schema::Role::SERVER}};
    const auto moved = model::decide_move_to(job_, destination, now, settings_);
    if (moved.accepted()) return say("Destination " + destination + " takes such jobs" + what_may_refuse(destination) + ".");
    const auto why = moved.why();
    const auto how = model::refuses_for_good(why.code) ? " refuses it for good: " : " refuses it now: ";
    say("Destination " + destination + how + why.text + ".");
  }

  std::string what_may_refuse(const std::string& destination) const {
    std::set<std::string> all;
    if (const auto name = model::queue_named(destination, settings_))
      add_limits(settings_.queue(*name)->attributes, schema::ObjectKind::QUEUE, *name, all);
    add_limits(settings_.server, schema::ObjectKind::SERVER, "the server", all);
    for (const auto& [serial, hook] : from_.hooks())
      if (hook.runs_at("movejob")) all.insert("a movejob hook");
    std::string out;
    for (const auto& each : all) (out += out.empty() ? ", unless one of these refuses it now: " : ", ") += each;
    return out;
  }

  const status& from_;
  const model::job_state& job_;
  const model::settings settings_;
  const std::string name_;
  attributes::attribute_set queue_;
  std::vector<std::string> all_;
};

}  // namespace

std::vector<std::string> why_not_routed(const status& from, const model::job_state& job) {
  if (!model::in_routing_queue(job) || job.phase > model::job_phase::waiting) return {};
  return explained_routing(from, job).sentences();
}

}  // namespace annals::projections
