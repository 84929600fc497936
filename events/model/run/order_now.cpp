#include "events/model/run/order_now.hpp"

#include "events/model/vnodes/allocation_change.hpp"

namespace annals::model {

schema::sealed<schema::ToMom> order_now(const run_state& run) {
  if (!run.order || run.changes.empty()) return {};
  const auto start = run.order.get().getStartRun();
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(start);
    write_changed(start.getAttributes(), run.changes, m.getStartRun());
  });
}

}  // namespace annals::model
