#include "hooks-runtime/chain/payload.hpp"

#include <algorithm>

#include "events/attributes/table.hpp"
#include "events/values/exec_host.hpp"

namespace annals::hooks {

constexpr std::size_t set_by_most_hooks = 12;  // attributes that a job does not have yet

const hook_attribute* hook_object::find(std::string_view attribute, std::string_view resource) const {
  const auto at = std::find_if(attributes.begin(), attributes.end(),
                               [&](const hook_attribute& a) { return a.name == attribute && a.resource == resource; });
  return at == attributes.end() ? nullptr : &*at;
}

void hook_object::put(std::string_view attribute, std::string_view resource, std::string_view value) {
  for (auto& a : attributes)
    if (a.name == attribute && a.resource == resource) {
      a.value = value;
      return;
    }
  attributes.push_back({std::string(attribute), std::string(resource), std::string(value)});
}

void hook_object::remove(std::string_view attribute, std::string_view resource) {
  std::erase_if(attributes, [&](const hook_attribute& a) { return a.name == attribute && a.resource == resource; });
}

std::optional<std::string> with_ports(std::string_view exec_host, const std::function<std::uint16_t(const std::string&)>& port_of) {
  const auto hosts = values::parse_exec_host(exec_host);
  if (!hosts || hosts->empty()) return std::nullopt;
  std::string out;
  for (const auto& h : *hosts) {
    const auto port = port_of(h.host);
    if (port == 0) return std::nullopt;
    out.append(out.empty() ? "" : "+").append(h.host).append(":").append(std::to_string(port));
    out += values::print({h}).substr(h.host.size());
  }
  return out;
}

hook_parameter* find_parameter(hook_parameters& in, std::string_view name) {
  const auto at = std::find_if(in.begin(), in.end(), [&](const hook_parameter& p) { return p.name == name; });
  return at == in.end() ? nullptr : &*at;
}

const hook_object* object_of(const hook_parameters& in, std::string_view name) {
  for (const auto& p : in)
    if (p.name == name) return std::get_if<hook_object>(&p.value);
  return nullptr;
}

// -- into messages -------------------------------------------------------------------------------------------------------

void fill(const hook_object& from, protocol::Object::Builder to) {
  to.setKind(from.kind);
  to.setName(from.name);
  auto list = to.initAttributes(static_cast<unsigned>(from.attributes.size()));
  for (unsigned i = 0; i < from.attributes.size(); ++i) {
    list[i].setName(from.attributes[i].name);
    list[i].setResource(from.attributes[i].resource);
    list[i].setValue(from.attributes[i].value);
    list[i].setOp(from.attributes[i].op);
  }
}

namespace {

struct filler {
  protocol::Parameter::Builder to;
  void operator()(const hook_object& o) { fill(o, to.initObject()); }
  void operator()(const std::vector<hook_object>& all) {
    auto list = to.initObjects(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < all.size(); ++i) fill(all[i], list[i]);
  }
  void operator()(const std::string& text) { to.setText(text); }
  void operator()(std::int64_t number) { to.setNumber(number); }
  void operator()(const hook_texts& texts) {
    auto list = to.initTexts(static_cast<unsigned>(texts.size()));
    for (unsigned i = 0; i < texts.size(); ++i) list.set(i, texts[i]);
  }
  void operator()(const hook_pairs& pairs) {
    auto list = to.initPairs(static_cast<unsigned>(pairs.size()));
    for (unsigned i = 0; i < pairs.size(); ++i) {
      list[i].setName(pairs[i].first);
      list[i].setValue(pairs[i].second);
    }
  }
};

}  // namespace

void fill(const hook_parameters& from, protocol::Request::Builder to) {
  auto list = to.initParameters(static_cast<unsigned>(from.size()));
  for (unsigned i = 0; i < from.size(); ++i) {
    list[i].setName(from[i].name);
    std::visit(filler{list[i]}, from[i].value);
  }
}

// -- changes -------------------------------------------------------------------------------------------------------------

hook_change change_of(std::size_t run, protocol::Change::Reader from) {
  return {run, from.getParameter(), from.getObject(), from.getAttribute(), from.getResource(),
          from.getKind(), from.getHasValue(), from.getBefore(), from.getAfter(), from.getAfterTexts()};
}

namespace {

void apply_to(const hook_change& c, hook_object& o) {
  if (c.has_value) o.put(schema::text(c.attribute), schema::text(c.resource), schema::text(c.after));
  else o.remove(schema::text(c.attribute), schema::text(c.resource));
}

struct applier {
  const hook_change& c;
  bool makes_vnodes;
  bool operator()(hook_object& o) const {
    apply_to(c, o);
    return true;
  }
  bool operator()(std::vector<hook_object>& all) const {
    auto at = std::find_if(all.begin(), all.end(), [&](const hook_object& o) { return o.name == schema::text(c.object); });
    if (at == all.end()) {
      if (!makes_vnodes || c.kind != protocol::ObjectKind::VNODE || !c.has_value) return false;
      at = all.insert(all.end(), {c.kind, schema::str(c.object), {}});
    }
    apply_to(c, *at);
    return true;
  }
  bool operator()(std::string& text) const {
    text = schema::text(c.after);
    return true;
  }
  bool operator()(std::int64_t&) const { return false; }  // pid: nobody may set it
  bool operator()(hook_texts& texts) const {
    texts.clear();
    for (auto t : c.after_texts) texts.push_back(schema::str(t));
    return true;
  }
  bool operator()(hook_pairs& pairs) const {
    const auto at = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == schema::text(c.attribute); });
    if (!c.has_value) {
      if (at != pairs.end()) pairs.erase(at);
    } else if (at != pairs.end()) {
      at->second = schema::text(c.after);
    } else {
      pairs.emplace_back(schema::text(c.attribute), schema::text(c.after));
    }
    return true;
  }
};

}  // namespace

bool put_change(const hook_change& change, hook_parameters& to, bool makes_vnodes) {
  auto* p = find_parameter(to, schema::text(change.parameter));
  return p && std::visit(applier{change, makes_vnodes}, p->value);
}

// -- from rows -----------------------------------------------------------------------------------------------------------

std::vector<hook_attribute> attributes_of(schema::ObjectKind kind, std::string_view packed) {
  std::vector<hook_attribute> out;
  const auto row = attributes::attribute_set::from_packed(std::string(packed));
  if (!row) return out;
  for (const auto& e : *row)
    if (const auto* a = attributes::find(kind, e.id)) out.push_back({a->name, std::string(e.resource), std::string(e.value)});
  return out;
}

std::vector<hook_attribute> attributes_of(capnp::List<schema::Attribute>::Reader list) {
  std::vector<hook_attribute> out;
  out.reserve(list.size() + set_by_most_hooks);
  for (auto a : list)
    if (a.getOp() != schema::AttributeOp::UNSET)
      out.push_back({schema::str(a.getName()), schema::str(a.getResource()), schema::str(a.getValue())});
  return out;
}

}  // namespace annals::hooks
