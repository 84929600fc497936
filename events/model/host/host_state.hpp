// The state of a host (one MoM) and its vnodes. host.hpp has the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/attributes/attribute_set.hpp"

namespace annals::model {

// Looks names up without making strings of them.
struct name_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using name_index = std::unordered_map<std::string, std::uint32_t, name_hash, std::equal_to<>>;

// How far a vnode is on the way to another environment (docs/design/0052-provisioning.md).
enum class provision_step : std::uint8_t { none,
                                           waits,    // as many as may be are provisioned already
                                           hook,     // the site's hook is at it
                                           booting,  // the hook has done it, and its MoM is not back yet
};
struct provisioning {
  provision_step step = provision_step::none;
  std::string aoe;  // that it is to have
  bool operator==(const provisioning&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.step, self.aoe);
  }
};

// A vnode goes a step on the way to another environment, or leaves it.
struct provision_vnode {
  enum class what : std::uint8_t { wait,
                                   begin,
                                   done,
                                   fail };
  std::string vnode;
  what to = what::begin;
  std::string aoe;
  std::string why = {};  // it failed
};
struct vnode_state {
  std::string name;
  std::uint64_t order = 0;                 // sequence of its creation: the order of listings and of placement
  bool stale = false;                      // the MoM no longer reports it
  bool offline = false;                    // set by an administrator
  bool busy = false;                       // the load of its host is too high, as the MoM says
  bool suspends = false;                   // and suspends the jobs there
  provisioning provision;                  // what becomes of it just now
  attributes::attribute_set attributes;    // as pbsnodes shows them, without state, jobs and resources_assigned
  attributes::attribute_set set_by_admin;  // those an administrator set: they win over what the MoM reports
  std::int64_t state_changed_s = 0;
  bool operator==(const vnode_state&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.name, self.order, self.stale, self.offline, self.busy, self.suspends, self.provision, self.attributes, self.set_by_admin,
       self.state_changed_s);
  }
};

struct host_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  std::string name;
  std::string log_uuid;         // of the MoM's log, 16 bytes; empty before the first contact
  std::uint64_t log_since = 0;  // position of our log at which the MoM's was first heard of: it knows no run from before
  std::string address;          // where other MoMs reach it
  std::uint16_t port = 0;
  bool exists = false;
  bool up = false;
  bool heard_of = false;  // since it was added
  std::string down_reason;
  std::string vnodes_refused;       // why nothing of its last report was taken; empty: it was
  std::vector<vnode_state> vnodes;  // natural vnode first, the others in no order
  name_index place_of;              // of a vnode in `vnodes`, by name: hosts may have thousands

  bool operator==(const host_state&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: place_of, because it follows from vnodes
    io(self.serial, self.version, self.name, self.log_uuid, self.log_since, self.address, self.port, self.exists, self.up, self.heard_of,
       self.down_reason, self.vnodes_refused, self.vnodes);
  }
  void restored() {
    place_of.clear();
    for (std::uint32_t i = 0; i < vnodes.size(); ++i) place_of.emplace(vnodes[i].name, i);
  }
  const vnode_state* vnode(std::string_view name) const;
};

}  // namespace annals::model
