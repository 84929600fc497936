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
    fairsharePolicy  @8 :FairsharePolicy;     # how its fairshare usage is counted from here on
    fairshareSet     @9 :FairshareUsage;      # pbsfs -s: the entity has this usage from here on
    fairshareDecayed @10 :Void;               # pbsfs -d: all usage is multiplied with the decay factor
    fairshareTrimmed @11 :List(Text);         # pbsfs -e: the entities whose usage is forgotten
    startFailed      @12 :Shared.Reason;      # the server wanted it started, and no process came of it
  }
}

struct SchedulerStarted { host @0 :Text; version @1 :Text; pid @2 :UInt32; port @3 :UInt16; }
struct FairsharePolicy {
  # From sched_config: fairshare_entity, fairshare_usage_res, fairshare_decay_time, fairshare_decay_factor.
  on           @0 :Bool;            # fair_share, at any time of the day
  entity       @1 :Text;            # euser, egroup, Account_Name, queue, "egroup:euser"
  usage        @2 :Text;            # a resource or a formula of resources: "cput", "ncpus*walltime"
  decaySeconds @3 :UInt64;          # 0: it never decays by itself
  decayFactor  @4 :Float64;
}
struct FairshareUsage { entity @0 :Text; usage @1 :Float64; }
struct CycleBegan { number @0 :UInt64; viewSequence @1 :UInt64; trigger @2 :Text; policy @3 :Common.BlobRef; }
struct CycleReasons {
  # Only reasons that changed, in pieces of at most limits::cycle_reasons_bytes_max.
  texts @0 :List(Text);             # each distinct comment once, whole ("Not Running: ...")
  jobs  @1 :List(JobReason);
}
struct JobReason { job @0 :UInt64; text @1 :UInt32; }   # job = stream serial, text = index into texts
struct CycleEnded { number @0 :UInt64; considered @1 :UInt32; started @2 :UInt32; elapsedUs @3 :UInt64; }
