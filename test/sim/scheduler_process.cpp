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

// One that has no jobs of others in its view, and proposes them all the same: only the rules stand between it and them.
actors::cycle_driver::message of_anybody(world& w, int moms, std::uint64_t cycle) {
  const auto host = "n" + std::to_string(1 + w.random() % static_cast<unsigned>(moms));
  return schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder b) {
    auto run = b.initRun();
    run.setJob(1 + w.random() % 100);  // serials of streams
    run.setCycle(cycle);
    run.setExecVnode("(" + host + ":ncpus=1)");
    run.setExecHost(host + greedy_slot);
    run.initHosts(1).set(0, host);
  });
}
}  // namespace

ports::scheduler_start_result simulated_schedulers::start(const ports::scheduler_start& what) {
  using outcome = ports::scheduler_start_result::outcome;
  return {world_.start_scheduler(what.name) ? outcome::started : outcome::runs_already, {}};
}

void simulated_schedulers::stop(const std::string& name, const std::string&) { world_.end_scheduler(name); }

void scheduler_process::start() {
  alive_ = std::make_shared<bool>(true);
  if (world_.o.partitions) inbox_ = std::make_shared<decltype(inbox_)::element_type>();
  actors::cycle_driver::outlets out;
  const bool greedy = world_.o.greedy_scheduler && name_ == "s2";
  out.send = [&w = world_, server = server_, fool = world_.o.foolish_scheduler, greedy](const actors::cycle_driver::message& m) {
    if (!*server) return;
    if (greedy && m.get().isCycleEnded())
      for (int i = 0; i < 5; ++i) (*server)->send(of_anybody(w, w.o.moms, m.get().getCycleEnded().getNumber()));
    (*server)->send(fool && m.get().isRun() ? always_on_n1(m) : m);
    if (++w.scheduler_messages == w.o.crash_scheduler_at_message) w.end_scheduler("default");
  };
  out.log = [](std::uint32_t, std::string_view, std::string_view, std::string_view) {};
  out.clock = &world_.clock;
  driver_ = std::make_shared<actors::cycle_driver>(actors::scheduler_identity{name_, "server", "sim", 1}, out);
  const std::string policy = "by_queue: True prime\nby_queue: True non_prime\nresources: \"ncpus, mem, arch, host, vnode\"\n";
  driver_->set_policy(policy, log::content_hash(std::as_bytes(std::span(policy))));
}

void scheduler_process::crash() {
  *alive_ = false;
  world_.net.break_all_of(alive_);
  *server_ = nullptr;
  driver_.reset();
  inbox_.reset();
}

bool scheduler_process::step() {
  if (!inbox_ || inbox_->empty()) return false;
  const auto [from, message] = std::move(inbox_->front());
  inbox_->pop_front();
  if (from == *server_) hear(message);
  return true;
}

void scheduler_process::hear(const schema::sealed_message& m) {
  using next = actors::cycle_driver::next;
  const auto what = driver_->received(m.root<schema::ToScheduler>());
  if (what == next::stop || what == next::give_up) wants_crash = true;
}

endpoint scheduler_process::end() {
  endpoint e;
  e.seen_as = {wire::identity::kind::scheduler, name_, 0, 0, 0, ""};
  e.alive = alive_;
  e.opened = [driver = driver_, server = server_](const wire::connection_ptr& c) {
    *server = c;
    driver->connected();
  };
  e.received = [this, inbox = inbox_](const wire::connection_ptr& c, schema::sealed_message m) {
    if (inbox) inbox->emplace_back(c, std::move(m));
    else hear(m);
  };
  e.closed = [server = server_](const wire::connection_ptr& c, const std::string&) { if (*server == c) *server = nullptr; };
  return e;
}

}  // namespace annals::sim
