#include "test/sim/processes.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "actors/server/aggregates.hpp"
#include "events/log/checksum.hpp"

// A simulated kill -9 leaves behind what was on its way between the actors, as a real one does: that is no leak of the
// program. Addresses and undefined behaviour are checked all the same.
extern "C" int __lsan_is_turned_off() { return 1; }

namespace annals::sim {

using actors::peer_closed;
using actors::peer_frame;
using actors::peer_opened;

// -- actor systems -----------------------------------------------------------------------------------------------------------

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
  world_.drop_timers_of(alive_);            // they may hold actors
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

// -- server ------------------------------------------------------------------------------------------------------------------

namespace {

// A store as the process sees it: nothing is written once the process is dead, and a crash may be asked for at an append.
class watched_store : public ports::event_store {
 public:
  watched_store(log::fault_store& real, life alive, std::function<void()> appended)
      : real_(real), alive_(std::move(alive)), appended_(std::move(appended)) {}
  ports::store_status append(const ports::write_batch& batch) override {
    if (!*alive_) return {ports::store_error::sync_failed, "the process is dead"};
    auto status = real_.append(batch);
    if (status) appended_();
    return status;
  }
  std::uint64_t last_sequence() const override { return real_.last_sequence(); }
  std::uint64_t last_version(std::uint64_t s) const override { return real_.last_version(s); }
  std::uint64_t last_stream() const override { return real_.last_stream(); }
  ports::store_status read(std::uint64_t from, const visitor& v) const override { return real_.read(from, v); }
  ports::store_status read_stream(std::uint64_t s, std::uint64_t v0, const visitor& v) const override { return real_.read_stream(s, v0, v); }
  ports::store_status read_index(const index_visitor& v) const override { return real_.read_index(v); }
  std::optional<std::vector<std::byte>> read_blob(std::string_view h, ports::store_status* why) const override { return real_.read_blob(h, why); }
  ports::store_status put_blob_piece(std::string_view h, std::uint32_t n, ports::byte_span b) override { return real_.put_blob_piece(h, n, b); }
  ports::store_status finish_blob(std::string_view h, std::uint32_t p) override { return real_.finish_blob(h, p); }
  std::optional<std::string> read_memo(std::string_view k) const override { return real_.read_memo(k); }
  ports::store_status drop_memos_below(std::string_view b) override { return real_.drop_memos_below(b); }
  ports::store_status put_cache(std::string_view k, ports::byte_span v) override { return real_.put_cache(k, v); }
  ports::store_status keep_cache() override { return real_.keep_cache(); }
  std::optional<std::vector<std::byte>> get_cache(std::string_view k) const override { return real_.get_cache(k); }
  void scan_cache(std::string_view p, const std::function<bool(std::string_view, ports::byte_span)>& v) const override { real_.scan_cache(p, v); }
  ports::store_status drop_cache(std::string_view p) override { return real_.drop_cache(p); }

 protected:
  log::fault_store& real_;
  life alive_;
  std::function<void()> appended_;
};

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
  std::uint64_t last_sequence() const override { return held_ && !held_->records.empty() ? held_->records.back().sequence : real_.last_sequence(); }

 private:
  std::optional<ports::write_batch> held_;
};

// Planted bug: agrees to everything.
class blind_check final : public actors::append_check {
 public:
  std::optional<model::rejection> check(const log::record&) const override { return std::nullopt; }
  void apply(const log::record&) override {}
  ports::store_status rebuild(const log::log_reader&) override { return {}; }
};

}  // namespace

server_process::server_process(world& w) : actor_process(w), store(w.random()), hooks_(w), uuid_(16, 'u') {}

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
  parts.clock = &world_.clock;
  parts.self = {"sim", "server", "server", "UTC", uuid_};
  parts.pbs_home = "/sim";
  parts.detached = false;
  parts.server_uid = 1000;            // the simulated client is the cluster's own user
  parts.sign_ticket = [this](schema::byte_span ticket) {
    world_.tickets.emplace_back(reinterpret_cast<const char*>(ticket.data()), ticket.size());
    return wire::signature{"the server's", ""};
  };
  parts.disk_writable = [this] { return world_.disk_heals_at_ <= world_.clock.now; };
  parts.stop_process = [this, alive](const std::string&) { if (*alive) wants_crash = true; };
  parts.shut_down = [](const std::string&) {};
  hooks_.process_started(alive);
  if (world_.o.site_hooks) parts.runner = hooks_.runner();
  if (world_.o.blind_ledger) parts.ledger = std::make_shared<blind_check>();
  try {
    server_ = std::make_unique<actors::server_system>(*system_, std::move(parts));
    roots_ = {server_->gateway(), server_->writer()};
  } catch (const log::log_damaged&) {
    wants_crash = true;               // its first write failed: tried again like any crash
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

// -- scheduler ---------------------------------------------------------------------------------------------------------------

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
  e.received = [driver = driver_](const wire::connection_ptr&, schema::sealed_message m) { driver->received(m.root<schema::ToScheduler>()); };
  e.closed = [server = server_](const wire::connection_ptr& c, const std::string&) { if (*server == c) *server = nullptr; };
  return e;
}

