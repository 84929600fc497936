// The clock of this host as a value: when it is put forward and back, asked of the C library once (TZ, /etc/localtime).
#pragma once

#include "actors/scheduler/cycle/time_zone.hpp"

namespace annals::daemons {

// From the beginning of last year on, for twelve years: so the same clock is the same text for a year, and a policy that is read again
// is not another one. `now`: seconds since 1970.
cycle::time_zone local_clock(cycle::moment now);

}  // namespace annals::daemons
