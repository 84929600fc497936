#include "actors/scheduler/cycle/entity_shares.hpp"

#include "events/schema/message.hpp"
#include "events/values/number.hpp"

namespace annals::cycle {

using schema::text;

bool entity_shares::count_by(const fairshare_settings& settings) {
  const bool counted = matter(), same = count_the_same(sharing_, settings);
  sharing_ = settings;
  return counted != matter() || (counted && !same);
}

fairshare_standing& entity_shares::stand(const std::shared_ptr<const share_tree>& tree) {
  entities_.find_places(tree);
  standing_.begin(entities_, tree);
  return standing_;
}

bool entity_shares::knows_entities_after(schema::SchedulingDelta::Reader delta) const {
  if (matter() || (delta.getServer().size() == 0 && delta.getScheduler().size() == 0)) return true;
  return !settings_.formula_names_shares_after(delta);
}

void entity_shares::apply_usages(schema::SchedulingDelta::Reader delta) {
  if (delta.getUsagesChanged()) entities_.forget_usages();
  for (const auto u : delta.getUsages()) entities_.set_usage(text(u.getEntity()), u.getUsage());
}

void entity_shares::count_entity(job& j, schema::SchedJob::Reader row) {
  if (!matter()) return;
  j.entity = entities_.number_of(
      values::entity_of(sharing_.entity, {text(row.getEuser()), text(row.getEgroup()), text(row.getAccountName()), text(row.getQueue())}));
  j.expected_usage = sharing_.usage.value_with([&](std::string_view name) {
    for (const auto a : row.getResources())
      if (text(a.getResource()) == name) return values::number_of(text(a.getValue()));
    return 0.0;
  });
}

}  // namespace annals::cycle
