// The first start of a scheduler by hand. Its server would make what it needs; on the server's host, who may read the key of the cluster
// needs nobody's help.
#pragma once

#include <string>

#include "tools/daemons/sched_places.hpp"

namespace annals::daemons {

// Makes the sched_priv of its name below PBS_HOME, if there is none. One that an object or an option names is not made.
void make_missing_priv(const sched_places& where);
// Makes its certificate, if it has none. Call it with a good sched_priv, and its lock held.
void make_missing_certificate(const sched_places& where);

}  // namespace annals::daemons
