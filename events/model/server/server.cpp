// What may happen to the server object and the custom resources, and what it means.
#include <array>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/refuse.hpp"
#include "events/model/server/server.hpp"
#include "events/values/shown_text.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::server;
namespace pbs_error = values::pbs_error;
using which = schema::ServerEvent::Which;

namespace {

// What a fresh server has: the defaults of the table, written down once so that history does not depend on the table.
event first_settings(const server_up& up) {
  std::vector<std::array<std::string, 3>> set;
  for (const auto& row : attributes::table_of(schema::ObjectKind::SERVER))
    if (*row.default_value != '\0' && row.set_by != attributes::setter::nobody)
      set.push_back({row.name, "", row.default_value});
  set.push_back({"server_host", "", up.host_name});
  set.push_back({"default_chunk", "ncpus", "1"});
  set.push_back({"resources_default", "ncpus", "1"});
  return make_event([&](auto e) {
    auto list = e.initServer().initChanged().initChanges(static_cast<unsigned>(set.size()));
    for (unsigned i = 0; i < set.size(); ++i) {
      list[i].setName(set[i][0]);
      list[i].setResource(set[i][1]);
      list[i].setValue(set[i][2]);
    }
  });
}

outcome decide_up(const server_state& server, const server_up& up) {
  std::vector<event> out{make_event([&](auto e) {
    auto s = e.initServer().initStarted();
    s.setVersion(up.version);
    s.setHostName(up.host_name);
    s.setServerName(up.server_name);
    s.setTimeZone(up.time_zone);
    s.setLogUuid({reinterpret_cast<const kj::byte*>(up.log_uuid.data()), up.log_uuid.size()});
  })};
  if (!server.exists) out.push_back(first_settings(up));
  return out;
}

// The new value of a resource's type or flags; nothing: it stays. Unset flags are no flags.
std::optional<std::string> value_of(schema::Manage::Reader m, std::string_view name) {
  for (auto c : m.getChanges())
    if (schema::text(c.getName()) == name) return m.getVerb() == schema::ManageVerb::UNSET ? "" : schema::str(c.getValue());
  return std::nullopt;
}

bool knows_only_type_and_flag(schema::Manage::Reader m) {
  for (auto c : m.getChanges())
    if (schema::text(c.getName()) != "type" && schema::text(c.getName()) != "flag") return false;
  return true;
}

outcome decide_resource(const server_state& server, schema::Manage::Reader m, const stamp& now) {
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  const auto name = schema::str(m.getName());
  if (!knows_only_type_and_flag(m)) return refuse(pbs_error::bad_value);
  const auto type = value_of(m, "type"), flags = value_of(m, "flag");
  auto then = server.resources;
  auto verdict = [&]() -> std::optional<values::refusal> {
    switch (m.getVerb()) {
      case schema::ManageVerb::CREATE: return then.create(name, type.value_or(""), flags.value_or(""));
      case schema::ManageVerb::DELETE: return then.remove(name);
      case schema::ManageVerb::SET: return then.change(name, type, flags);
      case schema::ManageVerb::UNSET:
        if (type) return values::refuse(pbs_error::invalid_request);
        return then.change(name, std::nullopt, flags);
      case schema::ManageVerb::IMPORT: break;
    }
    return values::refuse(pbs_error::invalid_request);
  }();
  if (verdict) return rejection{verdict->code, verdict->text};
  return std::vector<event>{make_event([&](schema::Event::Builder e) {
    if (m.getVerb() == schema::ManageVerb::DELETE) return e.initServer().initResourceDeleted().setName(name);
    auto d = m.getVerb() == schema::ManageVerb::CREATE ? e.initServer().initResourceCreated() : e.initServer().initResourceChanged();
    const auto* r = then.find(name);
    d.setName(name);
    d.setType(attributes::resource_type_name(r->type));
    d.setFlags(attributes::resource_flags_text(r->flags));
  })};
}

// Managers and operators are user@host; the queue named as default must be there; the sender of mail is no option.
std::optional<rejection> unfit(capnp::List<schema::Attribute>::Reader changes, const settings& settings) {
  for (auto c : changes) {
    if (c.getOp() == schema::AttributeOp::UNSET) continue;
    const auto name = schema::text(c.getName());
    if (name == "default_queue" && !settings.queue(schema::text(c.getValue()))) return refuse(pbs_error::unknown_queue);
    // It stands behind an option of the mailer.
    if (name == "mail_from" && (schema::text(c.getValue()).starts_with('-') || values::has_controls(schema::text(c.getValue()))))
      return refuse(pbs_error::bad_value);
    if (name == "managers" || name == "operators")
      for (const auto& entry : values::split_trimmed(schema::text(c.getValue())))
        if (entry.find('@') == std::string::npos) return refuse(pbs_error::bad_host);
  }
  return std::nullopt;
}

}  // namespace

