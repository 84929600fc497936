// The simulated server, scheduler and MoM: the real parts over the world's ports.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <optional>

#include "actors/mom/mom_actor.hpp"
#include "actors/scheduler/cycle_driver.hpp"
#include "actors/server_system/server_system.hpp"
#include "test/sim/kept_checkpoints.hpp"
#include "test/sim/world.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::sim {

// An actor system on the testing scheduler; one message of one drawn actor at a time.
class actor_process : public process {
 public:
  explicit actor_process(world& w) : world_(w) {}
  bool step() override;
  void advance(std::int64_t ns) override;
  bool up() const override { return system_ != nullptr; }
  const life& alive() const override { return alive_; }

 protected:
  void make_system();
  void drop_system();
  caf::scheduler::test_coordinator& scheduler();
  virtual void release_handles() = 0;  // of actors: before their system goes
  endpoint end_at(const caf::actor& a, wire::identity seen_as) const;

  world& world_;
  life alive_ = std::make_shared<bool>(false);
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  std::vector<caf::actor> roots_;  // that hold all others; killed with the process
};

// The simulated scheduler's process, as the server starts and ends it. Nobody else does.
class simulated_schedulers final : public ports::scheduler_processes {
 public:
  explicit simulated_schedulers(world& w) : world_(w) {}
  ports::scheduler_start_result start(const ports::scheduler_start& what) override;
  void stop(const std::string& name, const std::string& priv) override;

 private:
  world& world_;
};

class server_process final : public actor_process {
 public:
  explicit server_process(world& w);
  void start() override;
  void crash() override;
  endpoint end(wire::identity::kind what) const;
  log::fault_store store;
  const actors::server_system* parts() const { return server_.get(); }

 private:
  void release_handles() override { server_.reset(); }
  std::unique_ptr<ports::event_store> disk_;  // the store as this life of the process sees it
  std::unique_ptr<actors::server_system> server_;
  drawn_hooks hooks_;
  simulated_schedulers schedulers_{world_};
  std::string uuid_;
  kept_checkpoints checkpoints_;  // on its disk
};

class scheduler_process final : public process {
 public:
  scheduler_process(world& w, std::string name) : world_(w), name_(std::move(name)) {}
  void start() override;
  void crash() override;
  bool step() override;  // what came while it could have stood still
  void advance(std::int64_t) override {}
  bool up() const override { return driver_ != nullptr; }
  endpoint end();
  const std::string& name() const { return name_; }
  const life& alive() const override { return alive_; }

 private:
  void hear(const schema::sealed_message& m);

  world& world_;
  life alive_ = std::make_shared<bool>(false);
  std::string name_;
  std::shared_ptr<actors::cycle_driver> driver_;
  std::shared_ptr<std::deque<std::pair<wire::connection_ptr, schema::sealed_message>>> inbox_;
  std::shared_ptr<wire::connection_ptr> server_ = std::make_shared<wire::connection_ptr>();
};

class fake_host;
class fake_places;
class fake_outputs;

class mom_process final : public actor_process {
 public:
  mom_process(world& w, std::string name);
  ~mom_process() override;
  void start() override;
  void crash() override;
  void power_off(bool disk_too);  // its programs are gone; and, if disk_too, all it knew
  std::size_t actors() const { return system_ ? system_->registry().running() : 0; }
  static constexpr std::size_t idle_actors = 4;  // MoM, log writer, user of tasks, who works on files
  endpoint end() const;
  endpoint sister_end(const std::string& of) const;  // of the link that it opens to another MoM
  const std::string& name() const { return name_; }
  const host_machine& machine() const { return machine_; }
  caf::actor_system& system() { return *system_; }
  const caf::actor& handle() const { return mom_; }
  bool has_runs() const;                  // that have not left, by its log
  std::optional<log::fault_store> store;  // its disk

 private:
  void release_handles() override { mom_ = nullptr; }
  std::string name_, uuid_;
  host_machine machine_;
  std::unique_ptr<ports::event_store> disk_;  // the store as this life of the process sees it
  std::unique_ptr<log::event_log> log_;
  std::unique_ptr<log::log_reader> reader_;
  std::unique_ptr<fake_host> host_;
  std::unique_ptr<fake_places> places_;
  std::unique_ptr<fake_outputs> outputs_;
  caf::actor mom_;
  drawn_hooks hooks_;
  std::optional<test::temporary_directory> hook_directory_;  // what the host's disk keeps of hooks; nothing: it runs none
};

}  // namespace annals::sim
