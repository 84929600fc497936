// A MoM's ports on its simulated host: programs, what is kept of jobs, what tasks write. They live as long as the MoM, the machine
// behind them outlives it.
#pragma once

#include <algorithm>
#include <csignal>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "actors/mom/mom_actor.hpp"
#include "test/sim/tasks.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

// A host's kernel and shepherds: programs go on while the MoM is dead, and start once per key.
class fake_host final : public ports::process_host {
 public:
  fake_host(world& w, host_machine& m, life alive, std::function<void(const values::program_key&, model::run_command)> tell)
      : world_(w), machine_(m), alive_(std::move(alive)), tell_(std::move(tell)) {}
  void listen(events) override {}
  std::function<void(const std::string& job, const std::string& cookie)> tasks_wanted;
  std::function<void(const values::run_key&)> appended, acted;

  void start(const ports::run_order& order) override {
    if (!*alive_) return;
    if (!machine_.programs.contains(order.key)) {
      if (!order.is_task && world_.chance(world_.o.tasks)) ask_for_tasks(order);
      ++machine_.executions[order.key];
      if (const auto* task = order.key.task()) machine_.outputs.insert(*task);
      keep_node_file(order);
      if (!order.is_task) world_.program_starts(order.key.run(), order.node_file_text);
      const auto begin = world_.clock.now + world_.pick_ns(1'000'000, 50'000'000);
      machine_.programs[order.key] = {world_.pick_ns(1000, 30000), begin, begin + run_ns(), static_cast<int>(world_.random() % 3)};
    }
    tell_state(order.key);
  }
  bool has_order(const values::program_key& key) const override { return machine_.programs.contains(key); }
  void adopt(const values::program_key& key) override { tell_state(key); }

  // A MoM that dies before a signal is on its way takes it along.
  void signal(const values::program_key& key, int number) override {
    in_turn([this, key, number] { send(key, number); });
  }
  void confirm(const values::run_key& key) override {
    in_turn([this, key] { acted(key); });
  }
  void confine(const values::run_key&, const ports::host_share&) override {}
  void append_stderr(const values::run_key&, const std::string&) override {}
  void append_stdout(const values::run_key&, const std::string&) override {}
  void append_output(const values::run_key& key, bool, const std::string& bytes) override {
    if (!*alive_) return;
    keep_lines(machine_, bytes);
    world_.at(world_.clock.now + world_.pick_ns(0, 20'000'000), alive_, [this, key] { appended(key); });
  }
  std::optional<ports::run_usage> usage(const values::program_key& key) override {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end() || at->second.ends <= world_.clock.now) return std::nullopt;
    return ports::run_usage{0, 0, 0, static_cast<std::uint64_t>((world_.clock.now - at->second.started) / 1'000'000'000), 1, 0};
  }
  void stage_in(const values::run_key& key, const ports::stage_in_order& order) override {
    if (!*alive_) return;
    machine_.staged.insert(key);
    const bool fails = world_.trouble(world_.o.failing_copies);
    const auto files = static_cast<unsigned>(order.files.size());
    const auto take_ns = world_.o.staging_s != 0 ? world_.o.staging_s * 1'000'000'000 : world_.pick_ns(0, 3'000'000'000);
    later(world_.clock.now + take_ns, key, model::files_staged{{!fails, fails ? "no such file" : "", fails ? 0 : files, files}});
  }
  void unstage(const values::run_key& key, const ports::stage_in_order&) override {
    if (*alive_) machine_.staged.erase(key);
  }
  void deliver(const values::run_key& key, const ports::delivery_order& order) override {
    if (!*alive_) return;
    machine_.staged.erase(key);
    const bool fails = world_.chance(world_.o.failing_copies);
    later(world_.clock.now + world_.pick_ns(0, 100'000'000), key,
          model::output_placed{{!fails, fails ? "no such host" : "", 0, static_cast<unsigned>(order.files.size())}});
  }
  void keep_jobdir(const values::run_key&) override {}
  void forget(const values::program_key& key) override {
    const auto at = machine_.programs.find(key);
    if (!*alive_ || at == machine_.programs.end()) return;
    if (at->second.ends > world_.clock.now) world_.found("the MoM forgets " + print(key) + ", which lives");
    machine_.programs.erase(at);
  }
  void forget_others(const std::set<values::run_key>& keys) override {
    std::erase_if(machine_.programs, [&](const auto& p) { return !keys.contains(p.first.run()); });
  }

