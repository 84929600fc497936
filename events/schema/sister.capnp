@0xb5b1f6d1a8c3e006;
# What the MoM of a run's first host (the primary) says to the MoMs of its other hosts (the sisters) and hears from them.
# The primary dials, the sister listens; both show certificates. Each request may be repeated: after a new connection the
# primary asks again for everything that was not answered, and a sister tells again what was not taken.
# docs/design/0020-jobs-across-hosts.md is its contract.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "common.capnp";
using D = import "daemon/shared.capnp";

struct Ticket {
  # The server's word that a run may use a host. Signed as bytes, so that there is one encoding of it.
  serverName @0 :Text;
  ref        @1 :D.RunRef;
  user       @2 :Text;          # who the tasks are
  group      @3 :Text;          # empty: the user's own
  hosts      @4 :List(Text);    # the primary first
  notAfterNs @5 :Int64;         # by the wall clock of the host that is asked to join
  execVnode  @6 :Text;          # what the run may use on each host
}

struct ToSister {
  union {
    join       @0 :JoinJob;      # answered by joined, refused or left
    leave      @1 :LeaveJob;     # answered by left, also by a host that knows nothing of the run
    signal     @2 :SignalPart;   # to every task of the run on that host
    spawn      @3 :SpawnTask;    # answered by taskState
    signalTask @4 :SignalTask;   # answered by taskSignalled
    taskTaken  @5 :TaskRef;      # the task's end is in the primary's log
    answer     @6 :Answer;       # to an `ask` of that sister
    output     @7 :TaskOutput;   # for who asked on that sister for the task and its output
    outputTaken @8 :OutputTaken; # the next piece may come
    describe   @9 :Describe;     # answered by described
    stillThere @10 :D.RunRef;    # over a new link, of a host that has joined: answered by joined, refused or left; begins nothing
    prologue   @11 :D.RunRef;    # every host that is to have the job has joined: answered by prologueOver
    update     @12 :UpdateJob;   # the run goes on with less: answered by updated
    present    @13 :Presence;    # before the program, of a host that has joined: answered by present at once, or by left
    usageNow   @14 :D.UsageNow;  # answered by usage at once, or by left
  }
}
struct JoinJob {
  ticket @0 :Common.SignedTicket;
  order  @1 :D.StartRun;         # the server's order without script, sisters and ticket
  node   @2 :UInt32;             # number of the host in the run: 1 for the first sister
  usageIntervalSeconds @3 :UInt32;
}
struct UpdateJob {
  # To a host that the run goes on with. What it has since it joined is told in one, however often it was made smaller.
  order    @0 :D.StartRun;       # as in JoinJob, without execVnode and execHost; of the attributes those that are others since then
  number   @1 :UInt32;           # how often it was made smaller
  gone     @2 :List(UInt32);     # parts of the execVnode in JoinJob, counted through all chunks from 0, rising
}
struct Updated { ref @0 :D.RunRef; number @1 :UInt32; }
struct Presence { ref @0 :D.RunRef; question @1 :UInt32; }
struct LeaveJob { ref @0 :D.RunRef; why @1 :Text; }
struct SignalPart {
  ref    @0 :D.RunRef;
  id     @1 :UInt64;             # of a request to kill: a repeated one is not signalled again; 0: always
  signal @2 :Int32;
  what   @3 :What;               # suspend and resume: hooks of the host hear of it (execjob_postsuspend, execjob_preresume)
  enum What { signal @0; suspend @1; resume @2; }
}
struct TaskRef { ref @0 :D.RunRef; task @1 :UInt32; }
struct SpawnTask {
  # Once for each number: a sister that has the task tells its state again.
  task        @0 :TaskRef;
  argv        @1 :List(Text);
  environment @2 :List(Text);    # NAME=value; wins over the job's own
  node        @3 :UInt32;        # PBS_NODENUM
}
struct SignalTask { task @0 :TaskRef; signal @1 :Int32; question @2 :UInt64; }
struct TaskOutput {
  # A piece of what a task wrote. The next piece of a stream is sent when this one was taken; this one again until then.
  task     @0 :TaskRef;
  errors   @1 :Bool;             # standard error
  offset   @2 :UInt64;           # of the first byte in the stream
  bytes    @3 :Data;
  question @4 :UInt64;           # to an asker: its spawn's
}
struct OutputTaken { task @0 :TaskRef; errors @1 :Bool; upTo @2 :UInt64; }
struct Describe { ref @0 :D.RunRef; question @1 :UInt64; }
struct Described { ref @0 :D.RunRef; question @1 :UInt64; system @2 :Text; }   # "Linux n1 6.1 #1 x86_64"

