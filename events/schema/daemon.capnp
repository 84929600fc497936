@0xb5b1f6d1a8c3e004;
# What pbs_server says to MoMs and schedulers and hears from them. Each change is an idempotent command, resent until
# it is acknowledged; `ack` names what is acknowledged.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "common.capnp";
using HostEvents = import "event/host.capnp";
using RunEvents = import "event/run.capnp";
using SchedulerEvents = import "event/scheduler.capnp";
using ReservationEvents = import "event/reservation.capnp";
using ServerEvents = import "event/server.capnp";

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
  }
}
struct StartScheduler {
  # A scheduler whose sched_host is this host (MS-86). Harmless when one of that name runs here already.
  name        @0 :Text;
  certificate @1 :Data;          # its certificate and key, PEM; kept as daemon.pem in its sched_priv
  priv        @2 :Text;          # sched_priv
  logs        @3 :Text;          # sched_log
  port        @4 :UInt16;        # sched_port
}
struct SchedulerFailed { name @0 :Text; text @1 :Text; }
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
struct HookAck { position @0 :UInt64; ref @1 :RunRef; }   # the report is durable; ref of jobs' hooks
struct Welcome {
  serverName           @0 :Text;
  usageIntervalSeconds @1 :UInt32;
  vnodesRefused        @2 :Text;   # why nothing of what the hello says of vnodes was taken; empty: it was
}
struct LogMark {
  # How far the server's log was durable, in the server's own words: nobody else reads them (docs/design/0028-lost-logs.md).
  text        @0 :Data;          # as events/log/log_mark.hpp prints it
  signature   @1 :Data;          # of the server
  certificate @2 :Text;
}
struct RunRef { jobSerial @0 :UInt64; run @1 :UInt32; job @2 :Text; }
struct StartRun {
  ref         @0 :RunRef;
  owner       @1 :Text;
  euser       @2 :Text;
  egroup      @3 :Text;
  execVnode   @4 :Text;
  execHost    @5 :Text;
  queue       @6 :Text;
  attributes  @7 :List(Common.Attribute);    # the job's own: Job_Name, Resource_List, Variable_List, paths, ...; not exec_vnode and exec_host
  script      @8 :Common.BlobRef;
  inlineScript @9 :Data;                     # when small; else the MoM asks with wantBlob
  serverName  @10 :Text;
  killDelaySeconds @11 :UInt32;
  sisters     @12 :List(Common.SisterAddress);    # the other hosts of the run, in the order of their node numbers
  ticket      @13 :Common.SignedTicket;           # what these hosts ask for; absent when there are none
  restart     @14 :Bool;                     # it goes on from its checkpoint: $action restart in place of the program
}
struct SignalRun { ref @0 :RunRef; id @1 :UInt64; signal @2 :Text; killDelaySeconds @3 :UInt32; exitStatus @4 :Int32; overridesExit @5 :Bool;
                   resendTermSeconds @6 :UInt32; }    # resend_term_delay: SIGTERM once more after this; 0: not again
struct TellRun { ref @0 :RunRef; request @1 :RunEvents.RunRequest; }     # owed until requestDone
struct Blob { hash @0 :Data; offset @1 :UInt64; data @2 :Data; last @3 :Bool; missing @4 :Bool;
              ref @5 :RunRef; }      # as in the WantBlob that this answers

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
struct FromComm {
  # Whose command begins on a connection of a login host's pbs_comm (comm.capnp).
  user @0 :Text;
}
struct HookQuestion {
  # What a MoM's hook asks of the server (pbs.server().vnode(name) ...). Asked once: whose connection ends has no answer.
  id        @0 :UInt64;          # rises within the connection
  kind      @1 :Common.ObjectKind;
  name      @2 :Text;            # empty: the server itself; not looked at with namesOnly
  namesOnly @3 :Bool;            # names of all objects of the kind
  queue     @4 :Text;            # with namesOnly, of jobs: of this queue only; empty: of all
}
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
struct RunUsage { ref @0 :RunRef; hosts @1 :List(Common.HostUsage); session @2 :Int64; jobdir @3 :Text; mergeWords @4 :Bool; }
struct RunExited { ref @0 :RunRef; exitStatus @1 :Int32; hosts @2 :List(Common.HostUsage); session @3 :Int64; reported @4 :Bool; position @5 :UInt64;
                   mergeWords @6 :Bool;
                   abandoned @7 :List(Text); }   # as in RunLeftReport
struct RunLeftReport { ref @0 :RunRef; delivered @1 :Bool; text @2 :Text; position @3 :UInt64;
                       abandoned @4 :List(Text); }   # hosts from which the job may not be gone
