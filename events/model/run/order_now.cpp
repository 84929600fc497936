#include "events/model/run/order_now.hpp"

#include "events/model/vnodes/allocation_change.hpp"

namespace annals::model {

schema::sealed<schema::ToMom> order_now(const run_state& run, const std::vector<shown_value>& by_hooks) {
  if (!run.order || (run.changes.empty() && by_hooks.empty())) return {};
  const auto start = run.order.get().getStartRun();
  auto changes = run.changes;
  changes.insert(changes.end(), by_hooks.begin(), by_hooks.end());
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(start);
    write_changed(start.getAttributes(), changes, m.getStartRun());
  });
}

schema::sealed<schema::StartRun> order_with(schema::StartRun::Reader order, const std::vector<shown_value>& changes) {
  capnp::MallocMessageBuilder message;
  message.setRoot(order);
  write_changed(order.getAttributes(), changes, message.getRoot<schema::StartRun>());
  return schema::sealed<schema::StartRun>(schema::sealed_message::from_builder(message));
}

}  // namespace annals::model
