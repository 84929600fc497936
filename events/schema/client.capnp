@0xb5b1f6d1a8c3e003;
# What clients (commands, libpbs) and the gateway say to each other: one Request, one or more Replies with its id.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "common.capnp";
using SchedulerEvents = import "event/scheduler.capnp";

struct Request {
  id        @0 :UInt64;    # chosen by the client, unique on its connection; the replies carry it
  commandId @1 :Data;      # 16 random bytes for what changes state: a repeat is answered with the first answer
  sentAtNs  @2 :Int64;     # wall clock of the client when it first made the request; command ids older than 24 h are refused
  union {
    # commands
    queueJob    @3 :QueueJob;
    alterJob    @4 :JobAttributes;
    holdJob     @5 :JobHolds;
    releaseJob  @6 :JobHolds;
    deleteJob   @7 :DeleteJob;
    rerunJob    @8 :RerunJob;
    runJob      @9 :RunJob;
    manage      @10 :Manage;
    shutdown    @11 :Shutdown;
    putBlob     @12 :PutBlob;
    # queries
    stat        @13 :Stat;
    selectJobs  @14 :SelectJobs;
    waitJob     @15 :WaitJob;
    hello       @16 :Hello;
    signalJob   @17 :SignalJob;
    moveJob     @18 :MoveJob;
    messageJob  @19 :MessageJob;
    orderJobs   @20 :OrderJobs;
    exportHook  @21 :ExportHook;
    releaseNodes @22 :ReleaseNodes;
    fairshare   @23 :Fairshare;
    submitReservation @24 :SubmitReservation;
    deleteReservation @25 :DeleteReservation;
    alterReservation  @26 :AlterReservation;
    # terminals of interactive jobs (docs/design/0059-interactive-jobs.md)
    attachTerminal    @27 :AttachTerminal;
    offerTerminal     @28 :OfferTerminal;
    terminal          @29 :TerminalWord;
  }
}

# The user's end of an interactive job's terminal: qsub. Answered with one terminal for each word that the other end has for it.
struct AttachTerminal { job @0 :Text; }
# The job's end: the program that owns the terminal on the job's host, which asks as a command of the job. Answered likewise.
struct OfferTerminal {}

struct TerminalWord {
  # What both ends say to each other, through the server, which looks at lengths and positions only. Positions count bytes since the
  # session's beginning, so that what comes twice after a connection was lost is known.
  union {
    # from the server
    joined  @0 :Void;            # the other end is there, and has heard nothing of what was said before on this connection
    left    @1 :TerminalLeft;    # the other end's connection is gone
    # from the user's end
    begin   @2 :TerminalBegin;   # its first word after joined
    input   @3 :TerminalBytes;
    resize  @4 :TerminalSize;
    hangUp  @5 :Void;            # the user wants no more
    # from the job's end
    ready   @6 :TerminalReady;   # its first word, answer to begin
    output  @7 :TerminalBytes;
    ended   @8 :Void;            # nobody has the terminal open any more; no output follows
    # from both
    taken   @9 :UInt64;          # so many bytes of the other's stream have been taken
    display @10 :DisplayWord;
    displayTaken @11 :UInt64;    # so many of the other's display words
  }
}
struct TerminalReady { input @0 :UInt64; display @1 :UInt64; }   # it has so much input, and so many display words
# The X connections of a job that forwards X. Words have positions as bytes have; a channel is one connection, which the job's end opens.
struct DisplayWord {
  at      @0 :UInt64;
  channel @1 :UInt32;
  union {
    opened @2 :Void;
    bytes  @3 :Data;
    taken  @4 :UInt32;           # so many more of its bytes have been written to the socket
    closed @5 :Void;             # its socket is closed; no bytes follow
  }
}
struct TerminalBytes { at @0 :UInt64; bytes @1 :Data; }   # the first of these bytes has this position
struct TerminalSize { rows @0 :UInt16; columns @1 :UInt16; }
struct TerminalBegin {
  term    @0 :Text;              # TERM
  size    @1 :TerminalSize;
  keys    @2 :Data;              # control characters of the user's terminal: intr, quit, erase, kill, eof, susp
  taken   @3 :UInt64;            # so much output has come already
  cookie  @4 :Data;              # what X programs of the job are to show; empty: X is not forwarded
  displayTaken @5 :UInt64;       # so many display words have come already
}
struct TerminalLeft { forGood @0 :Bool; }   # it will not come back: the process has ended

struct CommandOfJob {
  # What a command in a job says first to the MoM of its host, which then hands Requests and Replies on between it and the server
  # (docs/design/0038-commands-of-jobs.md). The kernel says who asks.
  job    @0 :Text;      # PBS_JOBID
  cookie @1 :Text;      # PBS_JOBCOOKIE: drawn for this run
}
struct Hello { version @0 :Text; }   # answered with done: text = server name, for connection checks

