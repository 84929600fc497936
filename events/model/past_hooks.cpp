#include "events/model/past_hooks.hpp"

#include <algorithm>

namespace annals::model {

bool past_hooks::has(std::string_view event) const {
  return std::any_of(runs.begin(), runs.end(), [&](const auto& r) { return schema::text(r.get().getEvent()) == event; });
}

std::vector<event> hook_events(const std::vector<schema::sealed<schema::HookRun>>& runs, const std::string& job) {
  std::vector<event> out;
  for (const auto& r : runs)
    out.push_back(make_event([&](auto e) {
      auto h = e.initHookRan();
      h.setRun(r.get());
      h.setSubject(job);
    }));
  return out;
}

}  // namespace annals::model
