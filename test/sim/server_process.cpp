// The simulated server, and the bugs that may be planted in it.
#include <memory>
#include <optional>

#include "actors/server_system/server_folds.hpp"
#include "events/log/log_mark.hpp"
#include "test/sim/processes.hpp"
#include "test/sim/watched_store.hpp"

namespace annals::sim {

namespace {

// Planted bug: says that a batch is synced and keeps it back until the next one.
class disk_store final : public watched_store {
 public:
  using watched_store::watched_store;
  ports::store_status append(const ports::write_batch& batch) override {
    if (held_) {
      auto status = watched_store::append(*held_);
      if (!status) return status;
    }
    held_ = batch;
    return {};
  }
  std::uint64_t last_sequence() const override {
    return held_ && !held_->records.empty() ? held_->records.back().sequence : real_.last_sequence();
  }

 private:
  std::optional<ports::write_batch> held_;
};

// Planted bug: agrees to everything.
class blind_check final : public actors::append_check {
 public:
  std::optional<model::rejection> check(std::span<const log::record_ptr>) const override { return std::nullopt; }
  void apply(const log::record&) override {}
  ports::store_status rebuild(const log::log_reader&) override { return {}; }
};

// As a server's mark of its log. It hears when a start gives its checkpoint up.
actors::named_fold fold_of_mark(world& w) {
  const auto mark = std::make_shared<log::log_mark>();
  return {actors::mark_fold,
          [mark](const log::record& r) { log::advance(*mark, r); },
          {},
          [mark](stored::reader& from) { from(*mark); },
          [&w] { w.found("a start gave its checkpoint up"); }};
}

}  // namespace

server_process::server_process(world& w) : actor_process(w), store(w.random()), hooks_(w), uuid_(16, 'u'), checkpoints_(w.o.seed) {}

void server_process::start() {
  make_system();
  const auto alive = alive_;
  const auto appended = [this] {
    if (world_.o.crash_server_at_append != 0 && store.appends() == world_.o.crash_server_at_append) wants_crash = true;
  };
  if (world_.o.early_reply) disk_ = std::make_unique<disk_store>(store, alive, appended);
  else disk_ = std::make_unique<watched_store>(store, alive, appended);
  actors::server_system_parts parts;
  parts.store = disk_.get();
  parts.clock = &world_.clock_of(0);
  parts.self = {"sim", "server", "server", "UTC", uuid_};
  parts.pbs_home = home_of_server;
  parts.detached = false;
  parts.server_uid = 1000;  // the simulated client is the cluster's own user
  parts.resting_jobs_at_once = world_.o.at_rest;
  parts.sign_ticket = [this](schema::byte_span ticket) {
    world_.tickets.emplace_back(reinterpret_cast<const char*>(ticket.data()), ticket.size());
    return wire::signature{"the server's", ""};
  };
  parts.schedulers.processes = &schedulers_;
  parts.schedulers.certificate = [](const std::string& name) { return "certificate of " + name; };
  parts.disk_writable = [this] { return world_.disk_heals_at_ <= world_.clock.now; };
  parts.stop_process = [this, alive](const std::string&) { if (*alive) wants_crash = true; };
  parts.shut_down = [](const std::string&) {};
  hooks_.process_started(alive);
  if (world_.o.any_hooks()) parts.runner = hooks_.runner();
  if (world_.o.blind_ledger) parts.ledger = std::make_shared<blind_check>();
  parts.books = {fold_of_mark(world_)};
  parts.from = checkpoints_.draw(log::log_reader(*disk_), world_.o.checkpoints);
  if (parts.from) ++world_.starts_from_checkpoints_;
  try {
    server_ = std::make_unique<actors::server_system>(*system_, std::move(parts));
    roots_ = {server_->gateway(), server_->writer()};
  } catch (const log::log_damaged&) {
    wants_crash = true;  // its first write failed: tried again like any crash
  }
}

void server_process::crash() {
  if (!system_) return;
  drop_system();
  disk_.reset();
  store.crash();
}

endpoint server_process::end(wire::identity::kind) const {
  return end_at(server_->gateway(), {wire::identity::kind::server, "server", 0, 0, 0, ""});
}

}  // namespace annals::sim
