@0xb5b1f6d1a8c3e002;
# Every event of the server's log and of a MoM's log. The only declaration of what can have happened.
# Rules for growing it: docs/design/0002-event-log.md. An event is a fact; its name is object + past tense.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");
using Common = import "common.capnp";
using Server = import "event/server.capnp";
using Queue = import "event/queue.capnp";
using Host = import "event/host.capnp";
using Job = import "event/job.capnp";
using Scheduler = import "event/scheduler.capnp";
using Run = import "event/run.capnp";
using Part = import "event/part.capnp";
using Hook = import "event/hook.capnp";
using Reservation = import "event/reservation.capnp";
using Log = import "event/log.capnp";

struct Record {
  # What the log keeps of one event. CRC32C and chain hash stand beside it (events/log/record.hpp).
  sequence      @0 :UInt64;   # global, from 1, without gaps other than those a LogLossAccepted explains
  stream        @1 :UInt64;   # serial of the stream, never reused
  streamVersion @2 :UInt64;   # from 1 within the stream
  formatVersion @3 :UInt16;
  writerEpoch   @4 :UInt64;   # counts the starts of the writer
  wallNs        @5 :Int64;    # nanoseconds since 1970; decreases at a ClockSteppedBack only
  rawNs         @6 :Int64;    # what the clock really said
  who           @7 :Common.Who;
  commandId     @8 :Data;     # 16 bytes, empty for what nobody asked for
  cause         @9 :UInt64;   # sequence of the event that led to this one, 0 for none
  event         @10 :Event;
  hooks         @11 :List(Common.HookRun);   # that ran before the event and allowed or changed it, in their order
  steppedAt     @12 :UInt64;  # sequence of the last ClockSteppedBack before this record, 0 for none
}

struct Event {
  # What happened, by the kind of thing it happened to: a stream holds events of one kind.
  union {
    server    @0 :Server.ServerEvent;
    queue     @1 :Queue.QueueEvent;
    host      @2 :Host.HostEvent;
    job       @3 :Job.JobEvent;
    scheduler @4 :Scheduler.SchedulerEvent;
    run       @5 :Run.RunEvent;      # this and `part` stand in MoM logs only
    part      @6 :Part.PartEvent;
    hook      @7 :Hook.HookEvent;
    log       @8 :Log.LogEvent;
    reservation @9 :Reservation.ReservationEvent;
  }
}
