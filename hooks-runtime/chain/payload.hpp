// What hooks see and change, as values: the parameters of an event. The daemons fill them, a chain of hooks changes them one
// hook after another, and what is left at the end is what the daemon goes on with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/schema/common.capnp.h"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::hooks {

struct hook_attribute {
  std::string name, resource, value;
  schema::AttributeOp op = schema::AttributeOp::SET;  // of qmgr's requests (management)
  bool operator==(const hook_attribute&) const = default;
};
struct hook_object {
  protocol::ObjectKind kind = protocol::ObjectKind::JOB;
  std::string name;  // job id, vnode name
  std::vector<hook_attribute> attributes;

  const hook_attribute* find(std::string_view attribute, std::string_view resource = {}) const;
  void put(std::string_view attribute, std::string_view resource, std::string_view value);
  void remove(std::string_view attribute, std::string_view resource);
};
using hook_texts = std::vector<std::string>;
using hook_pairs = std::vector<std::pair<std::string, std::string>>;

struct hook_parameter {
  std::string name;  // "job", "vnode_list", "argv": hooks-runtime/catalog
  std::variant<hook_object, std::vector<hook_object>, std::string, std::int64_t, hook_texts, hook_pairs> value;
};
using hook_parameters = std::vector<hook_parameter>;
hook_parameter* find_parameter(hook_parameters& in, std::string_view name);
// An exec_host with the ports of its MoMs, as PBS's exec_host2: "n1:15002/0+n2:15002/0*2". port_of: 0 is unknown. Nothing: some port is.
std::optional<std::string> with_ports(std::string_view exec_host, const std::function<std::uint16_t(const std::string&)>& port_of);
// The object of a parameter that is one; nullptr: there is none.
const hook_object* object_of(const hook_parameters& in, std::string_view name);

// One change a hook made, with what was there before. The texts stand in the run's reply and last as long as that.
struct hook_change {
  std::size_t run = 0;  // of the chain, from 0
  capnp::Text::Reader parameter, object, attribute, resource;
  protocol::ObjectKind kind = protocol::ObjectKind::JOB;
  bool has_value = false;
  capnp::Text::Reader before, after;
  capnp::List<capnp::Text>::Reader after_texts;  // argv
};

void fill(const hook_parameters& from, protocol::Request::Builder to);
void fill(const hook_object& from, protocol::Object::Builder to);
hook_change change_of(std::size_t run, protocol::Change::Reader from);
// What the parameters are after the change. False, and nothing is changed: it is of what is not there.
// makes_vnodes: a vnode that is not there is made (exechost_startup).
bool put_change(const hook_change& change, hook_parameters& to, bool makes_vnodes = false);

// The attributes of a packed row (events/attributes/attribute_set.hpp) of this kind of object, by their names.
std::vector<hook_attribute> attributes_of(schema::ObjectKind kind, std::string_view packed);
std::vector<hook_attribute> attributes_of(capnp::List<schema::Attribute>::Reader list);

}  // namespace annals::hooks
