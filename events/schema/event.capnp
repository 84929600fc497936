@0xb5b1f6d1a8c3e002;
# Every event of the server's log and of a MoM's log. The only declaration of what can have happened.
# Rules for growing it: docs/design/0002-event-log.md. An event is a fact; its name is object + past tense.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "common.capnp";

enum StreamKind { server @0; queue @1; host @2; job @3; scheduler @4; run @5; part @6; hook @7; }
# `run` and `part` streams live in MoM logs: one `run` per job and run on its primary, one `part` per job and run on each
# host that runs tasks of it besides the program (docs/design/0020-jobs-across-hosts.md).

struct Record {
  # What the log keeps of one event. CRC32C and chain hash stand beside it (events/log/record.hpp).
  sequence      @0 :UInt64;   # global, from 1, without gaps
  stream        @1 :UInt64;   # serial of the stream, never reused
  streamKind    @2 :StreamKind;
  streamVersion @3 :UInt64;   # from 1 within the stream
  formatVersion @4 :UInt16;
  writerEpoch   @5 :UInt64;   # counts the starts of the writer
  wallNs        @6 :Int64;    # nanoseconds since 1970, never decreasing within a log
  rawNs         @7 :Int64;    # what the clock really said
  who           @8 :Common.Who;
  commandId     @9 :Data;     # 16 bytes, empty for what nobody asked for
  cause         @10 :UInt64;  # sequence of the event that led to this one, 0 for none
  event         @11 :Event;
  hooks         @12 :List(Common.HookRun);   # that ran before the event and allowed or changed it, in their order
}

struct Event {
  union {
    # server
    serverStarted    @0 :ServerStarted;
    serverStopped    @1 :ServerStopped;
    serverChanged    @2 :AttributesChanged;
    resourceCreated  @3 :ResourceDefined;
    resourceChanged  @4 :ResourceDefined;
    resourceDeleted  @5 :Named;
    # queue
    queueCreated     @6 :Named;
    queueChanged     @7 :AttributesChanged;
    queueDeleted     @8 :Named;
    # host and its vnodes
    hostAdded        @9 :HostAdded;
    hostCameUp       @10 :HostCameUp;
    hostWentDown     @11 :Reason;
    hostRemoved      @12 :Named;
    vnodeCreated     @13 :Named;
    vnodeChanged     @14 :VnodeChanged;
    vnodeDeleted     @15 :Named;
    # scheduler object
    schedulerCreated @16 :Named;
    schedulerChanged @17 :AttributesChanged;
    schedulerDeleted @18 :Named;
    schedulerStarted @19 :SchedulerStarted;
    schedulerStopped @20 :Reason;
    cycleBegan       @21 :CycleBegan;
    cycleReasons     @22 :CycleReasons;
    cycleEnded       @23 :CycleEnded;
    # job
    jobQueued        @24 :JobQueued;
    jobAltered       @25 :AttributesChanged;
    jobHeld          @26 :JobHeld;
    jobReleased      @27 :JobHeld;
    jobWaitEnded     @28 :Void;
    jobAssigned      @29 :JobAssigned;
    jobStarted       @30 :JobStarted;
    jobStartFailed   @31 :JobStartFailed;
    usageReported    @32 :UsageReported;
    jobDeleteRequested @33 :JobDeleteRequested;
    jobRerunRequested  @34 :JobRerunRequested;
    jobExited        @35 :JobExited;
    outputDelivered  @36 :OutputDelivered;
    vnodeHandedBack  @37 :VnodeHandedBack;
    jobRequeued      @38 :JobRequeued;
    jobEnded         @39 :JobEnded;
    jobForgotten     @40 :Void;
    blobForgotten    @41 :Common.BlobRef;
    # run, in a MoM's log
    runReceived      @42 :RunReceived;
    programStarting  @43 :Void;
    programStarted   @44 :ProgramStarted;
    runRefused       @45 :RunRefused;
    killRequested    @46 :KillRequested;
    usageSampled     @47 :UsageSampled;
    programEnded     @48 :ProgramEnded;
    outputPlaced     @49 :OutputDelivered;
    runLeft          @50 :Void;
    jobDiscarded     @51 :Void;   # a manager's forced delete: the server forgets the run at once
    # the hosts of a run, in its primary's log and, relayed, in the job's stream of the server's log
    sistersAsked     @52 :SistersAsked;
    sisterJoined     @53 :SisterStep;
    sisterFailed     @54 :SisterStep;
    joinWaitEnded    @55 :SisterStep;   # sister_join_job_alarm; no host
    sisterLeft       @56 :SisterLeft;
    # tasks of a run, in its primary's log
    taskAsked        @57 :TaskAsked;
    taskSettled      @58 :TaskSettled;
    # part of a job on a host, in that host's log
    jobJoined        @59 :JobJoined;
    jobSetUp         @60 :Void;
    joinRefused      @61 :RunRefused;
    taskStarting     @62 :TaskStarting;
    taskStarted      @63 :TaskStarted;
    taskEnded        @64 :TaskEnded;
    leaveAsked       @65 :Reason;
    jobLeft          @66 :Void;
    # job: what is done with it by hand
    jobSignalled     @67 :JobSignalled;
    jobMessaged      @68 :JobMessaged;
    jobSuspended     @69 :JobSuspended;
    jobResumeWanted  @70 :Void;           # there was no room for it: the scheduler resumes it when there is
    jobResumed       @71 :JobResumed;
    jobWishDone      @72 :JobWishDone;
    jobMoved         @73 :JobMoved;
    jobReordered     @74 :JobReordered;
    # run
    wishReceived     @75 :Wish;
    wishDone         @76 :WishDone;
    # hook
    hookCreated      @77 :Named;
    hookChanged      @78 :AttributesChanged;
    hookImported     @79 :HookImported;
    hookDeleted      @80 :Named;
    hookRan          @81 :HookRan;
    # run: files that come before the program, in its primary's log and, relayed, in the job's stream of the server's log
    filesStagedIn    @82 :FilesStagedIn;
  }
}

