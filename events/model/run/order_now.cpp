#include "events/model/run/order_now.hpp"

#include <algorithm>

namespace annals::model {

schema::sealed<schema::ToMom> order_now(const run_state& run) {
  if (!run.order || run.changes.empty()) return {};
  const auto start = run.order.get().getStartRun();
  std::vector<shown_value> shown;
  for (auto a : start.getAttributes()) {
    const auto is_changed = [&](const shown_value& v) {
      return v.name == schema::text(a.getName()) && v.resource == schema::text(a.getResource());
    };
    if (std::ranges::none_of(run.changes, is_changed)) shown.push_back(read_change(a));
  }
  std::ranges::copy_if(run.changes, std::back_inserter(shown), [](const shown_value& v) { return v.value.has_value(); });
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(start);
    write_changes(shown, m.getStartRun().initAttributes(static_cast<unsigned>(shown.size())));
  });
}

}  // namespace annals::model
