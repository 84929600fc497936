// What may happen to a host and its vnodes, and what it means.
#include "events/model/host/host.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/host/busy.hpp"
#include "events/model/host/down_reasons.hpp"
#include "events/model/host/provisioning.hpp"
#include "events/model/host/vnode_limit.hpp"
#include "events/model/host/vnode_names.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::model {

namespace ids = attributes::node;
namespace pbs_error = values::pbs_error;
using which = schema::HostEvent::Which;

constexpr std::string_view default_sharing = "default_shared";
// What a vnode's comment begins with while its host is down, or tells more vnodes than it may have.
constexpr std::string_view down_comment = "node down: ", refused_comment = "vnodes refused: ";

std::string base_state(const host_state& host, const vnode_state& vnode) {
  std::string text;
  auto add = [&](std::string_view word) {
    if (!text.empty()) text += ',';
    text += word;
  };
  if (!host.heard_of) add("state-unknown");
  if (!host.up) add("down");
  if (vnode.stale) add("Stale");
  if (vnode.offline) add("offline");
  if (vnode.provision.step == provision_step::waits) add("wait-provisioning");
  else if (vnode.provision.step != provision_step::none) add("provisioning");
  return text;
}

namespace {

// The words that no job causes.
std::string own_state(const host_state& host, const vnode_state& vnode) {
  auto text = base_state(host, vnode);
  if (vnode.busy && !vnode.stale) text += ",busy";
  return text;
}

}  // namespace

// -- decide --------------------------------------------------------------------------------------------------------------

namespace {

event vnode_created(const std::string& name) {
  return make_event([&](auto e) { e.initHost().initVnodeCreated().setName(name); });
}

// A host is who its certificate says. An address could only say who calls from there, which another host may do as well.
std::optional<rejection> address_refusal(const host_state& host, schema::Manage::Reader m) {
  const auto unknown = [](std::string_view name, std::string_view why) {
    return refuse(pbs_error::unknown_node, "Unknown node " + std::string(name) + ": " + std::string(why));
  };
  constexpr std::string_view by_name =
      "an address is no host's name here: create the node by the name in its host's certificate (pbs_enroll)";
  if (has_colon(schema::text(m.getName()))) return unknown(schema::text(m.getName()), "no node's name has a colon, as IPv6 addresses have");
  if (host.exists) return std::nullopt;  // one more vnode of it
  if (is_address(schema::text(m.getName()))) return unknown(schema::text(m.getName()), by_name);
  for (auto c : m.getChanges())
    if (const auto mom = schema::text(c.getValue()); c.getName() == "Mom" && (is_address(mom) || has_colon(mom)))
      return unknown(mom, by_name);
  return std::nullopt;
}

outcome decide_create(const host_state& host, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  const auto name = schema::str(m.getName());
  if (host.exists && (name == host.name || host.vnode(name))) return refuse(pbs_error::node_exists);
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  if (auto why = address_refusal(host, m)) return *why;
  if (const auto most = vnodes_of_host_max(settings); std::ssize(host.vnodes) >= most)
    return refuse(pbs_error::bad_node_value, "host " + host.name + " has " + std::to_string(host.vnodes.size()) +
                                                 " vnodes: max_vnodes_per_host allows " + std::to_string(most));
  std::vector<event> out;
  if (!host.exists)
    out.push_back(make_event([&](auto e) {
      auto h = e.initHost().initAdded();
      h.setName(name);
      h.setAddress(name);
      h.setPort(15002);
    }));
  out.push_back(vnode_created(name));
  return out;
}

// "free" clears offline; "offline" sets it; down is a request that ends with the next contact (pbs guide: node states).
struct state_change {
  bool offline;
  bool ok;
};
state_change new_offline(const vnode_state& vnode, schema::Attribute::Reader change) {
  bool offline = change.getOp() == schema::AttributeOp::SET ? false : vnode.offline;
  std::string_view rest = schema::text(change.getValue());
  while (!rest.empty()) {
    const auto word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "offline") offline = change.getOp() != schema::AttributeOp::DECREMENT;
    else if (word != "free" && word != "down") return {false, false};
  }
  return {offline, true};
}

// A vnode serves jobs, which a routing queue never runs.
bool serves_a_routing_queue(const std::vector<event>& events, const settings& settings) {
  for (const auto& e : events)
    for (const auto c : e.get().getHost().getVnodeChanged().getChanges()) {
      const auto* queue = c.getName() == "queue" ? settings.queue(schema::text(c.getValue())) : nullptr;
      if (queue && is_routing(queue->attributes)) return true;
    }
  return false;
}

