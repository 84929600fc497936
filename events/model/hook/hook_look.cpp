#include "events/model/hook/hook_look.hpp"

#include "events/schema/message.hpp"
#include "events/values/job_id.hpp"

namespace annals::model {

namespace {

using kind = look::kind;

std::optional<look> look_at_reservation(schema::ReservationEvent::Reader event) {
  using which = schema::ReservationEvent::Which;
  switch (event.which()) {
    case which::CONFIRMED: return look{"resv_confirm", kind::reservation};
    case which::OCCURRENCE_BEGAN: return look{"resv_begin", kind::reservation};
    case which::OCCURRENCE_ENDED: return look{"resv_end", kind::reservation};
    case which::DELETE_REQUESTED: return look{"resv_end", kind::reservation, {}, true};
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<look> look_at(schema::Event::Reader event) {
  if (schema::is(event, schema::JobEvent::QUEUED)) {
    if (values::is_subjob(event.getJob().getQueued().getNumber())) return std::nullopt;  // its array was submitted
    return look{"postqueuejob", kind::job};
  }
  if (schema::is(event, schema::JobEvent::EXITED)) return look{"jobobit", kind::job};
  if (schema::is(event, schema::HostEvent::CAME_UP) || schema::is(event, schema::HostEvent::WENT_DOWN))
    return look{"modifyvnode", kind::vnodes};
  if (schema::is(event, schema::HostEvent::VNODE_CHANGED))
    return look{"modifyvnode", kind::vnodes, schema::str(event.getHost().getVnodeChanged().getVnode())};
  return event.isReservation() ? look_at_reservation(event.getReservation()) : std::nullopt;
}

}  // namespace annals::model
