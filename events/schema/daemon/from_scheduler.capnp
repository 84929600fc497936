@0xb5b1f6d1a8c3e01e;
# A scheduler speaks to the server: it proposes runs and tells what its cycles found.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using SchedulerEvents = import "../event/scheduler.capnp";
using ReservationEvents = import "../event/reservation.capnp";

struct FromScheduler {
  union {
    hello    @0 :SchedHello;
    run      @1 :ProposeRun;
    reasons  @2 :SchedulerEvents.CycleReasons;
    cycleEnded @3 :SchedulerEvents.CycleEnded;
    fullView @4 :Void;              # a delta was missed
    cycleBegan @5 :SchedulerEvents.CycleBegan;
    policy   @6 :Data;              # the text of the policy files the next cycles use
    cannotRun @7 :CannotRun;        # answers a RunOneJob; else it is answered with run
    directories @8 :SchedDirectories;   # after the hello, and after each change of sched_priv or sched_log
    fairshare @9 :SchedulerEvents.FairsharePolicy;   # after the hello or the first view, and whenever it is otherwise
    reservation @10 :SchedReservationAnswer;      # to a SchedReservation with an ask
  }
}

struct SchedHello { name @0 :Text; host @1 :Text; version @2 :Text; pid @3 :UInt32; port @4 :UInt16; }
struct SchedDirectories {
  # Which directories it uses now; of one that it was told to use and can't, why not (MS-50 to MS-52).
  priv        @0 :Text;
  logs        @1 :Text;
  privTrouble @2 :PrivTrouble;
  logTrouble  @3 :Bool;
  enum PrivTrouble { none @0; unreachable @1; notValid @2; }
}
struct ProposeRun { job @0 :UInt64; execVnode @1 :Text; execHost @2 :Text; hosts @3 :List(Text); cycle @4 :UInt64;
                    request @5 :UInt64;       # of the RunOneJob it answers; 0: none
                    walltimeSeconds @6 :UInt64;     # shrink-to-fit: the walltime the job gets; 0: its own
                    victims @7 :List(PreemptVictim);        # jobs that must make room first; the run is tried when they have
                    index @8 :UInt32; ofArray @9 :Bool; }   # the job is an array: this subjob of it
struct PreemptVictim {
  job @0 :UInt64;
  how @1 :How;
  enum How { suspend @0; requeue @1; delete @2; checkpoint @3; }   # as preempt_order has it
}
struct SchedReservationAnswer {
  reservation @0 :UInt64;                   # serial
  ask         @1 :UInt64;
  cycle       @2 :UInt64;
  union {
    confirmed @3 :List(ReservationEvents.OccurrencePlace);   # one for each that was wanted
    refused   @4 :Text;                     # why there is no room
  }
  conflicts   @5 :List(Text);               # of maintenance: ids of reservations that lose vnodes to it
}
struct CannotRun { job @0 :UInt64; request @1 :UInt64; reason @2 :Text; }
