@0xb5b1f6d1a8c3e013;
# What can happen to a scheduler object, and what its cycles found.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct SchedulerEvent {
  union {
    created      @0 :Shared.Named;
    changed      @1 :Shared.AttributesChanged;
    deleted      @2 :Shared.Named;
    started      @3 :SchedulerStarted;
    stopped      @4 :Shared.Reason;
    cycleBegan   @5 :CycleBegan;
    cycleReasons @6 :CycleReasons;
    cycleEnded   @7 :CycleEnded;
    fairsharePolicy  @8 :FairsharePolicy;     # how its fairshare usage is counted from here on
    fairshareSet     @9 :FairshareUsage;      # pbsfs -s: the entity has this usage from here on
    fairshareDecayed @10 :Void;               # pbsfs -d: all usage is multiplied with the decay factor
    fairshareTrimmed @11 :List(Text);         # pbsfs -e: the entities whose usage is forgotten
    startFailed      @12 :Shared.Reason;      # the server wanted it started, and no process came of it
    proposalRefused  @13 :ProposalRefused;    # a job that it wanted to run, and the job's rules or the ledger did not let it
  }
}

struct SchedulerStarted { host @0 :Text; version @1 :Text; pid @2 :UInt32; port @3 :UInt16; }
struct FairsharePolicy {
  # From sched_config: fairshare_entity, fairshare_usage_res, fairshare_decay_time, fairshare_decay_factor.
  on           @0 :Bool;            # usage is counted: fair_share or a job_sort_key asks for it at any time of the day, or the formula
  entity       @1 :Text;            # euser, egroup, Account_Name, queue, "egroup:euser"
  usage        @2 :Text;            # a resource or a formula of resources: "cput", "ncpus*walltime"
  decaySeconds @3 :UInt64;          # 0: it never decays by itself
  decayFactor  @4 :Float64;
}
struct FairshareUsage { entity @0 :Text; usage @1 :Float64; }
struct CycleBegan {
  # Of a cycle that asks programs there are two: as it begins, and with what they told.
  number       @0 :UInt64;
  viewSequence @1 :UInt64;
  trigger      @2 :Text;
  policy       @3 :Common.BlobRef;
  wallNs       @4 :Int64;                   # the time that the cycle decides for
  dynamic      @5 :List(Common.Attribute);  # what server_dyn_res scripts said: name resources_available
  # Jobs that the cycle before wanted to run, and could not: this cycle follows to give others their room. It does not consider them, nor
  # those that the cycles it follows were without. None: all jobs are considered again.
  without      @6 :List(UInt64);
}
struct CycleReasons {
  # Only reasons that changed, in pieces of at most limits::cycle_reasons_bytes_max.
  texts @0 :List(Text);             # each distinct comment once, whole ("Not Running: ...")
  jobs  @1 :List(JobReason);
  whys  @2 :List(Why);              # beside texts: the same as data
  blockers  @3 :List(Text);         # ids of jobs and reservations
  estimates @4 :List(JobEstimate);  # of top jobs, when they changed
  cycle @5 :UInt64;                 # which cycle says so; 0: written before this was told
}
struct JobReason {
  job    @0 :UInt64;                # serial of the stream
  text   @1 :UInt32;                # index into texts
  behind @2 :UInt32;                # index into blockers, from 1: what the job waits behind; 0: nothing
}
struct Why {
  # What keeps a job from running. Fields that say nothing of its kind are empty.
  kind     @0 :Kind;
  resource @1 :Text;                # of resources and limits: which
  asked    @2 :Text;                # what the job wants of it
  free     @3 :Text;                # what is left of it
  total    @4 :Text;                # what there is of it
  vnodes   @5 :List(Text);          # where it was looked for and is too little; the first few
  limit    @6 :Text;                # the attribute, with its entity: "max_run [u:PBS_GENERIC=2]"
  owner    @7 :Text;                # whose limit or pool: "server", "queue workq"
  count    @8 :Text;                # of a limit: how much of it is in use
  enum Kind {
    other       @0;
    resources   @1;   # of vnodes: too little of one, or no place for all
    pool        @2;   # resources_available of server or queue, server_dyn_res
    limit       @3;   # max_run and its family
    queue       @4;   # not started, no execution queue
    primeTime   @5;   # prime time, non-prime time, a boundary between them
    dedicated   @6;   # dedicated time
    order       @7;   # strict_ordering
    booked      @8;   # a top job or a confirmed reservation needs the place
    formula     @9;   # job_sort_formula_threshold
    shares      @10;  # fairshare
    preemption  @11;  # it may preempt, and can't
  }
}
struct JobEstimate {
  job       @0 :UInt64;             # serial of the stream
  startNs   @1 :Int64;              # estimated.start_time; 0: there is none any more
  execVnode @2 :Text;               # estimated.exec_vnode
  former    @3 :Bool;               # it is no top job any more, and keeps what it shows otherwise
}
struct ProposalRefused {
  job       @0 :UInt64;             # serial of the stream
  cycle     @1 :UInt64;             # 0: asked for by name (qrun)
  reason    @2 :Text;
  execVnode @3 :Text;               # where it was to run
}
struct CycleEnded {
  number     @0 :UInt64;
  considered @1 :UInt32;
  started    @2 :UInt32;
  elapsedUs  @3 :UInt64;
  leftQuestions @4 :Bool;           # about reservations: the next cycle answers them
}
