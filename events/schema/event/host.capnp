@0xb5b1f6d1a8c3e012;
# What can happen to a host and its vnodes.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct HostEvent {
  union {
    added        @0 :HostAdded;
    cameUp       @1 :HostCameUp;
    wentDown     @2 :Shared.Reason;
    removed      @3 :Shared.Named;
    vnodeCreated @4 :Shared.Named;
    vnodeChanged @5 :VnodeChanged;
    vnodeDeleted @6 :Shared.Named;
    vnodesRefused @7 :Shared.Reason;   # its MoM told more vnodes than it may have; none of it was taken, and the host stays as it was
  }
}

struct HostAdded { name @0 :Text; address @1 :Text; port @2 :UInt16; }
struct HostCameUp {
  logUuid  @0 :Data;       # of the MoM's own log; a new one declares the former runs lost
  version  @1 :Text;
  vnodes   @2 :List(ReportedVnode);
  address  @3 :Text;       # where its MoM hears other MoMs
  port     @4 :UInt16;
}
struct ReportedVnode { name @0 :Text; attributes @1 :List(Common.Attribute); }
struct VnodeChanged { vnode @0 :Text; changes @1 :List(Common.Attribute); }
