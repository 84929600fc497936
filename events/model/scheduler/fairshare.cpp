#include "events/model/scheduler/fairshare.hpp"

#include <algorithm>
#include <cmath>

#include "events/model/refuse.hpp"
#include "events/values/fairshare_entity.hpp"
#include "events/values/usage_formula.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

namespace {

// An event has room for so many of the longest names.
constexpr std::size_t names_per_event = 500;

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= fairshare_name_chars_max &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; });
}

bool is_usage(double usage) { return std::isfinite(usage) && usage >= 0 && usage <= fairshare_usage_max; }

}  // namespace

fairshare_policy read_fairshare_policy(schema::FairsharePolicy::Reader from) {
  return {from.getOn(), schema::str(from.getEntity()), schema::str(from.getUsage()), from.getDecaySeconds(), from.getDecayFactor()};
}

void write_fairshare_policy(const fairshare_policy& from, schema::FairsharePolicy::Builder to) {
  to.setOn(from.on);
  to.setEntity(from.entity);
  to.setUsage(from.usage);
  to.setDecaySeconds(from.decay_seconds);
  to.setDecayFactor(from.decay_factor);
}

bool is_sound(const fairshare_policy& policy) {
  return values::parse_fairshare_entity(policy.entity).has_value() && values::usage_formula::parse(policy.usage).has_value() &&
         policy.decay_factor >= 0 && policy.decay_factor <= 1;
}

outcome decide_fairshare(schema::Fairshare::Reader asked, const stamp& now) {
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  if (asked.isDecay()) return std::vector<event>{make_event([](auto e) { e.initScheduler().setFairshareDecayed(); })};
  if (!asked.isSet()) return refuse(pbs_error::invalid_request);
  const auto set = asked.getSet();
  if (!is_name(schema::text(set.getEntity())) || !is_usage(set.getUsage())) return refuse(pbs_error::invalid_request);
  return std::vector<event>{make_event([&](auto e) { e.initScheduler().setFairshareSet(set); })};
}

outcome decide_trim(const trim_fairshare& asked, const stamp& now) {
  if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
  std::vector<event> out;
  for (std::size_t first = 0; first < asked.gone.size(); first += names_per_event)
    out.push_back(make_event([&](auto e) {
      const auto count = std::min(names_per_event, asked.gone.size() - first);
      auto list = e.initScheduler().initFairshareTrimmed(static_cast<unsigned>(count));
      for (unsigned i = 0; i < count; ++i) list.set(i, asked.gone[first + i]);
    }));
  return out;
}

outcome decide_fairshare_policy(const fairshare_policy& known, schema::FairsharePolicy::Reader said) {
  const auto policy = read_fairshare_policy(said);
  if (policy == known) return no_change;
  if (!is_sound(policy)) return refuse(pbs_error::invalid_request);
  return std::vector<event>{make_event([&](auto e) { write_fairshare_policy(policy, e.initScheduler().initFairsharePolicy()); })};
}

}  // namespace annals::model