struct WantBlob { hash @0 :Data; ref @1 :RunRef; }   # the script of this run; jobSerial 0: a file of a hook
struct SignalDone { ref @0 :RunRef; id @1 :UInt64; }
struct RunSteps {
  # What happened to a run before, and between its hosts, in order; the server takes each step once, counted from 0.
  ref   @0 :RunRef;
  first @1 :UInt32;
  steps @2 :List(RunEvents.RunStep);    # of its hosts and of its files, in their order
}
struct Ack {
  # The server has the fact durably; the MoM need not send it again.
  ref  @0 :RunRef;
  what @1 :What;
  enum What { runStarted @0; runRefused @1; runExited @2; runLeft @3; runSteps @4; }
  steps @2 :UInt32;                 # of runSteps: how many the server has
}

struct ToScheduler {
  union {
    view  @0 :SchedulingDelta;
    cycle @1 :StartCycle;
    refused @2 :Refused;            # a proposal the ledger or the job refused
    stop  @3 :Void;
    reconfigure @4 :Void;
    runJob @5 :RunOneJob;
  }
}
struct StartCycle { number @0 :UInt64; trigger @1 :Text; viewSequence @2 :UInt64; wallNs @3 :Int64; }
struct RunOneJob { job @0 :SchedJob; request @1 :UInt64; viewSequence @2 :UInt64; }   # qrun: whatever its queue and its holds say
struct Refused { job @0 :UInt64; cycle @1 :UInt64; reason @2 :Text; code @3 :UInt32; }   # job 0: the scheduler itself; code: why

struct SchedulingDelta {
  epoch    @0 :UInt64;     # writer epoch of the server
  sequence @1 :UInt64;     # the view is true at this sequence once this delta is taken in
  previous @2 :UInt64;     # sequence of the delta before; a gap means: ask for a full view
  full     @3 :Bool;       # forget everything first
  server   @4 :List(Common.Attribute);      # present (non-empty) when changed: all attributes of server
  scheduler @5 :List(Common.Attribute);     # same for the scheduler object
  queues   @6 :List(SchedQueue);
  queuesGone @7 :List(Text);
  vnodes   @8 :List(SchedVnode);
  vnodesGone @9 :List(Text);
  jobs     @10 :List(SchedJob);
  jobsGone @11 :List(UInt64);
  resources @12 :List(ServerEvents.ResourceDefined);   # all custom resources, when changed (resourcesChanged)
  resourcesChanged @13 :Bool;
  usages   @14 :List(SchedulerEvents.FairshareUsage);  # fairshare usage of these entities now
  usagesChanged @15 :Bool;                  # usages are all there are: forget the others
  reservations  @16 :List(SchedReservation);
  reservationsGone @17 :List(UInt64);
}
struct SchedQueue {
  name @0 :Text; order @1 :UInt64; attributes @2 :List(Common.Attribute);
  reservation @3 :UInt64;                   # serial of the reservation whose queue it is: its jobs run on the reservation's vnodes; 0: none
}
struct SchedReservation {
  serial      @0 :UInt64;
  id          @1 :Text;                     # with the server's name, as jobs and people say it
  kind        @2 :ReservationEvents.ReservationKind;
  queue       @3 :Text;
  euser       @4 :Text;
  egroup      @5 :Text;
  schedselect @6 :Text;
  place       @7 :Text;
  resources   @8 :List(Common.Attribute);   # Resource_List.*
  job         @9 :UInt64;                   # of asap: for which job
  hosts       @10 :List(Text);              # of maintenance
  # Places that are kept for it, of the running occurrence and those to come; empty: not confirmed yet. A place without an execVnode is
  # where the one before it is.
  places      @11 :List(ReservationEvents.OccurrencePlace);
  running     @12 :UInt32;                  # index of the occurrence that runs; 0: none
  # What the scheduler is asked for: an answer names `ask`. 0: nothing.
  ask         @13 :UInt64;
  wanted      @14 :List(ReservationEvents.OccurrenceWindow);   # when it is to have places (confirm, alter, find others for)
  avoid       @15 :List(Text);              # vnodes that are not to be had: it is degraded by them
}
struct SchedVnode {
  name       @0 :Text;
  host       @1 :Text;
  order      @2 :UInt64;                    # of creation at the server
  state      @3 :Text;                      # as pbsnodes prints it
  attributes @4 :List(Common.Attribute);    # resources_available.*, Priority, queue, sharing, ...
  assigned   @5 :List(Common.Attribute);    # resources_assigned.*
  jobs       @6 :List(VnodeJob);
}
struct VnodeJob { job @0 :UInt64; exclusive @1 :Bool; }
struct SchedJob {
  serial     @0 :UInt64;
  id         @1 :Text;
  queue      @2 :Text;
  state      @3 :UInt8;                     # the letter
  euser      @4 :Text;
  egroup     @5 :Text;
  project    @6 :Text;
  rank       @7 :Int64;
  priority   @8 :Int32;
  schedselect @9 :Text;
  place      @10 :Text;
  resources  @11 :List(Common.Attribute);   # Resource_List.*
  execVnode  @12 :Text;                     # of running jobs; of a checkpointed one that waits: it runs nowhere else
  startedNs  @13 :Int64;
  comment    @14 :Text;                     # what the job shows now
  execHost   @15 :Text;                     # of running jobs; which slots of a host are taken
  resume     @16 :Bool;                     # a suspended job that is to go on when there is room; execVnode: what it needs
  failedHosts @17 :List(Text);              # of a queued job: where it could not be started, the latest last; they are tried last
  accountName @18 :Text;                    # Account_Name
  eligibleSeconds @19 :Int64;               # eligible_time, as far as it was counted
  eligibleSinceNs @20 :Int64;               # and since when it grows; 0: it does not
  topjobIneligible @21 :Bool;
  rerunable  @22 :Bool;
  leaving    @23 :Bool;                     # its end or its requeue was asked for: what it holds will soon be free
  estimatedNs @24 :Int64;                   # estimated.start_time that it shows; 0: none
  estimatedVnode @25 :Text;                 # estimated.exec_vnode
  topjob     @26 :Bool;                     # what it shows
  canCheckpoint @27 :Bool;                  # preempt_order C works with it
  indices    @28 :Text;                     # of an array: the subjobs that are to be run, "5-8:2"; its other fields are theirs
  mayBegin   @29 :UInt32;                   # of an array: so many of them may begin now (max_run_subjobs)
}

