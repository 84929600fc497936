// A session that was attached to a job (pbs_attach): it is not ours to reap, but it is looked after as a run's program is.
#pragma once

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/shepherd/journal_file.hpp"

namespace annals::shepherd {

// Until nothing of the session is left, which is told as an end with status 0: nobody can know the true one.
void guard(const mom::shepherd_order& order, journal_file& journal);

}  // namespace annals::shepherd
