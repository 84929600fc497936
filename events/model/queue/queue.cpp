// What may happen to a queue, and what it means.
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/limits.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/refuse.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::queue;
namespace pbs_error = values::pbs_error;
using which = schema::QueueEvent::Which;

namespace {

// Enabling or starting a queue needs its type; afterwards the sum of what is set must make sense.
std::optional<rejection> incomplete(const queue_state& then) {
  if (then.attributes.get(ids::enabled) == "True" && !then.attributes.get(ids::queue_type))
    return refuse(pbs_error::queue_incomplete);
  return std::nullopt;
}

// A routing queue has no partition: nobody schedules its jobs (MS-82, MS-83).
std::optional<rejection> route_with_partition(const queue_state& before, const queue_state& then) {
  const auto partition = then.attributes.get(ids::partition).value_or("");
  if (partition.empty() || then.attributes.get(ids::queue_type) != "Route") return std::nullopt;
  if (partition != before.attributes.get(ids::partition)) return refuse(pbs_error::route_queue_partition);
  const auto why = values::refuse(pbs_error::cannot_become_route_queue, "queue_type");
  return rejection{why.code, why.text};
}

// What only queues of the other type have (pbs guide: queue attributes); both kinds stand together in the order of display.
std::optional<rejection> of_other_type(std::string_view name, const queue_state& then) {
  const auto type = then.attributes.get(ids::queue_type);
  if (!type) return std::nullopt;
  for (const auto& entry : then.attributes) {
    const bool is_of_execution = entry.id >= ids::checkpoint_min && entry.id <= ids::backfill_depth;
    const bool is_of_routing = entry.id >= ids::route_destinations && entry.id <= ids::route_lifetime;
    if (type == "Route" ? !is_of_execution : !is_of_routing) continue;
    return refuse(pbs_error::incompatible_type, "Warning: type of queue " + std::string(name) + " incompatible with attribute " +
                                                    attributes::find(schema::ObjectKind::QUEUE, entry.id)->name);
  }
  return std::nullopt;
}

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

// Jobs are routed within this server.
std::optional<rejection> routes_elsewhere(const queue_state& then, const settings& settings) {
  for (const auto& d : values::split_list(then.attributes.get(ids::route_destinations).value_or(""))) {
    const auto at = d.find('@');
    if (at == std::string::npos) continue;
    const auto server = short_name(std::string_view(d).substr(at + 1));
    if (server != short_name(settings.server_name) && server != short_name(settings.host_name))
      return refuse(pbs_error::bad_host, std::string(values::pbs_error_text(pbs_error::bad_host)) + ": " + d + " is of another server");
  }
  return std::nullopt;
}

// A reservation's queue is where the reservation is (MS-103).
std::optional<rejection> partition_of_reservation(const queue_state& before, const queue_state& then, const requester& by) {
  if (before.reservation == 0 || by.is_daemon()) return std::nullopt;
  if (before.attributes.get(ids::partition) == then.attributes.get(ids::partition)) return std::nullopt;
  return refuse(pbs_error::unauthorized, "Unauthorized Request: the partition of a reservation's queue is the reservation's");
}

// The type that a queue has already is no change of it.
outcome without_its_type(const queue_state& queue, const outcome& changed) {
  std::vector<event> out;
  for (const auto& e : changed.events()) {
    std::vector<schema::Attribute::Reader> kept;
    for (const auto c : e.get().getQueue().getChanged().getChanges())
      if (c.getName() != "queue_type" || c.getOp() == schema::AttributeOp::UNSET ||
          queue.attributes.get(ids::queue_type) != schema::text(c.getValue()))
        kept.push_back(c);
    if (kept.empty()) continue;
    out.push_back(make_event([&](auto b) {
      auto list = b.initQueue().initChanged().initChanges(static_cast<unsigned>(kept.size()));
      for (unsigned i = 0; i < kept.size(); ++i) list.setWithCaveats(i, kept[i]);
    }));
  }
  return out;
}

outcome decide_set(const queue_state& queue, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  auto changed = changed_or_refused(schema::ObjectKind::QUEUE, queue.attributes, m, now.by, settings.resources);
  if (!changed.accepted()) return changed;
  queue_state then = queue;
  for (auto& e : changed.events()) apply_changes(schema::ObjectKind::QUEUE, then.attributes, e.get().getQueue().getChanged().getChanges());
  if (queue.attributes.get(ids::queue_type) && !then.attributes.get(ids::queue_type)) return refuse(pbs_error::queue_type_needed);
  if (auto why = incomplete(then)) return *why;
  if (auto why = route_with_partition(queue, then)) return *why;
  if (auto why = of_other_type(schema::text(m.getName()), then)) return *why;
  if (auto why = routes_elsewhere(then, settings)) return *why;
  if (auto why = partition_of_reservation(queue, then, now.by)) return *why;
  return without_its_type(queue, changed);
}

outcome decide_create(const queue_state& queue, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  const auto name = schema::str(m.getName());
  if (queue.exists || settings.queue(name)) return refuse(pbs_error::queue_exists);
  if (name.size() > limits::queue_name_chars_max) return refuse(pbs_error::queue_name_too_long);
  if (name.find('.') != std::string::npos) return refuse(pbs_error::invalid_object_name);
  auto set = decide_set(queue, m, now, settings);
  if (!set.accepted()) return set;
  std::vector<event> out{make_event([&](auto e) {
    auto created = e.initQueue().initCreated();
    created.setName(name);
    created.setReservation(now.by.is_daemon() ? m.getReservation() : 0);
  })};
  for (auto& e : set.events()) out.push_back(std::move(e));
  return out;
}

}  // namespace

outcome decide(const queue_state& queue, const schema::sealed<schema::Request>& command, const stamp& now, const settings& settings) {
  const auto m = command.get().getManage();
  if (m.getVerb() == schema::ManageVerb::CREATE) return decide_create(queue, m, now, settings);
  if (!queue.exists) return refuse(pbs_error::unknown_queue);
  if (m.getVerb() != schema::ManageVerb::DELETE) return decide_set(queue, m, now, settings);
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  if (queue.reservation != 0 && !now.by.is_daemon()) return refuse(pbs_error::object_busy);  // it goes with its reservation
  if (settings.server.get(attributes::server::default_queue) == queue.name && !now.by.is_daemon())
    return refuse(pbs_error::object_busy, "Cannot delete busy object: it is the server's default_queue");
  return std::vector<event>{make_event([&](auto e) { e.initQueue().initDeleted().setName(queue.name); })};
}

void apply(queue_state& queue, const event_place& at, schema::QueueEvent::Reader event) {
  switch (event.which()) {
    case which::CREATED:
      ANNALS_INVARIANT(!queue.exists, "a queue is created once");
      queue.serial = at.stream;
      queue.order = at.sequence;
      queue.exists = true;
      queue.name = schema::str(event.getCreated().getName());
      queue.reservation = event.getCreated().getReservation();
      break;
    case which::CHANGED:
      apply_changes(schema::ObjectKind::QUEUE, queue.attributes, event.getChanged().getChanges());
      break;
    case which::DELETED: queue.exists = false; break;
  }
  queue.version = at.version;
}

}  // namespace annals::model
