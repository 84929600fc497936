@0xb5b1f6d1a8c3e014;
# What can happen to a job. `runStep` is what the primary of its run tells: an event of its own log, as it is.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";
using Run = import "run.capnp";
struct JobEvent {
  union {
    queued          @0 :JobQueued;
    altered         @1 :Shared.AttributesChanged;
    held            @2 :JobHeld;
    released        @3 :JobHeld;
    waitEnded       @4 :Void;
    assigned        @5 :JobAssigned;
    started         @6 :JobStarted;
    startFailed     @7 :JobStartFailed;
    runStep         @8 :Run.RunStep;
    usageReported   @9 :Shared.UsageReported;
    deleteRequested @10 :JobDeleteRequested;
    rerunRequested  @11 :JobRerunRequested;
    signalled       @12 :JobSignalled;
    messaged        @13 :JobMessaged;
    suspended       @14 :JobSuspended;
    resumeWanted    @15 :Void;           # there was no room for it: the scheduler resumes it when there is
    resumed         @16 :JobResumed;
    requestDone        @17 :JobRequestDone;
    exited          @18 :JobExited;
    outputDelivered @19 :Shared.OutputDelivered;
    vnodesReleased  @20 :VnodesReleased;
    requeued        @21 :JobRequeued;
    ended           @22 :JobEnded;
    forgotten       @23 :Void;
    moved           @24 :JobMoved;
    reordered       @25 :JobReordered;
    vnodesTaken     @26 :VnodesTaken;
    reduced         @27 :JobReduced;
    subjobBegan     @28 :SubjobBegan;    # of an array, as are those that follow
    subjobLeft      @29 :SubjobLeft;
    subjobsAsked    @30 :SubjobsAsked;
  }
}

struct JobQueued {
  id         @0 :Text;        # "12.borg"
  number     @1 :UInt64;      # 12
  owner      @2 :Text;        # Job_Owner: user@submit host
  euser      @3 :Text;
  egroup     @4 :Text;
  queue      @5 :Text;
  attributes @6 :List(Common.Attribute);  # all of the job's attributes that are not fields here, defaults applied
  script     @7 :Common.BlobRef;          # empty hash: no script (qsub -- program)
  holds      @8 :List(Common.HoldType);
  executionTime @9 :Int64;    # seconds since 1970, 0 for none (-a)
  queueRank  @10 :Int64;      # microsecond stamp; order within a queue
  indices    @11 :Text;       # of an array: "1-8:2"; its subjobs are born one by one, when they are run
  runs       @12 :UInt32;     # of a subjob: how often it was run before
  # Attributes that stand nowhere here mean PBS's defaults of this format: Checkpoint u, Hold_Types n, Join_Path n,
  # Keep_Files n, Mail_Points a, Priority 0, Rerunable True, project _pbs_project_default.
}
struct SubjobBegan {
  # A subjob of the array is run. Its own first events, JobQueued and JobAssigned, are in the same append, on a stream of its own.
  index @0 :UInt32;
  run   @1 :UInt32;           # counts its starts
}
struct SubjobLeft {
  # It runs no more: it has ended, or was queued again and is its array's again.
  index      @0 :UInt32;
  run        @1 :UInt32;
  requeued   @2 :Bool;
  failed     @3 :Bool;        # it ended with another exit status than 0, or was deleted
  runCount   @4 :Int64;       # requeued: as it shows it then
  restsUntilNs @5 :Int64;     # its start failed, and no subjob begins before then, in nanoseconds since 1970; 0: it did not
  comment    @6 :Text;        # why it failed
}
struct SubjobsAsked {
  # Who asks stands in the record. Subjobs that run are told of it (actors/server/reactions/arrays.cpp).
  indices  @0 :Text;          # "1-5,9": those that it is asked of
  waiting  @1 :Text;          # of these, those that had not begun: they will not be run
  rerun    @2 :Bool;          # to be run again; else to be deleted
  force    @3 :Bool;
  waitingCount @4 :UInt32;    # how many `waiting` are
  noMail       @5 :Bool;      # of a deletion
}
struct JobHeld { holds @0 :List(Common.HoldType); comment @1 :Text; }
struct JobAssigned {
  run           @0 :UInt32;   # counts the starts; the MoM recognises a repeated order by it
  execVnode     @1 :Text;                # held from here on, until VnodesReleased
  execHost      @2 :Text;
  scheduler     @3 :Text;     # name of the scheduler object; empty: qrun
  hosts         @4 :List(Text);          # MoM host names, primary first
  comment       @5 :Text;                # what the job shows while it is on its way
  place         @6 :Text;                # Resource_List.place at that moment: who may share the vnodes follows from it
  walltimeSeconds @7 :UInt64;            # shrink-to-fit: its walltime until the run is over; 0: what it asks for
}
struct JobStarted { run @0 :UInt32; session @1 :Int64; comment @2 :Text;
                    canCheckpoint @3 :Bool; }        # its host has $action checkpoint_abort
