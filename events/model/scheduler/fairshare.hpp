// How a scheduler counts the fairshare usage of its entities, and what pbsfs may change of it. Pure. The usage itself is a fold
// of the log (projections/fairshare). Governed by docs/design/0042-fairshare.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

// An entity's name: a user's or an account's. Longer is none, and one of them stands in each event of the kind.
constexpr std::size_t fairshare_name_chars_max = 1024;
// A usage is a number of seconds, kb or both multiplied; so many cannot come from a cluster, and sums of a million entities of this
// usage are still numbers.
constexpr double fairshare_usage_max = 1e30;
// What every entity has before it used anything, and never falls below: so no quotient of usages is 0 (pbs guide: fairshare).
constexpr double fairshare_usage_min = 1;

// From sched_config; the values here are PBS's defaults.
struct fairshare_policy {
  bool on = false;
  std::string entity = "euser";         // values::fairshare_entity
  std::string usage = "cput";           // values::usage_formula
  std::uint64_t decay_seconds = 86400;  // 0: it never decays by itself
  double decay_factor = 0.5;            // from 0 to 1: what is left of usage after a decay
  bool operator==(const fairshare_policy&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.on, self.entity, self.usage, self.decay_seconds, self.decay_factor);
  }
};
fairshare_policy read_fairshare_policy(schema::FairsharePolicy::Reader from);
void write_fairshare_policy(const fairshare_policy& from, schema::FairsharePolicy::Builder to);
// Whether usage can be counted so. What a scheduler says comes from another machine.
bool is_sound(const fairshare_policy& policy);

// pbsfs -e, when it is known whose usage is to be forgotten.
struct trim_fairshare {
  std::vector<std::string> gone;
};

// pbsfs -s and -d. Managers only (15007); 15004 for what is no usage.
outcome decide_fairshare(schema::Fairshare::Reader asked, const stamp& now);
outcome decide_trim(const trim_fairshare& asked, const stamp& now);
// Nothing when the scheduler said the same before.
outcome decide_fairshare_policy(const fairshare_policy& known, schema::FairsharePolicy::Reader said);

}  // namespace annals::model