struct Named { name @0 :Text; }
struct Reason { text @0 :Text; }
struct AttributesChanged { changes @0 :List(Common.Attribute); }

# -- server ----------------------------------------------------------------------------------------------------------

struct ServerStarted {
  version     @0 :Text;
  hostName    @1 :Text;
  serverName  @2 :Text;    # the part of job ids after the dot
  timeZone    @3 :Text;    # accounting text depends on it
  logUuid     @4 :Data;
}
struct ServerStopped { how @0 :Text; }   # "quick", "immediate", ...
struct ResourceDefined { name @0 :Text; type @1 :Text; flags @2 :Text; }

# -- host ------------------------------------------------------------------------------------------------------------

struct HostAdded { name @0 :Text; address @1 :Text; port @2 :UInt16; }
struct HostCameUp {
  logUuid  @0 :Data;       # of the MoM's own log; a new one declares the former runs lost
  version  @1 :Text;
  vnodes   @2 :List(ReportedVnode);
  address  @3 :Text;       # where its MoM hears other MoMs
  port     @4 :UInt16;
}
struct ReportedVnode { name @0 :Text; attributes @1 :List(Common.Attribute); }
struct VnodeChanged { vnode @0 :Text; changes @1 :List(Common.Attribute); }

# -- scheduler -------------------------------------------------------------------------------------------------------

struct SchedulerStarted { host @0 :Text; version @1 :Text; }
struct CycleBegan { number @0 :UInt64; viewSequence @1 :UInt64; trigger @2 :Text; policy @3 :Common.BlobRef; }
struct CycleReasons {
  # Only reasons that changed, in pieces of at most limits::cycle_reasons_bytes_max.
  texts @0 :List(Text);             # each distinct comment once, whole ("Not Running: ...")
  jobs  @1 :List(JobReason);
}
struct JobReason { job @0 :UInt64; text @1 :UInt32; }   # job = stream serial, text = index into texts
struct CycleEnded { number @0 :UInt64; considered @1 :UInt32; started @2 :UInt32; elapsedUs @3 :UInt64; }

