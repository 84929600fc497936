@0xb5b1f6d1a8c3e005;
# What the index of the past keeps (projections/status/past.hpp): where to begin when a question goes back in time. A cache: a
# change of PastCheckpoint needs a new number in past.cpp and nothing else. EndedJob is read by the program that wrote it alone
# (docs/design/0064-finished-jobs.md).

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct PastCheckpoint {
  # The log as it stood at a sequence: enough to fold the state of that moment from few records.
  streams @0 :List(PastStream);
  vnodes  @1 :List(PastVnode);
}
struct PastStream {
  # A stream that is still of interest, and the records that made what it is.
  serial @0 :UInt64;
  number @1 :UInt64;             # of a job: 12
  kind   @2 :UInt16;             # the arm of Event that its events stand in
  back   @3 :List(UInt32);       # sequences, rising: how far each lies before the checkpoint's
}
struct PastVnode {
  name     @0 :Text;
  lastUsed @1 :Int64;
  assigned @2 :List(PastAmount);
  jobs     @3 :List(PastVnodeJob);
  maintenance @4 :List(Text);    # ids of jobs
  stateChanged @5 :Int64;        # seconds
}
struct PastVnodeJob {
  job       @0 :UInt64;
  id        @1 :Text;
  slots     @2 :List(UInt32);
  held      @3 :List(PastAmount);
  exclusive @4 :Bool;
}
struct PastAmount { resource @0 :Text; value @1 :Float64; isSize @2 :Bool; }

struct EndedJob {
  # A job of the history (projections/status/job_history.hpp): what is still asked of it.
  version    @0 :UInt64;         # of its stream
  number     @1 :UInt64;
  id         @2 :Text;
  attributes @3 :Data;
  queueRank  @4 :Int64;
  run        @5 :UInt32;
  exitStatus @6 :Int32;
  hasExitStatus   @7 :Bool;
  deleteRequested @8 :Bool;
  purgeHistory    @9 :Bool;
  deletedBy  @10 :Text;          # user@host
  array      @11 :EndedArray;    # null: it is none
  dependents @12 :Text;          # other jobs that waited for it, as in depend
  explained  @13 :Text;          # why the server has ended it before it ran; empty: it did not
}
struct EndedArray {
  first     @0 :UInt32;
  last      @1 :UInt32;
  step      @2 :UInt32;
  remaining @3 :Text;            # indices of subjobs that never ran
  began     @4 :Text;
}
