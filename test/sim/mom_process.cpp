// The simulated MoM, and its host's power.
#include <caf/send.hpp>

#include <algorithm>
#include <cstdlib>

#include "test/sim/fake_host.hpp"
#include "test/sim/processes.hpp"
#include "test/sim/tasks.hpp"
#include "test/sim/watched_store.hpp"

namespace annals::sim {

namespace {
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
  if (w.o.any_hooks()) hook_directory_.emplace();
}
mom_process::~mom_process() { crash(); }

void mom_process::start() {
  make_system();
  const auto alive = alive_;
  try {
    disk_ = std::make_unique<watched_store>(*store, alive, [this] {
      if (world_.o.crash_mom_at_append != 0 && store->appends() == world_.o.crash_mom_at_append) wants_crash = true;
      if (world_.o.start.hosts > 0) world_.look_at_start(*this);
    });
    log_ = std::make_unique<log::event_log>(*disk_, world_.clock_of(name_));
  } catch (const log::log_damaged&) {
    wants_crash = true;
    return;
  }
  reader_ = std::make_unique<log::log_reader>(*disk_);
  const auto stop = [this, alive](const std::string& why) {
    if (!*alive) return;
    wants_crash = true;
    world_.found(name_ + ": " + why);
  };
  actors::log_writer_parts writer;
  writer.log = log_.get();
  writer.reader = reader_.get();
  writer.stop_process = stop;
  writer.disk_writable = [] { return true; };
  const auto writer_actor = system_->spawn(actors::log_writer, writer);
  auto contents = actors::read_mom_log(*reader_);
  auto mom_handle = std::make_shared<caf::actor>();
  host_ = std::make_unique<fake_host>(world_, machine_, alive, [mom_handle, alive](const values::program_key& key, model::run_command c) {
    if (*alive) caf::anon_send(*mom_handle, actors::host_event{key, std::move(c)});
  });
  const auto tell_part = [mom_handle, alive](const values::run_key& key, model::part_command c) {
    if (*alive) caf::anon_send(*mom_handle, actors::part_event{key, std::move(c)});
  };
  const auto tell_written = [mom_handle, alive](const values::run_key& key, std::uint32_t number) {
    if (*alive) caf::anon_send(*mom_handle, actors::node_file_written{key, number, {}});
  };
  places_ = std::make_unique<fake_places>(world_, machine_, alive, tell_part, tell_written);
  outputs_ = std::make_unique<fake_outputs>(world_, machine_, alive);
  outputs_->listen([mom_handle, alive](const values::task_key& key) {
    if (*alive) caf::anon_send(*mom_handle, actors::task_grown{key});
  });
  host_->acted = [mom_handle, alive](const values::run_key& key) {
    if (*alive) caf::anon_send(*mom_handle, actors::host_acted{key});
  };
  host_->appended = [mom_handle, alive](const values::run_key& key) {
    if (*alive) caf::anon_send(*mom_handle, actors::output_appended{key});
  };
  auto settings = std::make_shared<mom::mom_settings>();
  settings->pbs_home = "/sim";
  settings->host = name_;
  if (world_.o.loads > 0) settings->config.load = {1, 5, true};
  actors::mom_actor_parts parts;
  parts.runs = {
      {writer_actor, reader_.get(), &world_.clock_of(name_), stop}, host_.get(), settings, places_.get(), nullptr, nullptr, outputs_.get()};
  parts.known_parts = std::move(contents.known_parts);
  parts.left_parts = std::move(contents.left_parts);
  parts.gate = {name_, [](schema::byte_span, const std::string& signature, const std::string&) {
                  if (signature != "the server's") throw wire::wire_error("not signed by the server");
                  return wire::identity{wire::identity::kind::server, "server", 0, 0, 0, ""};
                }};
  parts.dial = [this](const std::string& host, const std::string&, std::uint16_t) -> std::unique_ptr<actors::sister_dialer> {
    return std::make_unique<simulated_dialer>(world_, name_, host);
  };
  parts.load = [this] { return world_.load_of(name_); };
  parts.host = name_;
  parts.version = "sim";
  parts.log_uuid = uuid_;
  parts.make_cookie = [this] { return std::to_string(world_.random()); };
  parts.detached = false;
  hooks_.process_started(alive);
  if (hook_directory_) {
    parts.runner = hooks_.runner();
    parts.hook_directory = hook_directory_->path;
  }
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
  e.received = [a = mom_, of](const wire::connection_ptr& c, schema::sealed_message m) {
    caf::anon_send(a, actors::sister_frame{of, c, std::move(m)});
  };
  e.closed = [a = mom_, of](const wire::connection_ptr& c, const std::string& why) {
    caf::anon_send(a, actors::sister_closed{of, c, why});
  };
  return e;
}

endpoint mom_process::end() const { return end_at(mom_, {wire::identity::kind::mom, name_, 0, 0, 0, ""}); }

}  // namespace annals::sim
