@0xb5b1f6d1a8c3e015;
# What can happen to a run of a job, in the log of its primary's MoM (docs/design/0020-jobs-across-hosts.md).
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct RunEvent {
  union {
    received        @0 :RunReceived;
    programStarting @1 :Void;
    programStarted  @2 :ProgramStarted;
    refused         @3 :Shared.RunRefused;
    killRequested   @4 :KillRequested;
    programEnded    @5 :ProgramEnded;
    outputPlaced    @6 :Shared.OutputDelivered;
    left            @7 :Void;
    discarded       @8 :Void;   # a manager's forced delete: the server forgets the run at once
    # its hosts
    sistersAsked    @9 :SistersAsked;
    sisterJoined    @10 :SisterStep;
    sisterFailed    @11 :SisterStep;
    joinWaitEnded   @12 :Void;   # sister_join_job_alarm
    sisterLeft      @13 :SisterLeft;
    sistersUsed     @14 :Shared.UsageReported;
    # its tasks
    taskAsked       @15 :TaskAsked;
    taskSettled     @16 :TaskSettled;
    # what the server asks of it
    requestReceived    @17 :RunRequest;
    requestDone        @18 :RequestDone;
    filesStagedIn   @19 :FilesStagedIn;   # files that come before the program
    hookRan         @20 :Shared.HookRan;
    # how long things take: a restart of the MoM goes on waiting from these times
    killSent        @21 :KillSent;      # its processes were signalled: hooks had nothing against it
    killDelayEnded  @22 :Void;          # they were still there: SIGKILL
    sisterAway      @23 :SisterAway;    # no link to its MoM
    sisterBack      @24 :SisterAway;
    ticketLapsed    @25 :Void;          # before every host was asked: the server is asked for a fresh one
    ticketRenewed   @26 :Common.SignedTicket;
    # between the last host's joining and the program's start
    prologueAsked   @27 :Void;          # nobody is asked to join any more: every host runs execjob_prologue
    sisterReady     @28 :SisterReady;   # its hooks there have let the job pass
    launchWaitEnded @29 :Void;          # job_launch_delay
    allocationReduced @30 :AllocationReduced;   # it goes on with less
    hookUsed        @31 :Shared.HookUsed;   # on the primary
    termDelayEnded  @32 :Void;          # resend_term_delay: they were still there, SIGTERM once more
  }
}

struct RunStep {
  # An event of a run as its primary tells the server, which keeps it in the job's stream.
  run  @0 :UInt32;
  atNs @1 :Int64;      # when it stood in the primary's log
  step @2 :RunEvent;
}

struct RunReceived {
  job          @0 :Text;       # "12.borg"
  run          @1 :UInt32;
  jobSerial    @2 :UInt64;     # the job's stream in the server's log
  order        @3 :Data;       # the StartRun message as it came (daemon/shared.capnp)
}
struct ProgramStarted { pid @0 :Int64; session @1 :Int64; startTicks @2 :UInt64; jobdir @3 :Text; }
struct FilesStagedIn {
  ok     @0 :Bool;
  text   @1 :Text;             # about those that could not be copied
  staged @2 :UInt32;
  asked  @3 :UInt32;
}
struct KillRequested { signal @0 :Text; killDelay @1 :UInt32; why @2 :Text; exitStatus @3 :Int32; overridesExit @4 :Bool;
                       id @5 :UInt64;     # id of the server's request; 0 for the MoM's own (a limit)
                       resendTerm @6 :UInt32; }   # seconds until SIGTERM is sent again; 0: it is not
struct KillSent { id @0 :UInt64; signal @1 :Text; }        # of the KillRequested that it answers
struct ProgramEnded { exitStatus @0 :Int32; usage @1 :Common.Usage; reported @2 :Bool; }

# -- hosts of a run --------------------------------------------------------------------------------------------------

struct SistersAsked { hosts @0 :List(Text); }
struct SisterStep {
  host @0 :Text;
  code @1 :Int32;
  text @2 :Text;
  what @3 :StartStep;            # what of the start has failed, if the program has not started
  enum StartStep { joinJob @0; execPrologue @1; }
}
struct SisterReady { host @0 :Text; }
struct SisterLeft {
  host      @0 :Text;
  usage     @1 :Common.Usage;    # of all its tasks; the last known ones of a host that is abandoned
  abandoned @2 :Bool;            # nobody knows whether the job is gone from there: the host did not answer
  measuredNs @3 :Int64;          # when, nanoseconds since 1970 by that host's clock
}

struct SisterAway {
  host    @0 :Text;
  sinceNs @1 :Int64;             # by the primary's clock, nanoseconds since 1970: when it went, or came back
  silent  @2 :Bool;              # it is still away, and its tasks are given up: the job goes on without an answer of it
}

struct AllocationReduced {
  # What is left is said as the rule chose it: of equal parts in several chunks what goes does not tell which.
  released   @0 :Text;           # exec_vnode of what goes
  execVnode  @1 :Text;           # of what is left
  execHost   @2 :Text;
  satisfies  @3 :List(UInt32);   # of each chunk that is left: its chunk of keepSelect, 0xffffffff for none
  keepSelect @4 :Text;           # what it is to have; where vnodes were named: what is left
  changes    @5 :List(Common.Attribute);  # what the job shows from then on of schedselect and Resource_List
  by         @6 :Text;           # event of the hook that asked for it, "execjob_launch"; or "rjselect", or "pbs_release_nodes"
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
struct RunRequest {
  # What the server asks of a run that goes on. Ids rise within a run; a repeat is recognised by its id.
  id @0 :UInt64;
  union {
    signal  @1 :Text;     # "USR1", "9"; an unknown one does nothing
    suspend @2 :Void;
    resume  @3 :Void;
    message @4 :Message;
    release @5 :AllocationReduced;   # the run goes on with less
    checkpoint @6 :Void;  # $action checkpoint_abort: it is to go on from there later
    altered @7 :List(Common.Attribute);   # qalter: limits and output paths from now on
  }
  struct Message { text @0 :Text; toErrors @1 :Bool; toOutput @2 :Bool; }
}
struct RequestDone { id @0 :UInt64; checkpointed @1 :Bool; }   # checkpointed: its script has succeeded, the run ends
