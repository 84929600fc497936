// Which mails an event of a reservation causes. Source: pbs guide, "mail" (pbs_rsub -m and -M).
#pragma once

#include <functional>
#include <string>

#include "events/model/reservation/reservation.hpp"
#include "projections/mail/job_mail.hpp"

namespace annals::projections {

// The reservation as the event left it; `before`: as it was.
struct reservation_moment {
  const model::reservation_state& reservation;
  model::reservation_phase before;
  bool sought_other_place;  // before the event: it lost vnodes, and the schedulers were asked for others
  const model::event_place& at;
  schema::ReservationEvent::Reader event;
};
void mails_of(const reservation_moment& moment, const job_mail_taker& take);

}  // namespace annals::projections