struct JobStartFailed { run @0 :UInt32; code @1 :Int32; text @2 :Text; }
struct JobSignalled {
  run        @0 :UInt32;
  request    @1 :UInt64;      # counts what was asked of the job's MoMs
  signal     @2 :Text;
  checkpoint @3 :Bool;        # no signal: its host is to checkpoint it and to end the run
  loadHost   @4 :Text;        # no signal: whether the load of this host keeps the run's processes stopped; request 0: they stay as they are
  stopped    @5 :Bool;
  preempted  @6 :Bool;        # checkpoint: a scheduler has another job run in its place
}
struct JobMessaged { run @0 :UInt32; request @1 :UInt64; text @2 :Text; toErrors @3 :Bool; toOutput @4 :Bool; }
struct JobRequestDone { run @0 :UInt32; request @1 :UInt64; }     # its MoM carried it out
struct JobSuspended {
  run      @0 :UInt32;
  request     @1 :UInt64;    # 0: its processes are stopped already
  admin    @2 :Bool;      # admin-suspend: its vnodes are under maintenance meanwhile
}                         # VnodesReleased follows
struct JobResumed {
  run      @0 :UInt32;
  request     @1 :UInt64;    # 0: the load of a host keeps its processes stopped
  admin    @2 :Bool;
}                         # VnodesTaken follows
struct JobMoved { queue @0 :Text; queueRank @1 :Int64; changes @2 :List(Common.Attribute); }   # changes: defaults of the queues
struct JobReordered { queueRank @0 :Int64; }
struct JobDeleteRequested { force @0 :Bool; purgeHistory @1 :Bool; noMail @2 :Bool; }   # who asked stands in the record
struct JobRerunRequested { force @0 :Bool; preempted @1 :Bool; }   # preempted: a scheduler has another job run in its place
struct JobExited { run @0 :UInt32; exitStatus @1 :Int32; usage @2 :Common.Usage; session @3 :Int64; reported @4 :Bool;
                   commentSuffix @5 :Text; hosts @6 :List(Common.HostUsage); }
struct VnodesTaken {
  # What a run holds from here on beside what it was assigned: a suspended one takes again what it had released.
  run         @0 :UInt32;
  execVnode   @1 :Text;
  place       @2 :Text;      # as in JobAssigned
  amountsOnly @3 :Bool;      # it has the vnodes, and takes only the amounts
}
struct VnodesReleased {
  # What a run no longer holds: the only event that frees anything in the ledger.
  run         @0 :UInt32;
  execVnode   @1 :Text;
  why         @2 :ReleaseReason;
  hosts       @3 :List(Text);   # of these: all that the run still had there, so that they have nothing more to do with it
  amountsOnly @4 :Bool;         # it keeps the vnodes (restrict_res_to_release_on_suspend)
}
enum ReleaseReason {
  left      @0;      # the run is gone from there
  abandoned @1;      # nobody knows whether it is: the host did not answer, or nobody asked it
  suspended @2;      # it will take them again
  reduced   @3;      # the run goes on without them, on a host that it keeps
}
struct JobReduced {
  # Its run goes on with less: its primary has told it, or is asked to (pbs_release_nodes); or its program has ended, and only its first
  # host has work left (release_nodes_on_stageout). What goes stays held until VnodesReleased.
  run        @0 :UInt32;
  released   @1 :Text;           # exec_vnode of what goes
  execVnode  @2 :Text;           # of what is left
  execHost   @3 :Text;
  keepSelect @4 :Text;           # what it is to have
  changes    @5 :List(Common.Attribute);  # of schedselect and Resource_List, until the run is over
  request    @6 :UInt64;         # that its MoM carries out; 0: nobody has to
  satisfies  @7 :List(UInt32);   # as in AllocationReduced
  stageOut   @8 :Bool;           # its files are staged out now; false, and no request: its MoM has told it
  walltime   @9 :Int64;          # of the job until now, in seconds; 0: what was reported last
  ofLeft     @10 :Common.Usage;  # at stage-out: mem, vmem and cpupercent of the hosts that are left
}
struct JobRequeued {
  run        @0 :UInt32;
  exitStatus @1 :Int32;
  holds      @2 :List(Common.HoldType);
  comment    @3 :Text;
  waitUntil  @4 :Int64;       # its files could not be staged in: it waits until then, in seconds since 1970; 0: it does not
  restsUntilNs @5 :Int64;     # its start failed, and no scheduler starts it before then, in nanoseconds since 1970; 0: it may at once
}
struct JobEnded {
  exitStatus    @0 :Int32;
  hasExitStatus @1 :Bool;
  substate      @2 :UInt16;
  commentSuffix @3 :Text;      # what is added to the comment the job had: " and finished"; a job without one keeps none
  reason        @4 :Text;      # why the server deleted it by itself, as the A record says: "Job deleted as result of dependency on job 1.borg"
}
