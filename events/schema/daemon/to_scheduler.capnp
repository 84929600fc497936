@0xb5b1f6d1a8c3e01d;
# The server speaks to a scheduler: it tells what there is (SchedulingDelta) and begins cycles.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using SchedulerEvents = import "../event/scheduler.capnp";
using ReservationEvents = import "../event/reservation.capnp";
using ServerEvents = import "../event/server.capnp";

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

struct StartCycle {
  number @0 :UInt64; trigger @1 :Text; viewSequence @2 :UInt64; wallNs @3 :Int64;
  without @4 :List(UInt64);   # as in CycleBegan
}
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
  preempted  @30 :Bool;                     # of a queued job: it ran, and left for another (preempt_order R and C)
}
