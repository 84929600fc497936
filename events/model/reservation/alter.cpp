// Changes of a reservation: names and users at once, times and size when a scheduler has room. Source: pbs guide, pbs_ralter.
#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/refuse.hpp"
#include "events/model/reservation/rules.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

outcome decide_alteration(const reservation_state& r, schema::AlterReservation::Reader, const stamp& now, const settings&) {
  if (!may_act(r, now.by)) return refuse(pbs_error::unauthorized);
  return refuse(pbs_error::no_support, "No support for requested service: pbs_ralter");
}

}  // namespace annals::model