 private:
  void in_turn(std::function<void()> work) {
    if (!*alive_) return;
    asked_until_ns_ = std::max(asked_until_ns_, world_.clock.now) + world_.pick_ns(0, 2'000'000);
    world_.at(asked_until_ns_, alive_, std::move(work));
  }
  void send(const values::program_key& key, int number) {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end() || at->second.ends <= world_.clock.now) return;
    // Before its start there is nobody to be stopped. Time goes on for a suspended program of the simulation.
    if (number == SIGSTOP || number == SIGCONT) {
      if (at->second.started <= world_.clock.now) at->second.stopped = number == SIGSTOP;
      return;
    }
    if (number == SIGTERM && world_.o.stubborn) return;
    at->second.ends = std::max(world_.clock.now, at->second.started + 1);  // as soon as it has begun
    at->second.exit = 256 + number;
    tell_state(key);
  }
  std::int64_t run_ns() { return world_.o.program_s != 0 ? world_.o.program_s * 1'000'000'000 : world_.pick_ns(0, 20'000'000'000); }
  // Tasks find what the program has, or, on another host, what is there of their job.
  void keep_node_file(const ports::run_order& order) {
    const auto place = machine_.places.find(order.key.run());
    if (!order.is_task) machine_.node_files[order.key] = order.node_file_text;
    else if (place != machine_.places.end()) machine_.node_files[order.key] = place->second;
  }
  // The program asks for tasks some time after it has begun.
  void ask_for_tasks(const ports::run_order& order) {
    std::string cookie;
    for (const auto& entry : order.environment)
      if (entry.starts_with("PBS_JOBCOOKIE=")) cookie = entry.substr(14);
    world_.at(world_.clock.now + world_.pick_ns(50'000'000, 5'000'000'000), alive_,
              [tell = tasks_wanted, job = order.job_id, cookie] { tell(job, cookie); });
  }
  void later(std::int64_t when, const values::program_key& key, model::run_command c) {
    world_.at(when, alive_, [tell = tell_, key, c] { tell(key, c); });
  }
  void tell_state(const values::program_key& key) {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end()) return later(world_.clock.now, key, model::program_failed{{-3, "never begun"}});
    const auto& p = at->second;
    later(p.started, key, model::program_began{{p.pid, p.pid, 1, "/home"}});
    // The end may be moved by a signal: looked up again when it is due.
    world_.at(p.ends, alive_, [this, key, ends = p.ends, alive = alive_] {
      const auto now = machine_.programs.find(key);
      if (!*alive || now == machine_.programs.end() || now->second.ends != ends) return;
      tell_(key, model::program_over{
                     {now->second.exit, {1, 100, 200, static_cast<std::uint64_t>((ends - now->second.started) / 1'000'000'000), 1, 10}}});
    });
  }

  world& world_;
  host_machine& machine_;
  life alive_;
  std::function<void(const values::program_key&, model::run_command)> tell_;
  std::int64_t asked_until_ns_ = 0;  // when the last signal that was asked for is on its way
};

// What a host's disk keeps of jobs whose program runs elsewhere.
class fake_places final : public ports::job_places {
 public:
  using tell_part = std::function<void(const values::run_key&, model::part_command)>;
  using tell_written = std::function<void(const values::run_key&, std::uint32_t)>;
  fake_places(world& w, host_machine& m, life alive, tell_part tell, tell_written written)
      : world_(w), machine_(m), alive_(std::move(alive)), tell_(std::move(tell)), written_(std::move(written)) {}
  void listen(events) override {}

  void set_up(const ports::job_place& place) override {
    if (!*alive_) return;
    machine_.places[place.key] = place.node_file_text;
    const bool refuses = world_.chance(world_.o.refused_places);
    later(place.key, model::set_up_done{refuses ? -10 : 0, refuses ? "no such user" : ""});
  }
  void update(const ports::job_place& place, std::uint32_t number) override {
    if (!*alive_) return;
    if (const auto at = machine_.places.find(place.key); at != machine_.places.end()) at->second = place.node_file_text;
    world_.at(world_.clock.now + world_.o.node_file_takes_s * 1'000'000'000, alive_,
              [written = written_, key = place.key, number] { written(key, number); });
  }
  void tear_down(const ports::job_place& place) override {
    if (!*alive_) return;
    machine_.places.erase(place.key);
    later(place.key, model::torn_down{});
  }

 private:
  void later(const values::run_key& key, model::part_command c) {
    const std::int64_t most = world_.o.start.hosts > 0 ? 3'000'000'000 : 100'000'000;
    world_.at(world_.clock.now + world_.pick_ns(0, most), alive_, [tell = tell_, key, c] { tell(key, c); });
  }
  world& world_;
  host_machine& machine_;
  life alive_;
  tell_part tell_;
  tell_written written_;
};

// What tasks write: the first half when they start, the rest until they end.
class fake_outputs final : public ports::task_outputs {
 public:
  fake_outputs(world& w, host_machine& m, life alive) : world_(w), machine_(m), alive_(std::move(alive)) {}
  void listen(std::function<void(const values::task_key&)> grown) override { grown_ = std::move(grown); }

  void follow(const values::task_key& key, const std::string&) override {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end()) return;
    for (const auto when : {world_.clock.now, at->second.ends}) world_.at(when, alive_, [this, key] { grown_(key); });
  }

  std::optional<std::string> read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t) override {
    const auto at = machine_.programs.find(key);
    if (!machine_.outputs.contains(key) || at == machine_.programs.end()) return "";
    auto lines = lines_of_task(key, errors);
    if (world_.clock.now < at->second.ends) lines.resize(lines.size() / 2);
    std::string text;
    for (const auto& line : lines) text += line + '\n';
    return offset < text.size() ? text.substr(offset, piece_bytes) : std::string();
  }
  void remove(const values::task_key& key) override { machine_.outputs.erase(key); }

 private:
  static constexpr std::size_t piece_bytes = 40;  // a line or two
  world& world_;
  host_machine& machine_;
  life alive_;
  std::function<void(const values::task_key&)> grown_;
};

}  // namespace annals::sim
