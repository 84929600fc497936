#include "events/schema/event.hpp"

#include <capnp/dynamic.h>

namespace annals::schema {

namespace {

template <class Union>
bool known_arm(typename Union::Reader value) {
  static const unsigned arms = capnp::Schema::from<Union>().getUnionFields().size();
  return static_cast<unsigned>(value.which()) < arms;
}

}  // namespace

std::optional<capnp::Text::Reader> name_given(Event::Reader event) {
  switch (event.which()) {
    case Event::JOB: return event.getJob().isQueued() ? std::optional(event.getJob().getQueued().getId()) : std::nullopt;
    case Event::QUEUE: return event.getQueue().isCreated() ? std::optional(event.getQueue().getCreated().getName()) : std::nullopt;
    case Event::HOST: return event.getHost().isAdded() ? std::optional(event.getHost().getAdded().getName()) : std::nullopt;
    case Event::SCHEDULER:
      return event.getScheduler().isCreated() ? std::optional(event.getScheduler().getCreated().getName()) : std::nullopt;
    case Event::HOOK: return event.getHook().isCreated() ? std::optional(event.getHook().getCreated().getName()) : std::nullopt;
    case Event::RESERVATION:
      return event.getReservation().isSubmitted() ? std::optional(event.getReservation().getSubmitted().getId()) : std::nullopt;
    case Event::SERVER:
    case Event::RUN:
    case Event::PART:
    case Event::LOG: return std::nullopt;
  }
  return std::nullopt;
}

std::string event_name(Event::Reader event) {
  const capnp::DynamicStruct::Reader whole(event);
  KJ_IF_MAYBE (kind, whole.which()) {
    const auto one = whole.get(*kind).as<capnp::DynamicStruct>();
    KJ_IF_MAYBE (name, one.which()) return name->getProto().getName().cStr();
    return "unknown event of a " + std::string(kind->getProto().getName().cStr());
  }
  return "unknown event " + std::to_string(static_cast<unsigned>(event.which()));
}

bool is_known(RunEvent::Reader event) { return known_arm<RunEvent>(event); }

bool is_known(Event::Reader event) {
  switch (event.which()) {
    case Event::SERVER: return known_arm<ServerEvent>(event.getServer());
    case Event::QUEUE: return known_arm<QueueEvent>(event.getQueue());
    case Event::HOST: return known_arm<HostEvent>(event.getHost());
    case Event::JOB: {
      const auto job = event.getJob();
      return known_arm<JobEvent>(job) && (!job.isRunStep() || is_known(job.getRunStep().getStep()));
    }
    case Event::SCHEDULER: return known_arm<SchedulerEvent>(event.getScheduler());
    case Event::RUN: return is_known(event.getRun());
    case Event::PART: return known_arm<PartEvent>(event.getPart());
    case Event::HOOK: return known_arm<HookEvent>(event.getHook());
    case Event::LOG: return known_arm<LogEvent>(event.getLog());
    case Event::RESERVATION: return known_arm<ReservationEvent>(event.getReservation());
  }
  return false;
}

}  // namespace annals::schema
