@0xb5b1f6d1a8c3e01c;
# A MoM speaks to the server. A fact is told again until the server has acknowledged it (to_mom.capnp).
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using HostEvents = import "../event/host.capnp";
using RunEvents = import "../event/run.capnp";
using ServerEvents = import "../event/server.capnp";
using RunRef = import "shared.capnp".RunRef;
using LogMark = import "shared.capnp".LogMark;

struct FromMom {
  union {
    hello      @0 :MomHello;
    runStarted @1 :RunStarted;
    runRefused @2 :RunRefusedReport;
    runUsage   @3 :RunUsage;
    runExited  @4 :RunExited;
    runLeft    @5 :RunLeftReport;
    wantBlob   @6 :WantBlob;
    signalDone @7 :SignalDone;
    runSteps   @8 :RunSteps;
    requestDone   @9 :SignalDone;      # of a TellRun
    hooksInstalled @10 :HooksInstalled;
    hookReport @11 :HookReport;
    wantTicket @12 :RunRef;         # of a run whose ticket ends: its order comes again with a fresh one, if it is still owed
    commandOf  @13 :RunRef;         # the first and only message of its connection: a command of this run speaks from here on, in
                                    # Requests (client.capnp), and is answered in Replies
    schedulerFailed @14 :SchedulerFailed;   # a StartScheduler of which no process came, or whose process ended before it said hello
    hookQuestion @15 :HookQuestion;
  }
}

struct MomHello {
  host     @0 :Text;
  version  @1 :Text;
  logUuid  @2 :Data;
  port     @3 :UInt16;
  vnodes   @4 :List(HostEvents.ReportedVnode);
  runs     @5 :List(RunRef);        # runs this MoM knows of, as primary or as sister
  address  @6 :Text;                # where it hears other MoMs; empty: at the address the server sees
  logMark  @7 :LogMark;             # the newest one the server told it; empty: none yet
  madeByHooks @8 :List(Text);       # those of the vnodes that exechost_startup hooks made
}
struct RunStarted { ref @0 :RunRef; session @1 :Int64; jobdir @2 :Text; position @3 :UInt64;
                    canCheckpoint @4 :Bool; }    # this host has $action checkpoint_abort, and the run is on no other
struct RunRefusedReport { ref @0 :RunRef; code @1 :Int32; text @2 :Text; position @3 :UInt64; abandoned @4 :List(Text); }
# What a run used is told host by host, the primary first; the server makes of it what the job shows. mergeWords: JSON objects of
# several hosts are made one, other words are left out ($resources_used_strings merge).
struct RunUsage { ref @0 :RunRef; hosts @1 :List(Common.HostUsage); session @2 :Int64; jobdir @3 :Text; mergeWords @4 :Bool;
                  question @5 :UInt64; }      # of the usageNow that it answers; 0: nobody has asked
struct RunExited { ref @0 :RunRef; exitStatus @1 :Int32; hosts @2 :List(Common.HostUsage); session @3 :Int64; reported @4 :Bool; position @5 :UInt64;
                   mergeWords @6 :Bool;
                   abandoned @7 :List(Text); }   # as in RunLeftReport
struct RunLeftReport { ref @0 :RunRef; delivered @1 :Bool; text @2 :Text; position @3 :UInt64;
                       abandoned @4 :List(Text); }   # hosts from which the job may not be gone
struct RunSteps {
  # What happened to a run before, and between its hosts, in order; the server takes each step once, counted from 0.
  ref   @0 :RunRef;
  first @1 :UInt32;
  steps @2 :List(RunEvents.RunStep);    # of its hosts and of its files, in their order
}
struct SignalDone { ref @0 :RunRef; id @1 :UInt64; }
struct WantBlob { hash @0 :Data; ref @1 :RunRef; }   # the script of this run; jobSerial 0: a file of a hook
struct HooksInstalled { sequence @0 :UInt64; files @1 :List(Text); }
struct HookReport {
  # What a MoM's hook did and wants of the server; told until hookAck.
  ref      @0 :RunRef;                    # jobSerial 0: a hook of the host (exechost_*)
  position @1 :UInt64;                    # rises within the run, or with the MoM's log
  run      @2 :Common.HookRun;
  jobChanges @3 :List(Common.Attribute);  # attributes of the job to be set at the server
  vnodes   @4 :List(HostEvents.VnodeChanged);      # attributes of vnodes to be set at the server
  rerun    @5 :Bool;                      # the hook called job.rerun()
  delete   @6 :Bool;                      # ... job.delete()
  resources @7 :List(ServerEvents.ResourceDefined);  # of new resources in vnodes: name and type (RU-06)
  restartScheduling @8 :Bool;             # scheduler_restart_cycle
}
struct HookQuestion {
  # What a MoM's hook asks of the server (pbs.server().vnode(name) ...). Asked once: whose connection ends has no answer.
  id        @0 :UInt64;          # rises within the connection
  kind      @1 :Common.ObjectKind;
  name      @2 :Text;            # empty: the server itself; not looked at with namesOnly
  namesOnly @3 :Bool;            # names of all objects of the kind
  queue     @4 :Text;            # with namesOnly, of jobs: of this queue only; empty: of all
}
struct SchedulerFailed { name @0 :Text; text @1 :Text; }