// -- MoM ---------------------------------------------------------------------------------------------------------------------

std::vector<std::string> lines_of_task(const std::string& key, bool errors) {
  std::vector<std::string> lines;
  for (int n = 0; n < 4; ++n) lines.push_back(key + (errors ? " err " : " out ") + std::to_string(n));
  return lines;
}

namespace {
void keep_lines(host_machine& machine, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    machine.lines.emplace(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}
}  // namespace

// A host's kernel and shepherds: programs go on while the MoM is dead, and start once per key.
class mom_process::fake_host final : public ports::process_host {
 public:
  fake_host(world& w, host_machine& m, life alive, std::function<void(const std::string&, model::run_command)> tell)
      : world_(w), machine_(m), alive_(std::move(alive)), tell_(std::move(tell)) {}
  void listen(events) override {}
  std::function<void(const std::string& job, const std::string& cookie)> tasks_wanted;
  std::function<void(const std::string& key)> appended;

  void start(const ports::run_order& order) override {
    if (!*alive_) return;
    if (!machine_.programs.contains(order.key)) {
      if (!order.is_task && world_.chance(world_.o.tasks)) ask_for_tasks(order);
      ++machine_.executions[order.key];
      if (order.is_task) machine_.outputs.insert(order.key);
      const auto begin = world_.clock.now + world_.pick_ns(1'000'000, 50'000'000);
      machine_.programs[order.key] = {world_.pick_ns(1000, 30000), begin, begin + run_ns(), static_cast<int>(world_.random() % 3)};
    }
    tell_state(order.key);
  }
  void adopt(const std::string& key) override { tell_state(key); }

  void signal(const std::string& key, int number) override {
    if (number == SIGSTOP || number == SIGCONT) return;     // time goes on for a suspended program of the simulation
    const auto at = machine_.programs.find(key);
    if (!*alive_ || at == machine_.programs.end() || at->second.ends <= world_.clock.now) return;
    at->second.ends = std::max(world_.clock.now, at->second.started + 1);      // as soon as it has begun
    at->second.exit = 256 + number;
    tell_state(key);
  }
  void append_stderr(const std::string&, const std::string&) override {}
  void append_stdout(const std::string&, const std::string&) override {}
  void append_output(const std::string& key, bool, const std::string& bytes) override {
    if (!*alive_) return;
    keep_lines(machine_, bytes);
    world_.at(world_.clock.now + world_.pick_ns(0, 20'000'000), alive_, [this, key] { appended(key); });
  }
  std::optional<ports::run_usage> usage(const std::string& key) override {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end() || at->second.ends <= world_.clock.now) return std::nullopt;
    return ports::run_usage{0, 0, 0, static_cast<std::uint64_t>((world_.clock.now - at->second.started) / 1'000'000'000), 1, 0};
  }
  void stage_in(const std::string& key, const ports::stage_in_order& order) override {
    if (!*alive_) return;
    machine_.staged.insert(key);
    const bool fails = world_.trouble(world_.o.failing_copies);
    const auto files = static_cast<unsigned>(order.files.size());
    const auto take_ns = world_.o.staging_s != 0 ? world_.o.staging_s * 1'000'000'000 : world_.pick_ns(0, 3'000'000'000);
    later(world_.clock.now + take_ns, key, model::files_staged{{!fails, fails ? "no such file" : "", fails ? 0 : files, files}});
  }
  void unstage(const std::string& key, const ports::stage_in_order&) override {
    if (*alive_) machine_.staged.erase(key);
  }
  void deliver(const std::string& key, const ports::delivery_order& order) override {
    if (!*alive_) return;
    machine_.staged.erase(key);
    const bool fails = world_.chance(world_.o.failing_copies);
    later(world_.clock.now + world_.pick_ns(0, 100'000'000), key, model::output_placed{{!fails, fails ? "no such host" : "", 0, static_cast<unsigned>(order.files.size())}});
  }
  void keep_jobdir(const std::string&) override {}
  void forget(const std::string& key) override {
    if (*alive_) machine_.programs.erase(key);
  }
  void forget_others(const std::set<std::string>& keys) override {
    std::erase_if(machine_.programs, [&](const auto& p) { return !keys.contains(p.first.substr(0, p.first.find('-'))); });
  }