# -- job -------------------------------------------------------------------------------------------------------------

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
  # Attributes that stand nowhere here mean PBS's defaults of this format: Checkpoint u, Hold_Types n, Join_Path n,
  # Keep_Files n, Mail_Points a, Priority 0, Rerunable True, project _pbs_project_default.
}
struct JobHeld { holds @0 :List(Common.HoldType); comment @1 :Text; }
struct JobAssigned {
  run           @0 :UInt32;   # counts the starts; the MoM recognises a repeated order by it
  execVnode     @1 :Text;
  execHost      @2 :Text;
  scheduler     @3 :Text;     # name of the scheduler object; empty: qrun
  hosts         @4 :List(Text);          # MoM host names, primary first
  comment       @5 :Text;                # what the job shows while it is on its way
  place         @6 :Text;                # Resource_List.place at that moment: who may share the vnodes follows from it
}
struct JobStarted { run @0 :UInt32; session @1 :Int64; comment @2 :Text; }
struct JobStartFailed { run @0 :UInt32; code @1 :Int32; text @2 :Text; }
struct UsageReported { run @0 :UInt32; usage @1 :Common.Usage; session @2 :Int64; jobdir @3 :Text;
                       hosts @4 :List(Common.HostUsage); }   # of a run on several hosts; `usage` is their sum
struct JobSignalled { run @0 :UInt32; wish @1 :UInt64; signal @2 :Text; }       # wish: counts what was asked of the job's MoMs
struct JobMessaged { run @0 :UInt32; wish @1 :UInt64; text @2 :Text; toErrors @3 :Bool; toOutput @4 :Bool; }
struct JobWishDone { run @0 :UInt32; wish @1 :UInt64; }     # its MoM carried it out
struct JobSuspended {
  run      @0 :UInt32;
  wish     @1 :UInt64;
  released @2 :Text;      # what the job gives up meanwhile, as an exec_vnode
  partly   @3 :Bool;      # it keeps the rest (restrict_res_to_release_on_suspend)
  admin    @4 :Bool;      # admin-suspend: its vnodes are under maintenance meanwhile
}
struct JobResumed {
  run      @0 :UInt32;
  wish     @1 :UInt64;
  taken    @2 :Text;      # what was released, taken again
  partly   @3 :Bool;
  admin    @4 :Bool;
  place    @5 :Text;      # as in JobAssigned
}
struct JobMoved { queue @0 :Text; queueRank @1 :Int64; changes @2 :List(Common.Attribute); }   # changes: defaults of the queues
struct JobReordered { queueRank @0 :Int64; }
struct JobDeleteRequested { force @0 :Bool; purgeHistory @1 :Bool; }   # who asked stands in the record
struct JobRerunRequested { force @0 :Bool; }
struct JobExited { run @0 :UInt32; exitStatus @1 :Int32; usage @2 :Common.Usage; session @3 :Int64; reported @4 :Bool;
                   commentSuffix @5 :Text; hosts @6 :List(Common.HostUsage); }
struct OutputDelivered { ok @0 :Bool; text @1 :Text; }
struct VnodeHandedBack { host @0 :Text; abandoned @1 :Bool; run @2 :UInt32; }   # the only event that frees vnodes in the ledger
struct JobRequeued {
  run        @0 :UInt32;
  exitStatus @1 :Int32;
  holds      @2 :List(Common.HoldType);
  comment    @3 :Text;
  waitUntil  @4 :Int64;       # its files could not be staged in: it waits until then, in seconds since 1970; 0: it does not
}
struct JobEnded {
  exitStatus    @0 :Int32;
  hasExitStatus @1 :Bool;
  substate      @2 :UInt16;
  commentSuffix @3 :Text;      # what is added to the comment the job had: " and finished"; a job without one keeps none
}

# -- hook ------------------------------------------------------------------------------------------------------------

