@0xb5b1f6d1a8c3e01a;
# What can happen to a reservation: places that are kept for jobs of some users, once or again and again.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "../common.capnp";
using Shared = import "shared.capnp";

struct ReservationEvent {
  union {
    submitted       @0 :ReservationSubmitted;
    confirmed       @1 :ReservationConfirmed;    # also when it got other vnodes later
    refused         @2 :ReservationRefused;      # by one scheduler: of a submission, a change or another place
    denied          @3 :Shared.Reason;           # nobody had room for it; its end
    alterRequested  @4 :ReservationAlterRequested;   # what needs a scheduler: times, size
    alterDenied     @5 :Shared.Reason;           # it stays as it was
    changed         @6 :Shared.AttributesChanged;    # what needs no scheduler: name, users, mail; and what follows from a change
    occurrenceBegan @7 :ReservationOccurrence;   # its window opens: its jobs may run
    occurrenceEnded @8 :ReservationOccurrence;   # its window is over: its jobs go
    degraded        @9 :ReservationDegraded;     # vnodes that it needs are not to be had
    restored        @10 :Void;                   # they are there again
    deleteRequested @11 :Shared.Reason;          # pbs_rdel, or the reason why it goes by itself (delete_idle_time)
    ended           @12 :Void;                   # its jobs are gone, and its queue
    laterAsked      @13 :ReservationLater;       # places are asked for more of its later occurrences
    laterPlaced     @14 :ReservationConfirmed;   # they have places
  }
}

enum ReservationKind {
  advance     @0;
  standing    @1;
  asap        @2;   # pbs_rsub -Wqmove: for a queued job, as soon as there is room
  fromJob     @3;   # pbs_rsub --job: the vnodes of a running job
  maintenance @4;   # pbs_rsub --hosts: whole hosts, whatever runs there
}
struct ReservationSubmitted {
  id         @0 :Text;                      # R5, S5, M5: without the server's name; its queue has the same name
  kind       @1 :ReservationKind;
  attributes @2 :List(Common.Attribute);    # Reserve_Name, Reserve_Owner, Resource_List, Authorized_Users, ...; reserve_start and reserve_end of the first occurrence
  job        @3 :UInt64;                    # of asap and fromJob: serial of the job's stream
  hosts      @4 :List(Text);                # of maintenance
  occurrences @5 :List(OccurrenceWindow);   # the first ones, or all, in order; one unless standing
  answerByNs @6 :Int64;                     # -I of less than 0: it goes when it is not confirmed by then; 0: it may wait
  # The occurrences for which no place is asked yet: seconds from the start of the one before. The first of them follows the last of
  # `occurrences`, and each is as long as that one.
  laterGapsS @7 :List(UInt32);
}
struct ReservationLater {
  count   @0 :UInt32;                       # so many come to those that have places; the wanted ones are all that have none
  retryNs @1 :Int64;                        # when it is asked again if there is no place
}
struct OccurrenceWindow { index @0 :UInt32; startNs @1 :Int64; endNs @2 :Int64; }   # index: from 1
struct OccurrencePlace { index @0 :UInt32; startNs @1 :Int64; endNs @2 :Int64; execVnode @3 :Text; }
struct ReservationConfirmed {
  scheduler   @0 :Text;
  partition   @1 :Text;                     # empty: in none
  cycle       @2 :UInt64;
  ask         @3 :UInt64;                   # which question this answers: SchedReservation.ask
  occurrences @4 :List(OccurrencePlace);    # those that are to come, also the running one; the others are over
  conflicts   @5 :List(Text);               # of maintenance: ids of reservations that lose vnodes to it
}
struct ReservationRefused { scheduler @0 :Text; reason @1 :Text; cycle @2 :UInt64; ask @3 :UInt64; }
struct ReservationAlterRequested {
  changes     @0 :List(Common.Attribute);   # reserve_start, reserve_end, reserve_duration, Resource_List
  occurrences @1 :List(OccurrenceWindow);   # what the windows are then
  force       @2 :Bool;                     # -Wforce: without asking whether there is room
  answerByNs  @3 :Int64;                    # as of a submission
}
struct ReservationOccurrence { index @0 :UInt32; }
struct ReservationDegraded {
  vnodes  @0 :List(Text);
  retryNs @1 :Int64;                        # when another place is looked for; 0: never
  asks    @2 :Bool;                         # the time has come: the schedulers are asked now
  inConflict @3 :Bool;                      # maintenance takes some of them
}
