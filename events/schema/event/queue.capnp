@0xb5b1f6d1a8c3e011;
# What can happen to a queue.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Shared = import "shared.capnp";

struct QueueEvent {
  union {
    created @0 :QueueCreated;
    changed @1 :Shared.AttributesChanged;
    deleted @2 :Shared.Named;
  }
}

struct QueueCreated {
  name        @0 :Text;
  reservation @1 :UInt64;   # serial of the reservation whose jobs it is for; 0: an ordinary queue
}
