@0xb5b1f6d1a8c3e010;
# What can happen to the server and to the resources it defines. Rules for growing it: docs/design/0002-event-log.md.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Shared = import "shared.capnp";

struct ServerEvent {
  union {
    started         @0 :ServerStarted;
    stopped         @1 :ServerStopped;
    changed         @2 :Shared.AttributesChanged;
    resourceCreated @3 :ResourceDefined;
    resourceChanged @4 :ResourceDefined;
    resourceDeleted @5 :Shared.Named;
  }
}

struct ServerStarted {
  version     @0 :Text;
  hostName    @1 :Text;
  serverName  @2 :Text;    # the part of job ids after the dot
  timeZone    @3 :Text;    # accounting text depends on it
  logUuid     @4 :Data;
}
struct ServerStopped { how @0 :Text; }   # "quick", "immediate", ...
struct ResourceDefined { name @0 :Text; type @1 :Text; flags @2 :Text; }
