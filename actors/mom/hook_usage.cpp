#include "actors/mom/hook_usage.hpp"

#include "events/model/limits.hpp"

namespace annals::actors {

std::shared_ptr<const attributes::resource_catalogue> mom_parts::resources() const {
  static const auto builtin = std::make_shared<const attributes::resource_catalogue>();
  const auto known = hooks ? hooks->resources.load() : nullptr;
  return known ? known : builtin;
}

std::vector<model::usage_change> usage_to_keep(const mom_parts& parts, const std::string& job, const model::usage_set& set_so_far,
                                               std::vector<model::usage_change> wanted) {
  auto changes = model::changes_to_keep(set_so_far, std::move(wanted), *parts.resources());
  for (const auto& resource : changes.refused)
    parts.note(log_event::error, job,
               "what a hook has set of resources_used." + resource +
                   " is not kept: it is no value of that resource, or words of more than " + std::to_string(limits::hook_words_bytes_max) +
                   " bytes");
  return std::move(changes.kept);
}

}  // namespace annals::actors
