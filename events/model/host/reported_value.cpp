#include "events/model/host/reported_value.hpp"

#include <algorithm>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/model/host/busy.hpp"
#include "events/model/host/sockets.hpp"

namespace annals::model {

namespace ids = attributes::node;
namespace pbs_error = values::pbs_error;

namespace {

constexpr std::string_view sharings[] = {"default_shared", "default_excl", "default_exclhost",
                                         "ignore_excl", "force_excl", "force_exclhost"};

// What managers set of a vnode, but what says which vnode it is and how it is now. Nor its partition: a vnode with jobs can't change
// it (MS-78), and a MoM that comes can't be refused.
bool may_be_defined(const attributes::attribute& row) {
  return row.set_by != attributes::setter::nobody && row.id != ids::Mom && row.id != ids::Port && row.id != ids::state &&
         row.id != ids::partition && row.id != ids::in_multivnode_host;
}

struct good_attribute {
  std::string name, resource, value;
};
struct good_vnode {
  schema::ReportedVnode::Reader from;
  std::vector<good_attribute> attributes;
  bool as_it_is = true;  // not one attribute differs
  std::optional<unsigned> sockets;
};

// True: it says the sockets of the host.
bool takes_sockets(good_vnode& vnode, schema::Attribute::Reader said, bool natural) {
  const auto sockets = natural ? said_sockets(said) : std::nullopt;
  if (!sockets) return false;
  vnode.sockets = sockets;
  vnode.as_it_is = false;
  return true;
}

good_vnode checked(schema::ReportedVnode::Reader vnode, bool natural, const attributes::resource_catalogue& resources,
                   std::vector<left_out>& problems) {
  good_vnode out{vnode, {}, true, {}};
  for (auto a : vnode.getAttributes()) {
    if (takes_sockets(out, a, natural)) continue;
    const auto name = schema::text(a.getName()), resource = schema::text(a.getResource()), value = schema::text(a.getValue());
    if (says_busy(a)) {
      out.attributes.push_back({busy_report, {}, std::string(value)});
      continue;
    }
    const auto* row = attributes::find(schema::ObjectKind::NODE, name);
    const bool measured = natural && row && row->id == ids::pcpus;
    auto good = measured ? attributes::check_value(*row, resource, value, resources) : reported_value(name, resource, value, resources);
    out.as_it_is = out.as_it_is && good && *good == value && name == row->name;
    if (good) out.attributes.push_back({row->name, std::string(resource), *good});
    else problems.push_back({schema::str(vnode.getName()), std::string(name), std::string(resource), good.error()});
  }
  return out;
}

// A hook on the host has said it, and its values were checked; but no hook says at a hello in which partition its vnodes are.
good_vnode made_by_hook(schema::ReportedVnode::Reader vnode, bool natural) {
  good_vnode out{vnode, {}, true, {}};
  for (auto a : vnode.getAttributes()) {
    if (takes_sockets(out, a, natural)) continue;
    if (schema::text(a.getName()) == "partition") out.as_it_is = false;
    else out.attributes.push_back({schema::str(a.getName()), schema::str(a.getResource()), schema::str(a.getValue())});
  }
  return out;
}

void fill(schema::ReportedVnode::Builder to, const good_vnode& from) {
  to.setName(from.from.getName());
  auto list = to.initAttributes(static_cast<unsigned>(from.attributes.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setName(from.attributes[i].name);
    list[i].setResource(from.attributes[i].resource);
    list[i].setValue(from.attributes[i].value);
  }
}

}  // namespace

attributes::checked_text reported_value(std::string_view name, std::string_view resource, std::string_view value,
                                        const attributes::resource_catalogue& resources) {
  const auto* row = attributes::find(schema::ObjectKind::NODE, name);
  if (!row) return values::refuse(pbs_error::undefined_attribute, name);
  if (row->id == ids::sharing) {
    if (resource.empty() && std::ranges::find(sharings, value) != std::end(sharings)) return std::string(value);
    return values::refuse(pbs_error::bad_node_value);
  }
  if (!may_be_defined(*row)) return values::refuse(pbs_error::read_only_attribute, name);
  return attributes::check_value(*row, resource, value, resources);
}

checked_hello with_checked_values(const schema::sealed<schema::FromMom>& hello, const attributes::resource_catalogue& resources) {
  checked_hello out{hello, {}, {}};
  const auto from = hello.get().getHello();
  std::set<std::string_view> by_hooks;
  for (auto name : from.getMadeByHooks()) by_hooks.insert(schema::text(name));
  std::vector<good_vnode> vnodes;
  bool as_it_is = true;
  for (auto v : from.getVnodes()) {
    const auto name = schema::text(v.getName());
    const bool natural = name == schema::text(from.getHost());
    if (by_hooks.contains(name)) vnodes.push_back(made_by_hook(v, natural));
    else vnodes.push_back(checked(v, natural, resources, out.problems));
    as_it_is = as_it_is && vnodes.back().as_it_is;
    if (vnodes.back().sockets) out.sockets = vnodes.back().sockets;
  }
  if (as_it_is) return out;
  out.message = schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    m.setHello(from);
    auto list = m.getHello().initVnodes(static_cast<unsigned>(vnodes.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      if (vnodes[i].as_it_is) list.setWithCaveats(i, vnodes[i].from);
      else fill(list[i], vnodes[i]);
    }
  });
  return out;
}

}  // namespace annals::model
