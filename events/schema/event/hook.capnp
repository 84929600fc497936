@0xb5b1f6d1a8c3e017;
# What can happen to a hook.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct HookEvent {
  union {
    created  @0 :Shared.Named;
    changed  @1 :Shared.AttributesChanged;
    imported @2 :HookImported;
    deleted  @3 :Shared.Named;
    ran      @4 :Shared.HookRan;
  }
}

struct HookImported { contentType @0 :Text; content @1 :Common.BlobRef; }   # "application/x-python", "application/x-config"
