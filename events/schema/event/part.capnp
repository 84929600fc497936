@0xb5b1f6d1a8c3e016;
# What can happen to the part of a job on one host that runs tasks of it, in that host's log
# (docs/design/0020-jobs-across-hosts.md).
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct PartEvent {
  union {
    joined       @0 :JobJoined;
    setUp        @1 :Void;
    joinRefused  @2 :Shared.RunRefused;
    taskStarting @3 :TaskStarting;
    taskStarted  @4 :TaskStarted;
    taskEnded    @5 :TaskEnded;
    leaveAsked   @6 :Shared.Reason;
    left         @7 :Void;
    hookRan      @8 :Shared.HookRan;
    updated      @9 :JobUpdated;      # the run goes on with less, on this host too
    hookUsed     @10 :Shared.HookUsed;
    resized      @11 :PartResized;    # hooks of execjob_resize have heard that the run has less on this host
  }
}

struct TaskStarting { task @0 :UInt32; argv @1 :List(Text); environment @2 :List(Text); node @3 :UInt32; }
struct TaskStarted { task @0 :UInt32; pid @1 :Int64; session @2 :Int64; }
struct TaskEnded { task @0 :UInt32; exitStatus @1 :Int32; usage @2 :Common.Usage; text @3 :Text; }   # text: why it did not start
struct JobUpdated {
  number @0 :UInt32;             # how often the run was made smaller
  order  @1 :Data;               # the ToSister message as it came (sister.capnp)
  lessHere @2 :Bool;             # it has less on this host too, and has not left it
}
struct PartResized {
  number   @0 :UInt32;           # that of the update
  accepted @1 :Bool;             # by a hook, at least: what confines the job's processes here follows
}
struct JobJoined {
  job       @0 :Text;
  run       @1 :UInt32;
  jobSerial @2 :UInt64;
  primary   @3 :Text;            # the host whose MoM may tell us what to do with this job
  order     @4 :Data;            # the ToSister message as it came (sister.capnp)
}