std::optional<rejection> stop_refusal(const requester& by) {
  if (by.is_operator()) return std::nullopt;
  return refuse(pbs_error::unauthorized);
}

// pbs guide: server_state.
bool winding_up(const settings& settings) { return settings.server.get(ids::server_state).value_or("").starts_with("Terminating"); }
bool waits_for_jobs(const settings& settings) { return settings.server.get(ids::server_state) == "Terminating_Delayed"; }

namespace {

outcome decide_wind_up(const server_state& server, const wind_up& request, const stamp& now) {
  if (auto why = stop_refusal(now.by)) return *why;
  const std::string state = request.waits_for_jobs ? "Terminating_Delayed" : "Terminating";
  if (server.attributes.get(ids::server_state) == state) return no_change;
  return std::vector<event>{make_event([&](auto e) {
    auto change = e.initServer().initChanged().initChanges(1)[0];
    change.setName("server_state");
    change.setValue(state);
  })};
}

outcome decide_manage(const server_state& server, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  if (m.getKind() == schema::ObjectKind::RESOURCE) return decide_resource(server, m, now);
  if (m.getVerb() == schema::ManageVerb::CREATE || m.getVerb() == schema::ManageVerb::DELETE)
    return refuse(pbs_error::invalid_request);
  auto changed = changed_or_refused(schema::ObjectKind::SERVER, server.attributes, m, now.by, server.resources);
  if (changed.accepted() && !changed.events().empty())
    if (auto why = unfit(changed.events().front().get().getServer().getChanged().getChanges(), settings)) return *why;
  return changed;
}

}  // namespace

outcome decide(const server_state& server, const server_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const server_state& server;
    const stamp& now;
    const model::settings& settings;
    outcome operator()(const server_up& c) const { return decide_up(server, c); }
    outcome operator()(const wind_up& c) const { return decide_wind_up(server, c, now); }
    outcome operator()(const server_down& c) const {
      return std::vector<event>{make_event([&](auto e) { e.initServer().initStopped().setHow(c.how); })};
    }
    outcome operator()(const schema::sealed<schema::Request>& c) const { return decide_manage(server, c.get().getManage(), now, settings); }
  };
  return std::visit(visitor{server, now, settings}, command);
}

void apply(server_state& server, const event_place& at, schema::ServerEvent::Reader event) {
  switch (event.which()) {
    case which::STARTED: {
      const auto e = event.getStarted();
      server.serial = at.stream;
      server.exists = true;
      server.host_name = schema::str(e.getHostName());
      server.server_name = schema::str(e.getServerName());
      server.attributes.set(ids::pbs_version, schema::text(e.getVersion()));
      server.attributes.set(ids::server_host, server.host_name);
      server.attributes.set(ids::server_state, "Active");
      break;
    }
    case which::STOPPED: break;
    case which::CHANGED:
      apply_changes(schema::ObjectKind::SERVER, server.attributes, event.getChanged().getChanges());
      break;
    case which::RESOURCE_CREATED:
    case which::RESOURCE_CHANGED: {
      const bool fresh = event.which() == which::RESOURCE_CREATED;
      const auto d = fresh ? event.getResourceCreated() : event.getResourceChanged();
      const auto why = fresh ? server.resources.create(schema::text(d.getName()), schema::text(d.getType()), schema::text(d.getFlags()))
                             : server.resources.change(schema::text(d.getName()), schema::text(d.getType()), schema::text(d.getFlags()));
      ANNALS_INVARIANT(!why, "a resource in the log is a valid one");
      break;
    }
    case which::RESOURCE_DELETED: {
      const auto why = server.resources.remove(schema::text(event.getResourceDeleted().getName()));
      ANNALS_INVARIANT(!why, "a deleted resource existed");
      break;
    }
  }
  server.version = at.version;
}

}  // namespace annals::model
