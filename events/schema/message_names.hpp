// Messages by name, for headers that hold them sealed or hand them on. Who reads one includes the header that declares it.
#pragma once

namespace annals::schema {

struct FromMom;        // events/schema/daemon/from_mom.capnp
struct FromScheduler;  // events/schema/daemon/from_scheduler.capnp
struct Request;        // events/schema/client.capnp
struct ToMom;          // events/schema/daemon/to_mom.capnp

}  // namespace annals::schema
