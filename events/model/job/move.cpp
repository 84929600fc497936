// qmove: a job goes to another queue of this server. What the old queue had given it by default goes, what the new one gives
// comes, and the new queue's limits and lists must let it in. A job that runs moves only when a reservation takes over what it has
// (pbs_rsub --job), and asks for what it asked for. The server moves by the same rules what is in a routing queue. Source: pbs guide,
// qmove, defaults, routing queues.
#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

bool is_this_server(std::string_view server, const settings& settings) {
  return short_name(server) == short_name(settings.server_name) || short_name(server) == short_name(settings.host_name);
}

attributes::request_defaults defaults_in(std::string_view queue, const settings& settings) {
  const auto* q = settings.queue(queue);
  return attributes::defaults_of(settings.server, q ? q->attributes : attributes::attribute_set());
}

const std::string* find(const attributes::resource_list& list, const std::string& name) {
  const auto at = list.find(name);
  return at == list.end() ? nullptr : &at->second;
}

// Job-wide resources that change with the queue: a value equal to the old queue's default counts as given by it.
attributes::resource_list changed_defaults(const attributes::resource_list& has, const attributes::request_defaults& before,
                                           const attributes::request_defaults& after, const settings& settings) {
  attributes::resource_list changes;
  const auto job_wide = [&](const std::string& name) {
    const auto* r = settings.resources.find(name);
    return r && !r->has(attributes::host_level);
  };
  for (const auto& [name, value] : before.queue_default) {
    const auto* now = find(has, name);
    if (!now || *now != value || !job_wide(name)) continue;
    const auto* server = find(after.server_default, name);
    changes[name] = server ? *server : "";
  }
  for (const auto& [name, value] : after.queue_default)
    if (job_wide(name) && (!has.contains(name) || changes.contains(name))) changes[name] = value;
  return changes;
}

struct change {
  std::string name, resource, value;
  bool unset;
};

// What Resource_List and schedselect become.
std::vector<change> differences(const job_state& job, const attributes::resource_list& has, const attributes::completed_request& wanted,
                                const std::string& reservation) {
  std::vector<change> out;
  for (const auto& [name, value] : wanted.resources)
    if (const auto* old = find(has, name); !old || *old != value) out.push_back({"Resource_List", name, value, false});
  for (const auto& [name, value] : has)
    if (!wanted.resources.contains(name)) out.push_back({"Resource_List", name, "", true});
  if (job.attribute(ids::reserve_ID) != reservation) out.push_back({"reserve_ID", "", reservation, reservation.empty()});
  if (job.attribute(ids::schedselect) != wanted.schedselect) out.push_back({"schedselect", "", wanted.schedselect, false});
  return out;
}

// How often the server has routed it; a person's move begins anew.
void note_route(const job_state& job, std::string_view queue, bool is_routed, const settings& settings, std::vector<change>& out) {
  const std::string type = is_routing(settings.queue(queue)->attributes) ? "R" : "E";
  if (job.attribute(ids::queue_type) != type) out.push_back({"queue_type", "", type, false});
  if (is_routed) out.push_back({"hop_count", "", std::to_string(hops_of(job) + 1), false});
  else if (hops_of(job) > 0) out.push_back({"hop_count", "", "", true});
}

// Who puts the job there, for the new queue's lists: the server does so for the job's owner, where he submitted it.
requester mover(const job_state& job, bool is_routed, const requester& by) {
  const auto owner = job.owner();
  const auto at = owner.find('@');
  const bool is_known = is_routed && at != std::string_view::npos;
  return {std::string(job.owner_name()), is_known ? std::string(owner.substr(at + 1)) : by.host, schema::Role::USER};
}

// What the server moves is in a routing queue (somebody else may have moved it meanwhile), and may leave that now.
std::optional<rejection> cannot_leave(const job_state& job, const settings& settings) {
  const auto* queue = settings.queue(job.queue());
  if (!queue || !in_routing_queue(job)) return refuse(pbs_error::bad_state);
  return not_to_be_routed(queue->attributes, job.holds != 0, !job.wait_over);
}