// What a vnode has from its creation or its MoM (pbs guide: vnode attributes).
bool is_what_it_is(std::string_view name, std::string_view resource) {
  return name == "Mom" || name == "Port" || (name == "resources_available" && (resource == "host" || resource == "vnode"));
}

std::optional<rejection> changes_what_it_is(const vnode_state& vnode, schema::Manage::Reader m) {
  for (const auto change : m.getChanges()) {
    const auto name = schema::text(change.getName()), resource = schema::text(change.getResource());
    const auto* row = attributes::find(schema::ObjectKind::NODE, name);
    if (row && row->id == ids::license) {  // it is only shown: PBS does not know it here
      const auto why = values::refuse(pbs_error::undefined_attribute, name);
      return rejection{why.code, why.text};
    }
    if (m.getVerb() == schema::ManageVerb::SET && is_what_it_is(name, resource) &&
        vnode.attributes.get(row->id, resource) != schema::text(change.getValue())) {
      const auto why = values::refuse(pbs_error::read_only_attribute, name);
      return rejection{why.code, why.text};
    }
    const bool has_its_host = name == "resources_available" && (resource.empty() || resource == "host");
    if (m.getVerb() == schema::ManageVerb::UNSET && (name == "state" || name == "ntype" || has_its_host))
      return refuse(pbs_error::bad_node_value,
                    "Illegal value for node " + std::string(name) + (resource.empty() ? "" : "." + std::string(resource)));
  }
  return std::nullopt;
}

// Unsetting what it is changes nothing, as in PBS, nor does setting it to what it is, as `print` says it.
schema::sealed<schema::Manage> without_what_it_is(schema::Manage::Reader m) {
  const bool creating = m.getVerb() == schema::ManageVerb::CREATE;
  return only_changes(m, [&](schema::Attribute::Reader c) {
    return creating || !is_what_it_is(schema::text(c.getName()), schema::text(c.getResource()));
  });
}

outcome decide_set(const host_state& host, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  const auto* vnode = host.vnode(schema::text(m.getName()));
  if (!vnode) return refuse(pbs_error::unknown_node);
  if (auto why = provisioning_refusal(host, *vnode, m, settings)) return *why;
  std::vector<event> out;
  for (auto change : m.getChanges()) {
    if (schema::text(change.getName()) != "state" || m.getVerb() == schema::ManageVerb::UNSET) continue;
    if (!now.by.is_operator()) return refuse(pbs_error::unauthorized);
    if (vnode->stale) return refuse(pbs_error::node_stale);
    const auto request = new_offline(*vnode, change);
    if (!request.ok) return refuse(pbs_error::bad_node_value, "Illegal value for node state");
    if (request.offline == vnode->offline) continue;
    out.push_back(make_event([&](auto e) {
      auto c = e.initHost().initVnodeChanged();
      c.setVnode(m.getName());
      auto a = c.initChanges(1)[0];
      a.setName("state");
      a.setValue(request.offline ? "offline" : "free");
    }));
  }
  if (now.by.is_operator())  // who is none is refused as for any attribute
    if (auto why = changes_what_it_is(*vnode, m)) return *why;
  const auto kept = without_what_it_is(m);
  auto changed = changed_or_refused(schema::ObjectKind::NODE, vnode->attributes, now.by.is_operator() ? *kept : m, now.by,
                                    settings.resources, vnode->name);
  if (!changed.accepted()) return changed;
  if (!has_its_aoe(*vnode, changed.events())) return refuse(pbs_error::bad_current_aoe);
  if (serves_a_routing_queue(changed.events(), settings)) return refuse(pbs_error::incompatible_type);
  for (auto& e : changed.events()) out.push_back(std::move(e));
  return out;
}

outcome decide_delete(const host_state& host, schema::Manage::Reader m, const stamp& now) {
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  const auto name = schema::str(m.getName());
  const auto* vnode = host.vnode(name);
  if (!vnode) return refuse(pbs_error::unknown_node);
  if (vnode->provision.step != provision_step::none) return refuse(pbs_error::vnode_delete_provisioning);
  std::vector<event> out;
  auto gone = [&](const std::string& vnode) {
    out.push_back(make_event([&](auto e) { e.initHost().initVnodeDeleted().setName(vnode); }));
  };
  if (name == host.name) {
    if (host.vnodes.size() > 1) return refuse(pbs_error::object_busy);
    gone(name);
    out.push_back(make_event([&](auto e) { e.initHost().initRemoved().setName(host.name); }));
  } else {
    gone(name);
  }
  return out;
}

