#include "actors/gateway/objects/wanted_changes.hpp"

#include <algorithm>

namespace annals::actors {

std::vector<asked_of> requests_of(const std::string& subject, const hooks::chain_result& result) {
  std::vector<asked_of> asked;
  for (const auto& c : result.changes) {
    const bool of_job = c.parameter == "job";
    if (!of_job && c.parameter != "vnode_list") continue;
    const auto object = of_job ? subject : schema::str(c.object);
    auto at = std::find_if(asked.begin(), asked.end(),
                           [&](const asked_of& w) { return w.object == object && w.of_job == of_job && w.run == c.run; });
    if (at == asked.end()) at = asked.insert(asked.end(), {object, of_job, c.run, {}});
    at->changes.push_back(c);
  }
  return asked;
}

bool changes_nothing(const hooks::hook_change& c) { return c.before == c.after; }

wanted_changes changes_of_job(const hooks::chain_result& result) {
  wanted_changes changes;
  for (const auto& c : result.changes)
    if (c.parameter == "job" && !changes_nothing(c)) changes.push_back(c);
  return changes;
}

hooks::hook_change comment_of(const std::string& text) {
  hooks::hook_change says;
  says.attribute = "comment";
  says.has_value = true;
  says.after = text;
  return says;
}

}  // namespace annals::actors
