@0xb5b1f6d1a8c3e013;
# What can happen to a scheduler object, and what its cycles found.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct SchedulerEvent {
  union {
    created      @0 :Shared.Named;
    changed      @1 :Shared.AttributesChanged;
    deleted      @2 :Shared.Named;
    started      @3 :SchedulerStarted;
    stopped      @4 :Shared.Reason;
    cycleBegan   @5 :CycleBegan;
    cycleReasons @6 :CycleReasons;
    cycleEnded   @7 :CycleEnded;
  }
}

struct SchedulerStarted { host @0 :Text; version @1 :Text; }
struct CycleBegan { number @0 :UInt64; viewSequence @1 :UInt64; trigger @2 :Text; policy @3 :Common.BlobRef; }
struct CycleReasons {
  # Only reasons that changed, in pieces of at most limits::cycle_reasons_bytes_max.
  texts @0 :List(Text);             # each distinct comment once, whole ("Not Running: ...")
  jobs  @1 :List(JobReason);
}
struct JobReason { job @0 :UInt64; text @1 :UInt32; }   # job = stream serial, text = index into texts
struct CycleEnded { number @0 :UInt64; considered @1 :UInt32; started @2 :UInt32; elapsedUs @3 :UInt64; }