struct FromSister {
  union {
    joined        @0 :D.RunRef;
    refused       @1 :JoinRefused;
    left          @2 :PartLeft;
    taskState     @3 :TaskState;
    taskSignalled @4 :TaskSignalled;
    usage         @5 :PartUsage;
    ask           @6 :Ask;
    output        @7 :TaskOutput;
    outputTaken   @8 :OutputTaken;   # by an asker on this host
    described     @9 :Described;
    prologueOver  @10 :PrologueOver;
    updated       @11 :Updated;
    present       @12 :Presence;
  }
}
struct JoinRefused { ref @0 :D.RunRef; code @1 :Int32; text @2 :Text; }
struct PrologueOver {
  # Hooks of execjob_prologue on that host have run, or there are none.
  ref  @0 :D.RunRef;
  code @1 :Int32;                # 0: they let the job pass (pbs guide: error numbers)
  text @2 :Text;
}
struct PartLeft { ref @0 :D.RunRef; usage @1 :Common.HostUsage; hasUsage @2 :Bool; }
struct TaskState {
  task       @0 :TaskRef;
  phase      @1 :Phase;
  pid        @2 :Int64;
  exitStatus @3 :Int32;
  text       @4 :Text;           # why it did not start
  usage      @5 :Common.Usage;   # of an ended one
  enum Phase { running @0; ended @1; notStarted @2; }
}
struct TaskSignalled { task @0 :TaskRef; question @1 :UInt64; found @2 :Bool; }
struct PartUsage { ref @0 :D.RunRef; usage @1 :Common.HostUsage; question @2 :UInt64; }   # of the usageNow that it answers; 0: nobody has asked
struct Ask {
  # A task on a sister wants something of the job: the primary does it and answers with the same question.
  ref      @0 :D.RunRef;
  question @1 :UInt64;
  union {
    spawn  @2 :AskSpawn;
    signal @3 :AskSignal;
    tasks  @4 :Void;             # all tasks of the run
    watch  @5 :UInt32;           # a task number: answered when it is over
    publish   @6 :Publish;
    subscribe @7 :Subscribe;     # answered when there is such a value
    describe  @8 :Text;          # a host of the run
    forget    @9 :Void;          # who asked is gone: nothing more is sent to this question
  }
}
struct AskSpawn { host @0 :Text; node @1 :UInt32; argv @2 :List(Text); environment @3 :List(Text); output @4 :Bool; }
struct Publish { task @0 :UInt32; name @1 :Text; value @2 :Data; }
struct Subscribe { task @0 :UInt32; name @1 :Text; }
struct AskSignal { task @0 :UInt32; signal @1 :Int32; }
struct Answer {
  ref      @0 :D.RunRef;
  question @1 :UInt64;
  union {
    spawned @2 :UInt32;          # the task's number
    failed  @3 :Text;
    done    @4 :Void;
    tasks   @5 :List(TaskOfRun);
    over    @6 :Int32;           # its exit status
    bytes   @7 :Data;            # what was published, or the host's description
  }
}
struct TaskOfRun { task @0 :UInt32; host @1 :Text; node @2 :UInt32; over @3 :Bool; exitStatus @4 :Int32; }