// The host itself, for what concerns a vnode that it does not have yet: it may have thousands of others.
host_state without_vnodes(const host_state& host) {
  host_state h;
  h.serial = host.serial;
  h.version = host.version;
  h.name = host.name;
  h.exists = host.exists;
  h.up = host.up;
  h.heard_of = host.heard_of;
  return h;
}

outcome decide_manage(const host_state& host, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  switch (m.getVerb()) {
    case schema::ManageVerb::CREATE: {
      auto made = decide_create(host, m, now, settings);
      if (!made.accepted() || m.getChanges().size() == 0) return made;
      host_state then = without_vnodes(host);
      event_place at{.sequence = 0, .stream = 0, .version = 0, .wall_ns = now.wall_ns, .by = now.by};
      for (auto& e : made.events()) apply(then, at, e.get());
      auto set = decide_set(then, m, now, settings);
      if (!set.accepted()) return set;
      for (auto& e : set.events()) made.events().push_back(std::move(e));
      return made;
    }
    case schema::ManageVerb::DELETE: return decide_delete(host, m, now);
    case schema::ManageVerb::SET:
    case schema::ManageVerb::UNSET: return decide_set(host, m, now, settings);
    case schema::ManageVerb::IMPORT: break;
  }
  return refuse(pbs_error::invalid_request);
}

// A definition that says nothing of it any more means the default.
std::string_view reported_sharing(schema::ReportedVnode::Reader reported) {
  for (auto a : reported.getAttributes())
    if (schema::text(a.getName()) == "sharing") return schema::text(a.getValue());
  return default_sharing;
}

bool reported_busy(schema::ReportedVnode::Reader reported) {
  for (auto a : reported.getAttributes())
    if (says_busy(a)) return true;
  return false;
}

bool reported_suspend(schema::ReportedVnode::Reader reported) {
  for (auto a : reported.getAttributes())
    if (says_suspend(a)) return true;
  return false;
}

bool reported_as_known(const host_state& host, schema::MomHello::Reader hello) {
  std::set<std::string_view> reported;
  for (auto v : hello.getVnodes()) reported.insert(schema::text(v.getName()));
  if (std::ranges::any_of(host.vnodes, [&](const auto& v) { return !v.stale && !reported.contains(v.name); })) return false;
  for (auto v : hello.getVnodes()) {
    const auto* known = host.vnode(schema::text(v.getName()));
    if (!known || known->stale || known->busy != reported_busy(v) || known->suspends != reported_suspend(v)) return false;
    if (known->attributes.get(ids::sharing) != reported_sharing(v) && !known->set_by_admin.has(ids::sharing)) return false;
    for (auto a : v.getAttributes()) {
      const auto* row = attributes::find(schema::ObjectKind::NODE, schema::text(a.getName()));
      if (row && known->attributes.get(row->id, schema::text(a.getResource())) != schema::text(a.getValue()) &&
          !known->set_by_admin.get(row->id, schema::text(a.getResource())))
        return false;
    }
  }
  return true;
}

outcome decide_hello(const host_state& host, const mom_hello& said, const settings& settings) {
  if (!host.exists) return refuse(pbs_error::unknown_node);
  const auto hello = said.message.get().getHello();
  const auto refused = said.refused.empty() ? vnodes_refusal(host, hello, settings) : std::optional(said.refused);
  if (refused) return std::vector<event>{make_event([&](auto e) { e.initHost().initVnodesRefused().setText(*refused); })};
  const auto uuid = hello.getLogUuid();
  const std::string_view log(reinterpret_cast<const char*>(uuid.begin()), uuid.size());
  const std::string address = hello.getAddress().size() > 0 ? schema::str(hello.getAddress()) : said.seen_at;
  const bool same_place = address == host.address && hello.getPort() == host.port;
  if (host.up && host.vnodes_refused.empty() && log == host.log_uuid && same_place && reported_as_known(host, hello)) return no_change;
  std::vector<event> out;
  std::unordered_set<std::string_view> fresh;
  for (auto v : hello.getVnodes())
    if (const auto name = schema::text(v.getName()); !host.vnode(name) && fresh.insert(name).second)
      out.push_back(vnode_created(std::string(name)));
  out.push_back(make_event([&](auto e) {
    auto up = e.initHost().initCameUp();
    up.setLogUuid(uuid);
    up.setVersion(hello.getVersion());
    up.setVnodes(hello.getVnodes());
    up.setAddress(address);
    up.setPort(hello.getPort());
  }));
  return out;
}