struct QueueJob {
  queue       @0 :Text;                       # empty: the default queue
  attributes  @1 :List(Common.Attribute);     # as qsub read them from options and directives; names as in qstat -f
  script      @2 :Data;                       # whole, when it is at most limits::inline_blob_bytes_max
  scriptRef   @3 :Common.BlobRef;             # else uploaded before with putBlob, on the same connection
  hasScript   @4 :Bool;                       # a script of 0 bytes is a script
  submitHost  @5 :Text;
  defaults    @6 :Text;                       # default_qsub_arguments as the client has put them in; null: it did not look
}
struct JobAttributes { job @0 :Text; changes @1 :List(Common.Attribute); }
struct JobHolds { job @0 :Text; holds @1 :List(Common.HoldType); }
struct DeleteJob { job @0 :Text; force @1 :Bool; purgeHistory @2 :Bool; noMail @3 :Bool; }
struct RerunJob { job @0 :Text; force @1 :Bool; }
struct RunJob {
  job @0 :Text;
  execVnode @1 :Text;                  # qrun -H: "(n1:ncpus=1)+(n2)" or "n1+n2"; empty: the scheduler finds the place
  scheduler @2 :Text;
}
struct SignalJob { job @0 :Text; signal @1 :Text; }   # "TERM", "9", "suspend", "resume", "admin-suspend", "admin-resume"
struct MoveJob { job @0 :Text; destination @1 :Text; }   # a queue, perhaps with "@server"
struct MessageJob { job @0 :Text; text @1 :Text; toErrors @2 :Bool; toOutput @3 :Bool; }
struct ReleaseNodes {
  # pbs_release_nodes: a running job goes on without some of its vnodes, never without those of its first host.
  job @0 :Text;
  union {
    all        @1 :Void;
    named      @2 :List(Text);   # vnodes of the job, or hosts of it
    keepSelect @3 :Text;         # "2:ncpus=1": what it is to have
    keepHosts  @4 :UInt32;       # so many other hosts stay
  }
  inJob @5 :Bool;                # asked by a program of the job: it runs, also if the server has not heard of that yet
}
struct OrderJobs { first @0 :Text; second @1 :Text; }    # they change places

enum ManageVerb { create @0; delete @1; set @2; unset @3; import @4; }
struct Manage {
  verb    @0 :ManageVerb;
  kind    @1 :Common.ObjectKind;
  name    @2 :Text;
  changes @3 :List(Common.Attribute);
  allOfKind @4 :Bool;                # "@default": every object of the kind
  contentType @5 :Text;              # of import: "application/x-python" or "application/x-config"
  content   @6 :Data;                # of import: the script or configuration itself
  pbsHook   @7 :Bool;                # the hook was named as a pbshook
  reservation @8 :UInt64;            # of a queue that the server itself makes: for which reservation
  contentFile @9 :Text;              # of import: the file that the content was in; empty or "-": none, or it is not known
}
struct Fairshare {
  # pbsfs: the fairshare usage of one scheduler.
  scheduler @0 :Text;
  union {
    show  @1 :Void;                          # answered with fairshare
    why   @2 :Text;                          # of this entity: which jobs made its usage; answered with fairshare
    set   @3 :SchedulerEvents.FairshareUsage;
    decay @4 :Void;
    trim  @5 :List(Text);                    # the entities that stay
  }
}
struct SubmitReservation {
  # pbs_rsub. Answered with reservation: at once, or with `interactive` when it is confirmed or denied, or its time is over.
  attributes @0 :List(Common.Attribute);   # names as in pbs_rstat -f: Resource_List, reserve_start (seconds since 1970), reserve_end,
                                           # reserve_duration, Authorized_Users, interactive, reserve_rrule, reserve_timezone, qmove,
                                           # reserve_job, delete_idle_time, ...
  hosts      @1 :List(Text);               # --hosts: a maintenance reservation of these
  submitHost @2 :Text;
}
struct DeleteReservation { reservation @0 :Text; }
struct AlterReservation {
  # pbs_ralter. Answered as SubmitReservation.
  reservation @0 :Text;
  changes     @1 :List(Common.Attribute);  # as the attributes of SubmitReservation; only what changes
  force       @2 :Bool;                    # -Wforce
}
struct ReservationAnswer {
  reservation @0 :Text;                    # its id
  state       @1 :State;
  enum State { unconfirmed @0; confirmed @1; denied @2; alterRequested @3; }
}
struct ExportHook { name @0 :Text; contentType @1 :Text; pbsHook @2 :Bool; }   # answered with done: the content in base64
struct Shutdown { how @0 :Text; schedulers @1 :Bool; moms @2 :Bool; }    # "quick", "immediate", "delay"; who ends too: qterm -s, -m
# The first piece has offset 0; the answer to the last one says that the whole is on disk.
struct PutBlob { hash @0 :Data; offset @1 :UInt64; data @2 :Data; last @3 :Bool; }

