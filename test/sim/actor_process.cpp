// A simulated process of actors: its life, and the one message at a time that it handles.
#include <caf/send.hpp>

#include <algorithm>

#include "test/sim/processes.hpp"

// A simulated kill -9 leaves behind what was on its way between the actors, as a real one does: that is no leak of the
// program. Addresses and undefined behaviour are checked all the same.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace annals::sim {

using actors::peer_closed;
using actors::peer_frame;
using actors::peer_opened;

void actor_process::make_system() {
  config_ = std::make_unique<caf::actor_system_config>();
  config_->set("scheduler.policy", caf::atom("testing"));
  system_ = std::make_unique<caf::actor_system>(*config_);
  system_->await_actors_before_shutdown(false);
  alive_ = std::make_shared<bool>(true);
}

// What is left in mailboxes runs out without effect, since a dead process's ports lead nowhere; timers are dropped.
void actor_process::drop_system() {
  *alive_ = false;
  world_.net.break_all_of(alive_);
  for (auto& a : roots_) caf::anon_send_exit(a, caf::exit_reason::kill);
  roots_.clear();
  scheduler().clock().cancel_all();
  while (scheduler().has_job()) {
    scheduler().run_once();
    scheduler().clock().cancel_all();
  }
  world_.drop_timers_of(alive_);  // they may hold actors
  release_handles();
  system_.reset();
  config_.reset();
}

caf::scheduler::test_coordinator& actor_process::scheduler() {
  return dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
}

bool actor_process::step() {
  if (!system_ || !scheduler().has_job()) return false;
  auto& jobs = scheduler().jobs;
  std::rotate(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(world_.random() % jobs.size()), jobs.end());
  scheduler().run_once();
  return true;
}

void actor_process::advance(std::int64_t ns) {
  if (system_) scheduler().advance_time(caf::timespan(ns));
}

endpoint actor_process::end_at(const caf::actor& a, wire::identity seen_as) const {
  endpoint e;
  e.seen_as = std::move(seen_as);
  e.alive = alive_;
  e.opened = [a](const wire::connection_ptr& c) { caf::anon_send(a, peer_opened{c}); };
  e.received = [a](const wire::connection_ptr& c, schema::sealed_message m) { caf::anon_send(a, peer_frame{c, std::move(m)}); };
  e.closed = [a](const wire::connection_ptr& c, const std::string& why) { caf::anon_send(a, peer_closed{c, why}); };
  return e;
}

}  // namespace annals::sim