// A host that is down is told to be so for another reason when the one before has passed, or when its MoM is there after all. A run
// that nobody wants keeps a host down and takes none down.
bool is_news_of_down(const host_state& host, std::string_view why) {
  if (host.up) return why != down_reasons::has_unwanted_runs;
  const bool is_there = why == down_reasons::has_unknown_runs || why == down_reasons::has_unwanted_runs;
  return why != host.down_reason && (is_there || down_reasons::passes(host.down_reason));
}

}  // namespace

outcome decide(const host_state& host, const host_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const host_state& host;
    const stamp& now;
    const model::settings& settings;
    outcome operator()(const schema::sealed<schema::Request>& c) const { return decide_manage(host, c.get().getManage(), now, settings); }
    outcome operator()(const mom_hello& c) const { return decide_hello(host, c, settings); }
    outcome operator()(const provision_vnode& c) const { return decide_provision(host, c); }
    outcome operator()(const host_silent& c) const {
      if (!host.exists || !is_news_of_down(host, c.why)) return no_change;
      return std::vector<event>{make_event([&](auto e) { e.initHost().initWentDown().setText(c.why); })};
    }
  };
  return std::visit(visitor{host, now, settings}, command);
}

// -- apply ---------------------------------------------------------------------------------------------------------------

namespace {

vnode_state* find_vnode(host_state& host, std::string_view name) {
  return const_cast<vnode_state*>(std::as_const(host).vnode(name));
}

// A MoM names its vnodes mostly in the order in which they were created: the one behind `before` is looked at first.
vnode_state* next_vnode(host_state& host, const vnode_state* before, std::string_view name) {
  const std::size_t next = before ? static_cast<std::size_t>(before - host.vnodes.data()) + 1 : 0;
  return next < host.vnodes.size() && host.vnodes[next].name == name ? &host.vnodes[next] : find_vnode(host, name);
}

void on_created(host_state& host, const event_place& at, const std::string& name) {
  const bool is_new = host.place_of.emplace(name, static_cast<std::uint32_t>(host.vnodes.size())).second;
  ANNALS_INVARIANT(is_new, "a vnode is created once");
  vnode_state& v = host.vnodes.emplace_back();
  v.name = name;
  v.order = at.sequence;
  v.state_changed_s = at.seconds();
  v.stale = host.heard_of;  // until its MoM speaks of it, which it does at once of those that it named
  auto& a = v.attributes;
  a.set(ids::Mom, host.name);
  a.set(ids::ntype, "PBS");
  a.set(ids::resources_available, "host", host.name.substr(0, host.name.find('.')));
  a.set(ids::resources_available, "vnode", name);
  a.set(ids::resv_enable, "True");
  a.set(ids::sharing, default_sharing);
}

void on_up(host_state& host, const event_place& at, schema::HostCameUp::Reader e) {
  const auto uuid = e.getLogUuid();
  const std::string_view log(reinterpret_cast<const char*>(uuid.begin()), uuid.size());
  if (log != host.log_uuid) host.log_since = at.sequence;
  host.log_uuid = log;
  host.address = schema::str(e.getAddress());
  host.port = e.getPort();
  std::vector<std::string> before;
  before.reserve(host.vnodes.size());
  for (const auto& v : host.vnodes) before.push_back(own_state(host, v));
  host.up = host.heard_of = true;
  host.down_reason.clear();
  host.vnodes_refused.clear();
  for (auto& v : host.vnodes) {
    v.stale = true;
    if (const auto comment = v.attributes.get(ids::comment).value_or("");
        (comment.starts_with(down_comment) || comment.starts_with(refused_comment)) && !v.set_by_admin.has(ids::comment))
      v.attributes.erase(ids::comment);
  }
  vnode_state* v = nullptr;
  const auto version = schema::text(e.getVersion());
  for (auto reported : e.getVnodes()) {
    v = next_vnode(host, v, schema::text(reported.getName()));
    ANNALS_INVARIANT(v, "a reported vnode was created before");
    v->stale = false;
    v->attributes.set(ids::license, "l");
    v->attributes.set(ids::pbs_version, version);
    if (!v->set_by_admin.has(ids::sharing)) v->attributes.set(ids::sharing, reported_sharing(reported));
    for (auto a : reported.getAttributes()) {
      const auto* row = attributes::find(schema::ObjectKind::NODE, schema::text(a.getName()));
      if (row && !v->set_by_admin.get(row->id, schema::text(a.getResource())))
        v->attributes.set(row->id, schema::text(a.getResource()), schema::text(a.getValue()));
    }
    if (v->provision.step == provision_step::booting) v->provision = {};
    v->busy = reported_busy(reported);
    v->suspends = reported_suspend(reported);
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    if (own_state(host, host.vnodes[i]) != before[i]) host.vnodes[i].state_changed_s = at.seconds();
}

void on_down(host_state& host, const event_place& at, const std::string& why) {
  const bool was_up = std::exchange(host.up, false);
  host.down_reason = why;
  for (auto& v : host.vnodes) {
    v.busy = v.suspends = false;  // nobody knows
    if (was_up) v.state_changed_s = at.seconds();
    if (!v.set_by_admin.has(ids::comment)) v.attributes.set(ids::comment, std::string(down_comment) + why);
  }
}

// Said of the natural vnode alone: the others are what they were.
void on_refused(host_state& host, const std::string& why) {
  host.vnodes_refused = why;
  ANNALS_INVARIANT(!host.vnodes.empty(), "a host has its natural vnode");
  auto& natural = host.vnodes.front();
  if (!natural.set_by_admin.has(ids::comment)) natural.attributes.set(ids::comment, std::string(refused_comment) + why);
}

void on_changed(host_state& host, const event_place& at, schema::VnodeChanged::Reader e) {
  auto* v = find_vnode(host, schema::text(e.getVnode()));
  ANNALS_INVARIANT(v, "a changed vnode exists");
  const auto before = own_state(host, *v);
  for (auto change : e.getChanges()) {
    if (schema::text(change.getName()) == "state") {
      v->offline = schema::text(change.getValue()) == "offline";
      continue;
    }
    if (auto provision = provisioning_told(change)) {
      v->provision = std::move(*provision);
      continue;
    }
    const auto* row = attributes::find(schema::ObjectKind::NODE, schema::text(change.getName()));
    if (!row) continue;
    const auto resource = schema::text(change.getResource());
    if (change.getOp() == schema::AttributeOp::UNSET) {
      v->set_by_admin.erase(row->id, resource);
      v->attributes.erase(row->id, resource);
    } else {
      v->set_by_admin.set(row->id, resource, schema::text(change.getValue()));
      v->attributes.set(row->id, resource, schema::text(change.getValue()));
    }
  }
  if (own_state(host, *v) != before) v->state_changed_s = at.seconds();
}

}  // namespace

void apply(host_state& host, const event_place& at, schema::HostEvent::Reader event) {
  switch (event.which()) {
    case which::ADDED:
      ANNALS_INVARIANT(!host.exists, "a host is added once");
      host = host_state{};
      host.serial = at.stream;
      host.exists = true;
      host.name = schema::str(event.getAdded().getName());
      break;
    case which::VNODE_CREATED: on_created(host, at, schema::str(event.getVnodeCreated().getName())); break;
    case which::CAME_UP: on_up(host, at, event.getCameUp()); break;
    case which::WENT_DOWN: on_down(host, at, schema::str(event.getWentDown().getText())); break;
    case which::VNODE_CHANGED: on_changed(host, at, event.getVnodeChanged()); break;
    case which::VNODE_DELETED: {
      const auto name = schema::text(event.getVnodeDeleted().getName());
      const auto gone = host.place_of.find(name);
      if (gone == host.place_of.end()) break;
      const auto place = gone->second;
      host.place_of.erase(gone);
      if (place + 1 < host.vnodes.size()) {  // the last one takes its place: there may be thousands behind it
        host.vnodes[place] = std::move(host.vnodes.back());
        host.place_of.find(host.vnodes[place].name)->second = place;
      }
      host.vnodes.pop_back();
      break;
    }
    case which::VNODES_REFUSED: on_refused(host, schema::str(event.getVnodesRefused().getText())); break;
    case which::REMOVED: host.exists = host.up = false; break;
  }
  host.version = at.version;
}

}  // namespace annals::model
