// What a MoM tells the server of its vnodes: what it measures of its host, and what its vnode definition files say. Pure.
#pragma once

#include <functional>

#include "actors/mom/host/vnode_definitions.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::actors {

// measure fills in the natural vnode, with what the host has. A definition wins over it, but for the numbers of its processors and sockets;
// the other vnodes have the architecture of their host unless they say another.
void report_vnodes(const std::function<void(schema::MomHello::Builder)>& measure, const annals::mom::defined_vnodes& defined,
                   schema::MomHello::Builder to);

// Every vnode of the host has too much to do for more jobs. suspends: and for those that it has.
void report_busy(schema::MomHello::Builder hello, bool suspends);

}  // namespace annals::actors
