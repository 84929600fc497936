@0xb5b1f6d1a8c3e019;
# What was done to the log itself: a salvage (docs/design/0029-a-damaged-log.md), or a loss that was accepted, whose stream's serial
# is the first above those that were lost (docs/design/0028-lost-logs.md). And that its clock went back (docs/design/0061-clocks.md).
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct LogEvent {
  union {
    recordLost   @0 :RecordLost;       # stands where a record was that could not be kept
    salvaged     @1 :LogSalvaged;      # the last word of a salvage
    lossAccepted @2 :LogLossAccepted;   # its end was lost, or all of it
    clockSteppedBack @3 :ClockSteppedBack;
    blobLost     @4 :BlobLost;         # a salvage could not keep it; written behind all records, before salvaged
  }
}

struct RecordLost {
  stream @0 :UInt64;           # whose record it was; 0: nobody knows
  why    @1 :Text;
}
struct BlobLost {
  hash   @0 :Data;
  record @1 :UInt64;           # the first one that names it
}
struct LogSalvaged {
  lost          @0 :UInt64;    # records that RecordLost stands for
  lastSequence  @1 :UInt64;    # the last one that the damaged log is known to have had
  nextJobNumber @2 :UInt64;    # lower ones may have been given by records that are lost
  cutStreams    @3 :UInt64;    # streams that were kept up to a hole, or not at all
  account       @4 :Text;      # file that names all of it
}

struct LogLossAccepted {
  # Part of the log is gone, and whoever stands in the record said to go on without it. Sequences, serials of streams and
  # job numbers go on above all that the lost part can have given.
  lastSequence @0 :UInt64;         # the log that was found ends here, 0: it was empty; the record before this one
  lastStream   @1 :UInt64;         # the highest serial of a stream in what was found
  nextNumber   @2 :UInt64;         # of jobs from here on, at least
  witnesses    @3 :List(LossWitness);
}
struct LossWitness {
  name         @0 :Text;           # "server_priv/log.mark", "host n1", ...
  logUuid      @1 :Data;           # of the log it knows; empty: it doesn't know which
  sequence     @2 :UInt64;         # the last one it knows
}

struct ClockSteppedBack {
  # The clock is behind the time of the record before. From this record on, times are the clock's again.
  fromNs       @0 :Int64;          # time of the record before
  toNs         @1 :Int64;          # of this one
  furthestNs   @2 :Int64;          # the latest time that a record before this one has
}