std::optional<rejection> cannot_go_there(const job_state& job, const std::string& queue, bool is_routed, const requester& by,
                                         const settings& settings) {
  if (is_routed)
    if (auto why = cannot_leave(job, settings)) return why;
  if (is_routed && (leads_nowhere(job.queue(), queue, settings) || hops_of(job) >= route_hops_max)) return refuse(pbs_error::too_many_hops);
  if (auto why = only_routed(queue, by, settings)) return why;
  return queue_refusal(queue, job.attribute(ids::egroup), mover(job, is_routed, by), settings);
}

event moved_event(const std::string& queue, const std::vector<change>& changes, const stamp& now) {
  return make_event([&](auto e) {
    auto m = e.initJob().initMoved();
    m.setQueue(queue);
    m.setQueueRank(now.wall_ns / 1000);
    auto list = m.initChanges(static_cast<unsigned>(changes.size()));
    for (unsigned i = 0; i < changes.size(); ++i) {
      list[i].setName(changes[i].name);
      list[i].setResource(changes[i].resource);
      list[i].setValue(changes[i].value);
      list[i].setOp(changes[i].unset ? schema::AttributeOp::UNSET : schema::AttributeOp::SET);
    }
  });
}

outcome decide_move_of_run(const job_state& job, const std::string& queue, const stamp& now, const settings& settings) {
  const auto reservation = reservation_of_queue(queue, settings);
  if (now.by.role != schema::Role::SERVER || job.phase > job_phase::suspended || reservation.empty()) return refuse(pbs_error::bad_state);
  if (job.queue() == queue) return no_change;
  return std::vector<event>{moved_event(queue, {{"reserve_ID", "", reservation, false}}, now)};
}

}  // namespace

values::result<std::string, rejection> queue_named(std::string_view destination, const settings& settings) {
  const auto at = destination.find('@');
  if (at != std::string_view::npos && !is_this_server(destination.substr(at + 1), settings)) return refuse(pbs_error::bad_host);
  std::string queue(destination.substr(0, at));
  if (queue.empty()) queue = settings.server.get(attributes::server::default_queue).value_or("");
  if (queue.empty()) return refuse(pbs_error::no_default_queue);
  if (!settings.queue(queue)) return refuse(pbs_error::unknown_queue);
  return queue;
}

outcome decide_move(const job_state& job, schema::MoveJob::Reader command, const stamp& now, const settings& settings) {
  const auto destination = schema::text(command.getDestination());
  const bool nobody_took_it = destination.empty() && now.by.role == schema::Role::SERVER;
  return nobody_took_it && !job.ended() ? decide_unrouted(job, now, settings) : decide_move_to(job, destination, now, settings);
}

outcome decide_move_to(const job_state& job, std::string_view destination, const stamp& now, const settings& settings) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!may_act(job, now.by)) return refuse(pbs_error::unauthorized);
  const auto queue = queue_named(destination, settings);
  if (job.phase > job_phase::waiting) return queue ? decide_move_of_run(job, *queue, now, settings) : refuse(pbs_error::bad_state);
  if (!queue) return queue.error();
  const bool is_for_reservation = !reservation_of_queue(*queue, settings).empty();
  const bool is_routed = now.by.role == schema::Role::SERVER && !is_for_reservation;
  if (auto why = cannot_go_there(job, *queue, is_routed, now.by, settings)) return *why;
  const auto defaults = defaults_in(*queue, settings);
  const auto has = attributes::resources_of(job.attributes, ids::Resource_List);
  const auto wanted = attributes::alter_request(has, changed_defaults(has, defaults_in(job.queue(), settings), defaults, settings),
                                                defaults, settings.resources, schema::Role::SERVER);
  if (!wanted) return as_rejection(wanted.error());
  if (is_routed || !now.by.is_manager())
    if (auto why = attributes::within_limits(wanted->resources, defaults, settings.resources)) return as_rejection(*why);
  auto changes = differences(job, has, *wanted, reservation_of_queue(*queue, settings));
  note_route(job, *queue, is_routed, settings, changes);
  return std::vector<event>{moved_event(*queue, changes, now)};
}

}  // namespace annals::model
