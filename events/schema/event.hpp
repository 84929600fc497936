// Reading an event by the kind of thing it happened to. An Event is one of ten unions (JobEvent, RunEvent, ...): each has its
// own apply and words, which switch over it without a default, so that the compiler names every place that must know a new
// event. A fold names the events that it looks at (docs/design/0030-events-by-kind.md).
#pragma once

#include <optional>
#include <string>

#include "events/schema/event.capnp.h"
#include "events/schema/message.hpp"

namespace annals::schema {

// What a stream is about: the arm of Event that its events stand in.
using StreamKind = Event::Which;

// Whether an event is this one: is(event, JobEvent::QUEUED).
inline bool is(Event::Reader e, ServerEvent::Which w) { return e.isServer() && e.getServer().which() == w; }
inline bool is(Event::Reader e, QueueEvent::Which w) { return e.isQueue() && e.getQueue().which() == w; }
inline bool is(Event::Reader e, HostEvent::Which w) { return e.isHost() && e.getHost().which() == w; }
inline bool is(Event::Reader e, JobEvent::Which w) { return e.isJob() && e.getJob().which() == w; }
inline bool is(Event::Reader e, SchedulerEvent::Which w) { return e.isScheduler() && e.getScheduler().which() == w; }
inline bool is(Event::Reader e, RunEvent::Which w) { return e.isRun() && e.getRun().which() == w; }
inline bool is(Event::Reader e, PartEvent::Which w) { return e.isPart() && e.getPart().which() == w; }
inline bool is(Event::Reader e, LogEvent::Which w) { return e.isLog() && e.getLog().which() == w; }
inline bool is(Event::Reader e, HookEvent::Which w) { return e.isHook() && e.getHook().which() == w; }
inline bool is(Event::Reader e, ReservationEvent::Which w) { return e.isReservation() && e.getReservation().which() == w; }

// The name that the first event of a stream gives what it is about: a job's or reservation's id, the name of a queue,
// host, scheduler or hook.
std::optional<capnp::Text::Reader> name_given(Event::Reader event);

// "queued": an event's name within its kind. "unknown" and a number: a newer program wrote it.
std::string event_name(Event::Reader event);
// Whether this program knows the event, and each one that stands within it.
bool is_known(Event::Reader event);
bool is_known(RunEvent::Reader event);

}  // namespace annals::schema
