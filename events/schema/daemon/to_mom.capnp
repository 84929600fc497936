@0xb5b1f6d1a8c3e01b;
# The server speaks to a MoM. Each change is an idempotent command, resent until it is acknowledged; the server itself acknowledges
# with `ack`, which names the fact it has.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using RunEvents = import "../event/run.capnp";
using ServerEvents = import "../event/server.capnp";
using RunRef = import "shared.capnp".RunRef;
using StartRun = import "shared.capnp".StartRun;
using LogMark = import "shared.capnp".LogMark;
using UsageNow = import "shared.capnp".UsageNow;

struct ToMom {
  union {
    welcome     @0 :Welcome;
    startRun    @1 :StartRun;
    signalRun   @2 :SignalRun;
    discardRun  @3 :RunRef;      # the server no longer knows this run: kill it and forget it
    ack         @4 :Ack;
    blob        @5 :Blob;        # a script the MoM asked for
    tellRun     @6 :TellRun;
    hooks       @7 :MomHooks;    # all hooks of MoMs as they are now; owed until hooksInstalled has its sequence
    hookAck     @8 :HookAck;
    logMark     @9 :LogMark;     # kept by the MoM and told again with its hello; only the newest counts
    startScheduler @10 :StartScheduler;   # owed until the scheduler has said hello to the server, or schedulerFailed
    stopScheduler  @11 :Text;    # its name
    hookAnswer @12 :HookAnswer;
    shutDown   @13 :Void;        # qterm -m: the MoM ends, its runs go on; not kept for one that is away
    usageNow   @14 :UsageNow;    # answered by runUsage; owed until the server waits no longer
  }
}

struct Welcome {
  serverName           @0 :Text;
  usageIntervalSeconds @1 :UInt32;
  vnodesRefused        @2 :Text;   # why nothing of what the hello says of vnodes was taken; empty: it was
}
struct SignalRun { ref @0 :RunRef; id @1 :UInt64; signal @2 :Text; killDelaySeconds @3 :UInt32; exitStatus @4 :Int32; overridesExit @5 :Bool;
                   resendTermSeconds @6 :UInt32; }    # resend_term_delay: SIGTERM once more after this; 0: not again
struct TellRun { ref @0 :RunRef; request @1 :RunEvents.RunRequest; }     # owed until requestDone
struct Ack {
  # The server has the fact durably; the MoM need not send it again.
  ref  @0 :RunRef;
  what @1 :What;
  enum What { runStarted @0; runRefused @1; runExited @2; runLeft @3; runSteps @4; }
  steps @2 :UInt32;                 # of runSteps: how many the server has
  firstHostOnly @3 :Bool;           # of runExited: the run has nothing but its first host while its files are staged out, so its node file
                                    # is written anew
}
struct Blob { hash @0 :Data; offset @1 :UInt64; data @2 :Data; last @3 :Bool; missing @4 :Bool;
              ref @5 :RunRef; }      # as in the WantBlob that this answers
struct StartScheduler {
  # A scheduler whose sched_host is this host (MS-86). Harmless when one of that name runs here already.
  name        @0 :Text;
  certificate @1 :Data;          # its certificate and key, PEM; kept as daemon.pem in its sched_priv
  priv        @2 :Text;          # sched_priv
  logs        @3 :Text;          # sched_log
  port        @4 :UInt16;        # sched_port
}
struct MomHooks {
  sequence @0 :UInt64;           # of the log when this was true; rises with each change
  hooks    @1 :List(MomHook);
  waitSeconds @2 :UInt32;        # sync_mom_hookfiles_timeout: how long a job waits for hooks that are on their way
  resources @3 :List(ServerEvents.ResourceDefined);   # custom resources: hooks/resourcedef
}
struct MomHook {
  name       @0 :Text;
  attributes @1 :List(Common.Attribute);   # event, enabled, order, alarm, user, fail_action, freq, debug, type
  code       @2 :Common.BlobRef;           # empty hash: not imported yet
  config     @3 :Common.BlobRef;           # empty hash: none
}
struct HookAck { position @0 :UInt64; ref @1 :RunRef; }   # the report is durable; ref of jobs' hooks
struct HookAnswer {
  # To the HookQuestion of this id that came over the same connection.
  id @0 :UInt64;
  union {
    none   @1 :Void;             # there is no such object
    object @2 :HookObject;
    names  @3 :List(Text);
    refused @4 :Text;            # nobody is told: why not
  }
}
struct HookObject { name @0 :Text; attributes @1 :List(Common.Attribute); }