 private:
  std::int64_t run_ns() { return world_.o.program_s != 0 ? world_.o.program_s * 1'000'000'000 : world_.pick_ns(0, 20'000'000'000); }
  // The program asks for tasks some time after it has begun.
  void ask_for_tasks(const ports::run_order& order) {
    std::string cookie;
    for (const auto& entry : order.environment)
      if (entry.starts_with("PBS_JOBCOOKIE=")) cookie = entry.substr(14);
    world_.at(world_.clock.now + world_.pick_ns(50'000'000, 5'000'000'000), alive_, [tell = tasks_wanted, job = order.job_id, cookie] { tell(job, cookie); });
  }
  void later(std::int64_t when, const std::string& key, model::run_command c) {
    world_.at(when, alive_, [tell = tell_, key, c] { tell(key, c); });
  }
  void tell_state(const std::string& key) {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end()) return later(world_.clock.now, key, model::program_failed{{-3, "never begun"}});
    const auto& p = at->second;
    later(p.started, key, model::program_began{{p.pid, p.pid, 1, "/home"}});
    // The end may be moved by a signal: looked up again when it is due.
    world_.at(p.ends, alive_, [this, key, ends = p.ends, alive = alive_] {
      const auto now = machine_.programs.find(key);
      if (!*alive || now == machine_.programs.end() || now->second.ends != ends) return;
      tell_(key, model::program_over{{now->second.exit, {1, 100, 200, static_cast<std::uint64_t>((ends - now->second.started) / 1'000'000'000), 1, 10}}});
    });
  }

  world& world_;
  host_machine& machine_;
  life alive_;
  std::function<void(const std::string&, model::run_command)> tell_;
};

// What a host's disk keeps of jobs whose program runs elsewhere.
class mom_process::fake_places final : public ports::job_places {
 public:
  fake_places(world& w, host_machine& m, life alive, std::function<void(const std::string&, model::part_command)> tell)
      : world_(w), machine_(m), alive_(std::move(alive)), tell_(std::move(tell)) {}
  void listen(events) override {}

  void set_up(const ports::job_place& place) override {
    if (!*alive_) return;
    machine_.places.insert(place.key);
    const bool refuses = world_.chance(world_.o.refused_places);
    later(place.key, model::set_up_done{refuses ? -10 : 0, refuses ? "no such user" : ""});
  }
  void tear_down(const ports::job_place& place) override {
    if (!*alive_) return;
    machine_.places.erase(place.key);
    later(place.key, model::torn_down{});
  }

 private:
  void later(const std::string& key, model::part_command c) {
    world_.at(world_.clock.now + world_.pick_ns(0, 100'000'000), alive_, [tell = tell_, key, c] { tell(key, c); });
  }
  world& world_;
  host_machine& machine_;
  life alive_;
  std::function<void(const std::string&, model::part_command)> tell_;
};

// What tasks write: the first half when they start, the rest until they end.
class mom_process::fake_outputs final : public ports::task_outputs {
 public:
  fake_outputs(world& w, host_machine& m, life alive) : world_(w), machine_(m), alive_(std::move(alive)) {}
  void listen(std::function<void(const std::string&)> grown) override { grown_ = std::move(grown); }

  void follow(const std::string& key, const std::string&) override {
    const auto at = machine_.programs.find(key);
    if (at == machine_.programs.end()) return;
    for (const auto when : {world_.clock.now, at->second.ends}) world_.at(when, alive_, [this, key] { grown_(key); });
  }

  std::string read(const std::string& key, bool errors, std::uint64_t offset, std::size_t) override {
    const auto at = machine_.programs.find(key);
    if (!machine_.outputs.contains(key) || at == machine_.programs.end()) return {};
    auto lines = lines_of_task(key, errors);
    if (world_.clock.now < at->second.ends) lines.resize(lines.size() / 2);
    std::string text;
    for (const auto& line : lines) text += line + '\n';
    return offset < text.size() ? text.substr(offset, piece_bytes) : std::string();
  }
  void remove(const std::string& key) override { machine_.outputs.erase(key); }

 private:
  static constexpr std::size_t piece_bytes = 40;        // a line or two
  world& world_;
  host_machine& machine_;
  life alive_;
  std::function<void(const std::string&)> grown_;
};

namespace {
// What a program does through TM: starts a task on each of its nodes, waits for their ends, takes what every second one writes, and signals what it can.
caf::behavior task_user(caf::event_based_actor* self, caf::actor mom, host_machine* machine) {
  auto next = std::make_shared<std::uint64_t>(0);
  auto job = std::make_shared<std::map<std::uint64_t, caf::actor>>();       // by question
  return {
      [=](const std::string& id, const std::string& cookie) { self->send(mom, actors::find_job{{self, ++*next}, id, cookie}); },
      [=](const actors::job_found& found) {
        if (!found.actor) return;
        std::uint32_t node = 0;
        for (const auto& host : found.nodes) {
          (*job)[++*next] = found.actor;
          self->send(found.actor, actors::ask_spawn{{self, *next}, host, node, {"task"}, {"A=b"}, node % 2 == 0});
          ++node;
        }
      },
      [=](const actors::task_output& o) {
        keep_lines(*machine, o.bytes);
        self->send(job->at(o.question), actors::task_output_taken{o.task, o.errors, o.offset + o.bytes.size()});
      },
      [=](const actors::task_answer& a) {
        const auto at = job->find(a.question);
        if (at == job->end() || a.what != actors::task_answer::kind::spawned) return;
        const auto actor = at->second;
        self->send(actor, actors::ask_end{{self, ++*next}, a.task});
        self->send(actor, actors::ask_tasks{{self, ++*next}});
        if (a.task % 3 == 0) self->send(actor, actors::ask_signal{{self, ++*next}, a.task, SIGTERM});
      },
  };
}

// As long as it lives the world keeps the two MoMs connected.
class simulated_dialer final : public actors::sister_dialer {
 public:
  simulated_dialer(world& w, const std::string& from, const std::string& to) { w.dial_mom(from, to, wanted_); }

 private:
  std::shared_ptr<bool> wanted_ = std::make_shared<bool>(true);
};
}  // namespace

mom_process::mom_process(world& w, std::string name)
    : actor_process(w), store(w.random()), name_(std::move(name)), uuid_(16, static_cast<char>('a' + w.random() % 26)), hooks_(w) {
  if (!w.o.site_hooks) return;
  std::string made = (std::filesystem::temp_directory_path() / "annals-sim-hooks-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no directory for hooks: " + made);
  hook_directory_ = made;
}
mom_process::~mom_process() {
  crash();
  if (!hook_directory_.empty()) std::filesystem::remove_all(hook_directory_);
}

void mom_process::start() {
  make_system();
  const auto alive = alive_;
  try {
    disk_ = std::make_unique<watched_store>(*store, alive, [this] {
      if (world_.o.crash_mom_at_append != 0 && store->appends() == world_.o.crash_mom_at_append) wants_crash = true;
    });
    log_ = std::make_unique<log::event_log>(*disk_, world_.clock);
  } catch (const log::log_damaged&) {
    wants_crash = true;
    return;
  }
  reader_ = std::make_unique<log::log_reader>(*disk_);
  const auto stop = [this, alive](const std::string& why) {
    if (!*alive) return;
    wants_crash = true;
    world_.stopped_itself(name_ + ": " + why);
  };
  actors::log_writer_parts writer;
  writer.log = log_.get();
  writer.reader = reader_.get();
  writer.stop_process = stop;
  writer.disk_writable = [] { return true; };
  const auto writer_actor = system_->spawn(actors::log_writer, writer);
  auto contents = actors::read_mom_log(*reader_);
  auto mom_handle = std::make_shared<caf::actor>();
  host_ = std::make_unique<fake_host>(world_, machine_, alive, [mom_handle, alive](const std::string& key, model::run_command c) {
    if (*alive) caf::anon_send(*mom_handle, actors::host_event{key, std::move(c)});
  });
  places_ = std::make_unique<fake_places>(world_, machine_, alive, [mom_handle, alive](const std::string& key, model::part_command c) {
    if (*alive) caf::anon_send(*mom_handle, actors::part_event{key, std::move(c)});
  });
  outputs_ = std::make_unique<fake_outputs>(world_, machine_, alive);
  outputs_->listen([mom_handle, alive](const std::string& key) {
    if (*alive) caf::anon_send(*mom_handle, actors::task_grown{key});
  });
  host_->appended = [mom_handle, alive](const std::string& key) {
    if (*alive) caf::anon_send(*mom_handle, actors::output_appended{key});
  };
  auto settings = std::make_shared<mom::mom_settings>();
  settings->pbs_home = "/sim";
  settings->host = name_;
  actors::mom_actor_parts parts;
  parts.runs = {{writer_actor, reader_.get(), &world_.clock, stop}, host_.get(), settings, places_.get(), nullptr, nullptr, outputs_.get()};
  parts.known_parts = std::move(contents.known_parts);
  parts.left_parts = std::move(contents.left_parts);
  parts.gate = {name_, [](schema::byte_span, const std::string& signature, const std::string&) {
    if (signature != "the server's") throw wire::wire_error("not signed by the server");
    return wire::identity{wire::identity::kind::server, "server", 0, 0, 0, ""};
  }};
  parts.dial = [this](const std::string& host, const std::string&, std::uint16_t) -> std::unique_ptr<actors::sister_dialer> {
    return std::make_unique<simulated_dialer>(world_, name_, host);
  };
  parts.host = name_;
  parts.version = "sim";
  parts.log_uuid = uuid_;
  parts.make_cookie = [this] { return std::to_string(world_.random()); };
  hooks_.process_started(alive);
  if (!hook_directory_.empty()) parts.runner = hooks_.runner();
  parts.hook_directory = hook_directory_;
  parts.known = std::move(contents.known);
  parts.left = std::move(contents.left);
  parts.describe = [this](schema::MomHello::Builder hello) {
    auto v = hello.initVnodes(1)[0];
    v.setName(name_);
    auto list = v.initAttributes(2);
    list[0].setName("resources_available");
    list[0].setResource("ncpus");
    list[0].setValue("2");
    list[1].setName("resources_available");
    list[1].setResource("mem");
    list[1].setValue("1gb");
  };
  mom_ = system_->spawn(actors::mom_actor, std::move(parts));
  *mom_handle = mom_;
  const auto user = system_->spawn(task_user, mom_, &machine_);
  host_->tasks_wanted = [user, alive](const std::string& job, const std::string& cookie) {
    if (*alive) caf::anon_send(user, job, cookie);
  };
  roots_ = {mom_, writer_actor, user};
  caf::anon_send(mom_, actors::begin_work{});
}

void mom_process::crash() {
  if (!system_) return;
  drop_system();
  host_.reset();
  places_.reset();
  outputs_.reset();
  log_.reset();
  reader_.reset();
  disk_.reset();
  store->crash();
}

void mom_process::power_off(bool disk_too) {
  crash();
  for (auto& [key, p] : machine_.programs) {
    p.started = std::min(p.started, world_.clock.now);
    if (p.ends <= world_.clock.now) continue;
    p.ends = world_.clock.now;
    p.exit = -4;
  }
  if (!disk_too) return;
  for (const auto& [key, times] : machine_.executions) machine_.lost_with_disk.insert(key);
  store.emplace(world_.random());
  machine_.programs.clear();
  machine_.outputs.clear();
  machine_.places.clear();
  ++uuid_.front();
}

bool mom_process::has_runs() const {
  const auto contents = actors::read_mom_log(log::log_reader(*store));
  return !contents.known.empty() || !contents.known_parts.empty();
}

endpoint mom_process::sister_end(const std::string& of) const {
  endpoint e;
  e.seen_as = {wire::identity::kind::mom, name_, 0, 0, 0, ""};
  e.alive = alive_;
  e.opened = [a = mom_, of](const wire::connection_ptr& c) { caf::anon_send(a, actors::sister_opened{of, c}); };
  e.received = [a = mom_, of](const wire::connection_ptr& c, schema::sealed_message m) { caf::anon_send(a, actors::sister_frame{of, c, std::move(m)}); };
  e.closed = [a = mom_, of](const wire::connection_ptr& c, const std::string& why) { caf::anon_send(a, actors::sister_closed{of, c, why}); };
  return e;
}

endpoint mom_process::end() const { return end_at(mom_, {wire::identity::kind::mom, name_, 0, 0, 0, ""}); }

}  // namespace annals::sim
