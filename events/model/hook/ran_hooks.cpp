#include "events/model/hook/ran_hooks.hpp"

#include <algorithm>

namespace annals::model {

bool ran_hooks::has(std::string_view event) const {
  return std::any_of(runs.begin(), runs.end(), [&](const auto& r) { return schema::text(r.get().getEvent()) == event; });
}

}  // namespace annals::model
