#include "actors/server/reactions/scheduler_table.hpp"

#include <algorithm>

#include "events/log/place.hpp"

namespace annals::reactions {

void scheduler_table::fold(const log::record& record) {
  const auto at = log::place_of(record);
  auto& scheduler = schedulers_[at.stream];
  model::apply(scheduler, at, record.event());
  if (!scheduler.exists) schedulers_.erase(at.stream);
}

const model::scheduler_state* scheduler_table::find(std::string_view name) const {
  const auto at = std::ranges::find(schedulers_, name, [](const auto& entry) -> const std::string& { return entry.second.name; });
  return at == schedulers_.end() ? nullptr : &at->second;
}

}  // namespace annals::reactions