struct HookImported { contentType @0 :Text; content @1 :Common.BlobRef; }   # "application/x-python", "application/x-config"
struct HookRan {
  # A run that no other event tells of: it rejected, it ran on a MoM, or its event only looks on. In a MoM's log, in the
  # stream of the run it was for.
  run      @0 :Common.HookRun;
  subject  @1 :Text;        # what it was about: a job's id, a vnode, who asked
  host     @2 :Text;        # of the MoM it ran on; empty: the server
  position @3 :UInt64;      # of the MoM's report, so that a repeat is recognised; 0 at the server
}

# -- run (MoM) -------------------------------------------------------------------------------------------------------

struct RunReceived {
  job          @0 :Text;       # "12.borg"
  run          @1 :UInt32;
  jobSerial    @2 :UInt64;     # the job's stream in the server's log
  order        @3 :Data;       # the StartRun message as it came (mom.capnp)
}
struct ProgramStarted { pid @0 :Int64; session @1 :Int64; startTicks @2 :UInt64; jobdir @3 :Text; }
struct FilesStagedIn {
  ok     @0 :Bool;
  text   @1 :Text;             # about those that could not be copied
  staged @2 :UInt32;
  asked  @3 :UInt32;
  run    @4 :UInt32;           # this and atNs as in SisterStep
  atNs   @5 :Int64;
}
struct RunRefused { code @0 :Int32; text @1 :Text; }
struct KillRequested { signal @0 :Text; killDelay @1 :UInt32; why @2 :Text; exitStatus @3 :Int32; overridesExit @4 :Bool;
                       id @5 :UInt64; }   # id of the server's wish; 0 for the MoM's own (a limit)
struct UsageSampled { usage @0 :Common.Usage; }
struct ProgramEnded { exitStatus @0 :Int32; usage @1 :Common.Usage; reported @2 :Bool; }

# -- hosts of a run --------------------------------------------------------------------------------------------------

# `atNs` is when the primary saw it; in the primary's own log the record says that. `run` is set in relayed ones only.
struct SistersAsked { hosts @0 :List(Text); run @1 :UInt32; atNs @2 :Int64; }
struct SisterStep { host @0 :Text; code @1 :Int32; text @2 :Text; run @3 :UInt32; atNs @4 :Int64; }
struct SisterLeft {
  host      @0 :Text;
  usage     @1 :Common.Usage;    # of all its tasks; the last known ones of a host that is abandoned
  abandoned @2 :Bool;            # nobody knows whether the job is gone from there: the host did not answer
  run       @3 :UInt32;
  atNs      @4 :Int64;
}

# -- tasks -----------------------------------------------------------------------------------------------------------

struct TaskAsked {
  task        @0 :UInt32;        # 1 is the job's program; these begin with 2
  host        @1 :Text;
  argv        @2 :List(Text);
  environment @3 :List(Text);    # NAME=value, on top of the job's
  node        @4 :UInt32;        # PBS_NODENUM
}
struct TaskSettled { task @0 :UInt32; started @1 :Bool; exitStatus @2 :Int32; text @3 :Text; over @4 :Bool; }
# started and not over: it runs. started and over: ended with exitStatus. Not started: text says why.
struct TaskStarting { task @0 :UInt32; argv @1 :List(Text); environment @2 :List(Text); node @3 :UInt32; }
struct TaskStarted { task @0 :UInt32; pid @1 :Int64; session @2 :Int64; }
struct TaskEnded { task @0 :UInt32; exitStatus @1 :Int32; usage @2 :Common.Usage; text @3 :Text; }   # text: why it did not start
struct JobJoined {
  job       @0 :Text;
  run       @1 :UInt32;
  jobSerial @2 :UInt64;
  primary   @3 :Text;            # the host whose MoM may tell us what to do with this job
  order     @4 :Data;            # the ToSister message as it came (sister.capnp)
}
struct Wish {
  # What the server asks of a run that goes on. Ids rise within a run; a repeat is recognised by its id.
  id @0 :UInt64;
  union {
    signal  @1 :Text;     # "USR1", "9"; an unknown one does nothing
    suspend @2 :Void;
    resume  @3 :Void;
    message @4 :Message;
  }
  struct Message { text @0 :Text; toErrors @1 :Bool; toOutput @2 :Bool; }
}
struct WishDone { id @0 :UInt64; }