struct Stat {
  kind     @0 :Common.ObjectKind;
  names    @1 :List(Text);           # ids or names; empty: all
  wanted   @2 :List(UInt16);         # attribute ids (events/attributes); empty: all that the requester may see
  history  @3 :History;
  at       @4 :At;
  queue    @5 :Text;                 # jobs of this queue only
  users    @6 :List(Text);           # jobs of these users only
  states   @7 :Text;                 # jobs in these state letters only; empty: any
  subjobs  @9 :Bool;                 # behind each array its subjobs too
  why      @8 :Bool;                 # of jobs that are named: also why they wait (Object.why), and of ended ones their end
  sinceS   @10 :Int64;               # of finished jobs, none named, those that ended at or after this second since 1970; 0: all
  newest   @11 :UInt64;              # of finished jobs, none named, so many of those that fit, with the highest numbers; 0: all
}
enum History { live @0; also @1; only @2; }
struct At { union { now @0 :Void; wallNs @1 :Int64; sequence @2 :UInt64; } }

struct SelectJobs {
  criteria @0 :List(Criterion);
  history  @1 :History;
  subjobs  @2 :Bool;                 # subjobs in place of their arrays
}
struct Criterion { name @0 :Text; resource @1 :Text; op @2 :CompareOp; value @3 :Text; }
enum CompareOp { eq @0; ne @1; ge @2; gt @3; le @4; lt @5; }

struct WaitJob { job @0 :Text; }     # answered with jobEnded when the job has ended

struct Reply {
  id       @0 :UInt64;
  sequence @1 :UInt64;               # of the log when this was true
  union {
    done     @2 :Text;               # the command took effect and is on disk; text: a new job's id, else empty
    rejected @3 :Rejection;
    objects  @4 :Objects;            # a piece of the answer to a stat; `last` ends it
    jobs     @5 :List(Text);         # a piece of the answer to selectJobs; the last one is without `more`
    jobEnded @6 :WaitedJob;
    fairshare @7 :FairshareAnswer;
    reservation @8 :ReservationAnswer;
    terminal @9 :TerminalWord;       # one of many answers to attachTerminal or offerTerminal
  }
  more     @10 :Bool;                # of jobs: another piece follows
}
struct Rejection {
  code @0 :UInt32;                   # PBS error number, 15001...
  text @1 :Text;                     # as PBS says it (docs/design/0006-error-texts.md); object ids are added by the command
  uploadAgain @2 :Bool;              # what was uploaded is not here (any more): upload it anew, then ask with the same command id
  defaults @3 :Text;                 # not null: default_qsub_arguments are these; put them in, then ask with the same command id
}
struct Objects {
  objects @0 :List(Object);
  last    @1 :Bool;
  unknown @2 :List(Rejected);        # names that are no object, or may not be seen, in the order asked
}
struct Rejected { name @0 :Text; rejection @1 :Rejection; }
struct Object {
  name       @0 :Text;
  attributes @1 :Data;               # a packed attribute list (events/attributes/attribute_set.hpp), in table order
  why        @2 :JobWhy;             # of a job that waits, when it was asked for and a scheduler has said why
}
struct JobWhy {
  # What the last cycle that had something new to say of the job said.
  comment   @0 :Text;                # "Not Running: ..."
  data      @1 :SchedulerEvents.Why;
  behind    @2 :Text;                # id of the job or reservation that it waits behind; empty: none
  sinceNs   @3 :Int64;               # since when it waits for this reason
  saidNs    @4 :Int64;               # when it was said last
  cycle     @5 :UInt64;              # in which cycle; 0: not known
  scheduler @6 :Text;                # of which scheduler
  # Whether somebody places the job at all.
  placing   @7 :Placing;
  partition @8 :Text;                # of its queue, if nobody does; empty: none
  placer    @9 :Text;                # the scheduler that does, or would if it were there and on

  enum Placing {
    placed  @0;
    nobody  @1;                      # no scheduler has the partition
    off     @2;                      # scheduling of it is off
    down    @3;                      # it is not connected
  }
}
struct FairshareAnswer {
  policy @0 :SchedulerEvents.FairsharePolicy;
  usages @1 :List(SchedulerEvents.FairshareUsage);
  jobs   @2 :List(FairshareJob);             # of why, the oldest first
  lastDecayNs @3 :Int64;                     # 0: never
}
struct FairshareJob {
  job    @0 :Text;
  used   @1 :Float64;                        # what the job added
  counts @2 :Float64;                        # what is left of it after decays
  lastNs @3 :Int64;                          # when it last added something
}
struct WaitedJob { exitStatus @0 :Int32; hasExitStatus @1 :Bool; text @2 :Text; }