struct FromScheduler {
  union {
    hello    @0 :SchedHello;
    run      @1 :ProposeRun;
    reasons  @2 :SchedulerEvents.CycleReasons;
    cycleEnded @3 :SchedulerEvents.CycleEnded;
    fullView @4 :Void;              # a delta was missed
    cycleBegan @5 :SchedulerEvents.CycleBegan;
    policy   @6 :Data;              # the text of the policy files the next cycles use
    cannotRun @7 :CannotRun;        # answers a RunOneJob; else it is answered with run
    directories @8 :SchedDirectories;   # after the hello, and after each change of sched_priv or sched_log
    fairshare @9 :SchedulerEvents.FairsharePolicy;   # after the hello, and whenever sched_config says otherwise
    reservation @10 :SchedReservationAnswer;      # to a SchedReservation with an ask
  }
}
struct SchedHello { name @0 :Text; host @1 :Text; version @2 :Text; pid @3 :UInt32; port @4 :UInt16; }
struct SchedDirectories {
  # Which directories it uses now; of one that it was told to use and can't, why not (MS-50 to MS-52).
  priv        @0 :Text;
  logs        @1 :Text;
  privTrouble @2 :PrivTrouble;
  logTrouble  @3 :Bool;
  enum PrivTrouble { none @0; unreachable @1; notValid @2; }
}
struct ProposeRun { job @0 :UInt64; execVnode @1 :Text; execHost @2 :Text; hosts @3 :List(Text); cycle @4 :UInt64;
                    request @5 :UInt64;       # of the RunOneJob it answers; 0: none
                    walltimeSeconds @6 :UInt64;     # shrink-to-fit: the walltime the job gets; 0: its own
                    victims @7 :List(PreemptVictim);        # jobs that must make room first; the run is tried when they have
                    index @8 :UInt32; ofArray @9 :Bool; }   # the job is an array: this subjob of it
struct PreemptVictim {
  job @0 :UInt64;
  how @1 :How;
  enum How { suspend @0; requeue @1; delete @2; checkpoint @3; }   # as preempt_order has it
}
struct SchedReservationAnswer {
  reservation @0 :UInt64;                   # serial
  ask         @1 :UInt64;
  cycle       @2 :UInt64;
  union {
    confirmed @3 :List(ReservationEvents.OccurrencePlace);   # one for each that was wanted
    refused   @4 :Text;                     # why there is no room
  }
  conflicts   @5 :List(Text);               # of maintenance: ids of reservations that lose vnodes to it
}
struct CannotRun { job @0 :UInt64; request @1 :UInt64; reason @2 :Text; }
