#include "test/sim/lone_mom.hpp"

#include <algorithm>

namespace annals::sim {

namespace {
options alone(options o) {
  o.moms = o.jobs = 0;
  return o;
}
}  // namespace

lone_mom::lone_mom(const std::string& name, options o) : around(alone(o)), mom(around, name) {
  mom.start();
  pass(1);
}

std::shared_ptr<played> lone_mom::connect(wire::identity who, endpoint end_of_mom) {
  auto p = std::make_shared<played>();
  endpoint its;
  its.seen_as = std::move(who);
  its.alive = p->alive_;
  its.received = [heard = std::weak_ptr(p)](const wire::connection_ptr&, schema::sealed_message m) {
    if (const auto to = heard.lock()) to->heard_.push_back(std::move(m));
  };
  p->link_ = around.net.connect(std::move(end_of_mom), std::move(its));
  pass(1);
  return p;
}

void lone_mom::pass(std::int64_t seconds) { pass_ms(seconds * 1000); }

void lone_mom::pass_ms(std::int64_t milliseconds) {
  const auto until = around.clock.now + milliseconds * (second / 1000);
  while (true) {
    while (around.fire_one() || around.net.deliver_one() || mom.step()) {
    }
    if (around.clock.now >= until) return;
    const auto next = std::min({around.net.next_due(), around.next_timer(), until, around.clock.now + second / 4});
    const auto by = std::max<std::int64_t>(next - around.clock.now, 1000);
    around.clock.now += by;
    mom.advance(by);
  }
}

void lone_mom::restart(std::int64_t after_s) {
  mom.crash();
  around.clock.now += after_s * 1'000'000'000;
  mom.start();
  pass(1);
}

}  // namespace annals::sim
