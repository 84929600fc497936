// The simulated scheduler.
#include "events/log/checksum.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

namespace {
// A scheduler that sends everything to the same cpus: only the ledger stands between it and the vnode.
actors::cycle_driver::message always_on_n1(const actors::cycle_driver::message& m) {
  return schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder b) {
    auto run = b.initRun();
    run.setJob(m.get().getRun().getJob());
    run.setCycle(m.get().getRun().getCycle());
    run.setExecVnode("(n1:ncpus=2)");
    run.setExecHost("n1/0*2");
    run.initHosts(1).set(0, "n1");
  });
}
}  // namespace

void scheduler_process::start() {
  alive_ = std::make_shared<bool>(true);
  actors::cycle_driver::outlets out;
  out.send = [server = server_, fool = world_.o.foolish_scheduler](const actors::cycle_driver::message& m) {
    if (*server) (*server)->send(fool && m.get().isRun() ? always_on_n1(m) : m);
  };
  out.log = [](std::uint32_t, std::string_view, std::string_view, std::string_view) {};
  out.clock = &world_.clock;
  driver_ = std::make_shared<actors::cycle_driver>(actors::scheduler_identity{"default", "server", "sim", 1}, out);
  const std::string policy = "by_queue: True prime\nby_queue: True non_prime\nresources: \"ncpus, mem, arch, host, vnode\"\n";
  driver_->set_policy(policy, log::content_hash(std::as_bytes(std::span(policy))));
}

void scheduler_process::crash() {
  *alive_ = false;
  world_.net.break_all_of(alive_);
  *server_ = nullptr;
  driver_.reset();
}

endpoint scheduler_process::end() const {
  endpoint e;
  e.seen_as = {wire::identity::kind::scheduler, "default", 0, 0, 0, ""};
  e.alive = alive_;
  e.opened = [driver = driver_, server = server_](const wire::connection_ptr& c) {
    *server = c;
    driver->connected();
  };
  e.received = [driver = driver_](const wire::connection_ptr&, schema::sealed_message m) {
    driver->received(m.root<schema::ToScheduler>());
  };
  e.closed = [server = server_](const wire::connection_ptr& c, const std::string&) { if (*server == c) *server = nullptr; };
  return e;
}

}  // namespace annals::sim
