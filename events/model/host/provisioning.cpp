#include "events/model/host/provisioning.hpp"

#include <algorithm>
#include <array>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/refuse.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::node;
namespace pbs_error = values::pbs_error;

namespace {

constexpr std::array<std::string_view, 4> step_words = {"", "waits", "hook", "booting"};
constexpr const char* step_name = "provisioning";

void put_step(schema::Attribute::Builder to, provision_step step, const std::string& aoe) {
  to.setName(step_name);
  to.setResource(aoe);
  to.setValue(std::string(step_words[static_cast<std::size_t>(step)]));
}

event step_event(const provision_vnode& command, provision_step step) {
  return make_event([&](auto e) {
    auto c = e.initHost().initVnodeChanged();
    c.setVnode(command.vnode);
    put_step(c.initChanges(1)[0], step, command.aoe);
  });
}

// It has the environment now. A host that is up already need not be waited for.
event done_event(const provision_vnode& command, bool up) {
  return make_event([&](auto e) {
    auto c = e.initHost().initVnodeChanged();
    c.setVnode(command.vnode);
    auto changes = c.initChanges(2);
    changes[0].setName("current_aoe");
    changes[0].setValue(command.aoe);
    put_step(changes[1], up ? provision_step::none : provision_step::booting, command.aoe);
  });
}

// Nobody knows what is on it: it is out of service, and has no environment, until somebody has looked at it.
event failed_event(const provision_vnode& command) {
  return make_event([&](auto e) {
    auto c = e.initHost().initVnodeChanged();
    c.setVnode(command.vnode);
    auto changes = c.initChanges(4);
    changes[0].setName("state");
    changes[0].setValue("offline");
    changes[1].setName("comment");
    changes[1].setValue("Vnode offlined since it failed provisioning: " + command.why);
    changes[2].setName("current_aoe");
    changes[2].setOp(schema::AttributeOp::UNSET);
    put_step(changes[3], provision_step::none, command.aoe);
  });
}

}  // namespace

outcome decide_provision(const host_state& host, const provision_vnode& command) {
  using what = provision_vnode::what;
  const auto* vnode = host.vnode(command.vnode);
  if (!host.exists || !vnode) return no_change;
  const auto step = vnode->provision.step;
  const bool of_this = vnode->provision.aoe == command.aoe;
  const bool at_it = of_this && (step == provision_step::hook || step == provision_step::booting);
  switch (command.to) {
    case what::wait:
      if (step != provision_step::none) return no_change;
      return std::vector<event>{step_event(command, provision_step::waits)};
    case what::begin:
      if (step != provision_step::none && !(of_this && step == provision_step::waits)) return no_change;
      return std::vector<event>{step_event(command, provision_step::hook)};
    case what::done:
      if (!of_this || step != provision_step::hook) return no_change;
      return std::vector<event>{done_event(command, host.up)};
    case what::fail:
      if (!at_it) return no_change;
      return std::vector<event>{failed_event(command)};
  }
  return no_change;
}

std::optional<rejection> provisioning_refusal(const host_state& host, const vnode_state& vnode, schema::Manage::Reader m,
                                              const settings& settings) {
  for (auto change : m.getChanges()) {
    const auto name = schema::text(change.getName());
    if (vnode.provision.step != provision_step::none)
      return refuse(name == "state" ? pbs_error::vnode_state_provisioning : pbs_error::vnode_provisioning);
    const bool sets = m.getVerb() != schema::ManageVerb::UNSET && change.getOp() != schema::AttributeOp::UNSET;
    if (sets && (name == "provision_enable" || name == "current_aoe") && host.name == settings.host_name)
      return refuse(pbs_error::provision_server_host);
  }
  return std::nullopt;
}

bool has_its_aoe(const vnode_state& vnode, const std::vector<event>& changes) {
  auto then = vnode.attributes;
  bool concerned = false;
  for (const auto& e : changes) {
    const auto list = e.get().getHost().getVnodeChanged().getChanges();
    apply_changes(schema::ObjectKind::NODE, then, list);
    for (auto c : list) concerned |= schema::text(c.getName()) == "current_aoe" || schema::text(c.getResource()) == "aoe";
  }
  const auto current = then.get(ids::current_aoe);
  if (!concerned || !current) return true;
  const auto offered = values::split_list(then.get(ids::resources_available, "aoe").value_or(""));
  return std::find(offered.begin(), offered.end(), *current) != offered.end();
}

std::optional<provisioning> provisioning_told(schema::Attribute::Reader change) {
  if (schema::text(change.getName()) != step_name) return std::nullopt;
  const auto word = std::find(step_words.begin(), step_words.end(), schema::text(change.getValue()));
  if (word == step_words.end() || word == step_words.begin()) return provisioning{};
  return provisioning{static_cast<provision_step>(word - step_words.begin()), schema::str(change.getResource())};
}

}  // namespace annals::model
