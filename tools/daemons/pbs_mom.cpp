// pbs_mom: runs jobs on its host. This file makes the real ports and joins the parts; the rules of a run stand in
// events/model/run/run.hpp, the actors in actors/mom, processes and files in actors/mom/host.
#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <sstream>

#include "actors/link/wire/signing.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/mom/host/cgroup_mounts.hpp"
#include "actors/mom/host/real_job_places.hpp"
#include "actors/mom/host/real_process_host.hpp"
#include "actors/mom/host/real_task_outputs.hpp"
#include "actors/mom/host/run_cgroups.hpp"
#include "actors/mom/host/unknown_files.hpp"
#include "actors/mom/mom_actor.hpp"
#include "actors/mom/parts/part_registry.hpp"
#include "actors/mom/tasks/tm_connections.hpp"
#include "actors/mom/tasks/user_watch.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/mark_keeper.hpp"
#include "actors/runtime/next_first.hpp"
#include "actors/runtime/system_clock.hpp"
#include "events/model/run/ticket.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "hooks-runtime/pool/worker_pool.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"
#include "tools/client/without_effect.hpp"
#include "tools/daemons/caf_system.hpp"
#include "tools/daemons/command_door.hpp"
#include "tools/daemons/copy_notes.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/definition_command.hpp"
#include "tools/daemons/end_of_process.hpp"
#include "tools/daemons/home.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/last_words.hpp"
#include "tools/daemons/mom_log.hpp"
#include "tools/daemons/mom_report.hpp"
#include "tools/daemons/mom_setup.hpp"
#include "tools/daemons/peer_feed.hpp"
#include "tools/daemons/real_scheduler_processes.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

constexpr client::option options[] = {
    {'C', "directory", "where checkpoints lie; wins over $checkpoint_path"},
    {'c', "file", "settings (default: mom_priv/config); a relative path begins in mom_priv"},
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'L', "file", "the log, one file (default: a file for each day in mom_logs)"},
    {'N', nullptr, "stay in the foreground"},
    {'M', "port", "listen for other MoMs on this port, and tell it to the server"},
    {'R', "port", "no effect: there is no port of the resource monitor"},
    {'S', "port", "of the server"},
    {'p', nullptr, "accepted: running jobs are always found again"},
    {'r', nullptr, "no effect: running jobs are never given up"},
    {'n', "name", "name of this host's natural vnode"},
    {'s', "verb", "list, show, insert, replace or remove vnode definition files, and end"},
};
constexpr client::command command = {
    "pbs_mom",
    "usage: pbs_mom [-C directory][-c file][-d home][-L file][-M port][-N][-R port][-S port][-p|-r][-n name]\n"
    "       pbs_mom [-d home] -s list|show|insert|replace|remove [name [file]]\n"
    "       pbs_mom --version\n",
    options,
};

std::optional<std::string> check(const client::given& g) {
  const auto port = [&] {
    const auto number = values::parse_integer(g.value);
    return number && *number > 0 && *number <= 65535;
  };
  const bool good = g.letter == 'L'                      ? g.value.starts_with('/')
                    : g.letter == 'C' || g.letter == 'c' ? !g.value.empty()
                    : g.letter == 'M' || g.letter == 'S' ? port()
                                                         : true;
  return good ? std::nullopt : std::optional(std::string());
}

// HUP: the log begins anew and the settings are read again (pbs guide: "MoM"), also for runs that go on. Until there is a
// MoM to tell, they are still to be read.
class hang_up {
 public:
  hang_up(const daemons::mom_setup& s, actors::daemon_log& notes) : setup_(s), notes_(notes) {}

  void operator()() {
    notes_.reopen();
    const std::lock_guard held(guard_);
    // Whoever sees in the log that they were read finds that they count.
    const actors::daemon_log::gathering lines(notes_);
    if (mom_) caf::anon_send(mom_, actors::new_settings{read_again()});
  }
  // Reads the settings and makes the actor that has them.
  template <class Make>
  caf::actor begin(Make&& make) {
    const std::lock_guard held(guard_);
    return mom_ = make(read_again());
  }

 private:
  std::shared_ptr<const mom::mom_settings> read_again() {
    if (const auto why = last_ ? daemons::why_not_its_own(setup_) : std::string(); !why.empty()) {
      notes_.write(actors::log_event::force | actors::log_event::error, "Svr", "pbs_mom", why + "; the settings stay as they were");
      return last_;
    }
    return last_ = daemons::read_settings(setup_, notes_, last_.get());
  }

  const daemons::mom_setup& setup_;
  actors::daemon_log& notes_;
  std::mutex guard_;
  caf::actor mom_;
  std::shared_ptr<const mom::mom_settings> last_;  // as they were read last
};

// PBS_SCP, PBS_SCP_ARGS and PBS_CP; without PBS_SCP the scp that stands first in our PATH.
void set_copy_programs(const client::pbs_conf& conf, mom::host_options& to) {
  const char* const path = std::getenv("PATH");
  std::string directory;
  bool found = !conf.pbs_scp.empty();
  if (found) to.scp[0] = conf.pbs_scp;
  for (std::istringstream all(path ? path : ""); !found && std::getline(all, directory, ':');)
    if (directory.starts_with('/') && access((directory + "/scp").c_str(), X_OK) == 0) {
      to.scp[0] = directory + "/scp";
      found = true;
    }
  std::string word;
  for (std::istringstream words(conf.pbs_scp_args); words >> word;) to.scp.push_back(word);
  if (!conf.pbs_cp.empty()) to.cp[0] = conf.pbs_cp;
}

ports::process_host::events tell(const caf::actor& mom, actors::daemon_log& notes) {
  ports::process_host::events e;
  const auto post = [mom](const values::program_key& key, model::run_command c) {
    caf::anon_send(mom, actors::host_event{key, std::move(c)});
  };
  // The run's own program is task 1, and a script that checkpoints it none.
  const auto task = [](const values::program_key& key) {
    char text[16];
    std::snprintf(text, sizeof text, "%08X", key.task() ? key.task()->task : key.is_own() ? 1u
                                                                                          : 0u);
    return std::string(text);
  };
  e.started = [=, &notes](const values::program_key& key, const ports::program_started& p) {
    if (key.is_own()) notes.write(actors::log_event::job, "Job", key.run().job, "Started, pid = " + std::to_string(p.pid));
    post(key, model::program_began{p});
  };
  e.failed = [=, &notes](const values::program_key& key, const ports::start_failed& f) {
    notes.write(actors::log_event::error, "Job", key.run().job,
                "job not started, " + std::string(f.code == -3 ? "Retry " : "Failure ") + std::to_string(f.code) + " " + f.text);
    post(key, model::program_failed{f});
  };
  e.ended = [=, &notes](const values::program_key& key, const ports::program_ended& p) {
    notes.write(actors::log_event::debug, "Job", key.run().job, "task " + task(key) + " terminated");
    if (key.is_own()) notes.write(actors::log_event::job, "Job", key.run().job, "Terminated");
    notes.write(actors::log_event::debug2, "Job", key.run().job,
                "task " + task(key) + " cput=" + values::print_duration(static_cast<std::int64_t>(p.usage.cpu_seconds)));
    post(key, model::program_over{p});
  };
  e.delivered = [=, &notes](const values::run_key& key, const ports::delivery_result& d) {
    daemons::note_copies(notes, key.job, d, "out");
    post(key, model::output_placed{d});
  };
  e.acted = [mom](const values::run_key& key) { caf::anon_send(mom, actors::host_acted{key}); };
  e.appended = [mom](const values::run_key& key) { caf::anon_send(mom, actors::output_appended{key}); };
  e.staged_in = [=, &notes](const values::run_key& key, const ports::delivery_result& d) {
    daemons::note_copies(notes, key.job, d, "in");
    post(key, model::files_staged{d});
  };
  e.log = [=, &notes](const values::program_key& key, const std::string& text) {
    notes.write(actors::log_event::debug, "Job", key.run().job, text);
  };
  return e;
}

ports::job_places::events tell_places(const caf::actor& mom) {
  ports::job_places::events e;
  e.ready = [mom](const values::run_key& key, std::int32_t code, const std::string& text) {
    caf::anon_send(mom, actors::part_event{key, model::set_up_done{code, text}});
  };
  e.removed = [mom](const values::run_key& key) { caf::anon_send(mom, actors::part_event{key, model::torn_down{}}); };
  e.updated = [mom](const values::run_key& key, std::uint32_t number, const std::string& error) {
    caf::anon_send(mom, actors::node_file_written{key, number, error});
  };
  return e;
}

// The links that this MoM opens to others: each keeps its dialer, and tells the MoM's actor what happens.
class dialed_sister final : public actors::sister_dialer {
 public:
  dialed_sister(wire::io_pool& pool, const caf::actor& mom, const wire::credentials& c, const std::string& host, const std::string& address,
                std::uint16_t port, actors::daemon_log& notes) {
    wire::handler h;
    h.opened = [=](const wire::connection_ptr& peer) { caf::anon_send(mom, actors::sister_opened{host, peer}); };
    h.received = [=](const wire::connection_ptr& peer, schema::sealed_message m) {
      caf::anon_send(mom, actors::sister_frame{host, peer, std::move(m)});
    };
    h.closed = [=](const wire::connection_ptr& peer, const std::string& why) {
      caf::anon_send(mom, actors::sister_closed{host, peer, why});
    };
    h.failed = [&notes](const std::string& why) { notes.write(actors::log_event::error, "Svr", "pbs_mom", why); };
    dialer_ = pool.dial_tls(address, port, c, wire::identity::kind::mom, h, host);
  }

 private:
  std::unique_ptr<wire::io_pool::dialer> dialer_;
};

hooks::pool_settings hook_settings(const daemons::mom_setup& s) {
  hooks::pool_settings p;
  p.worker_program = s.conf.pbs_exec + "/libexec/pbs_hook_worker";
  p.on_mom = true;
  p.local_node = s.host;
  p.pbs_conf = {{"PBS_EXEC", s.conf.pbs_exec}, {"PBS_HOME", s.home}, {"PBS_SERVER", s.server}};
  p.debug_directory = s.priv + "/hooks/tmp";
  return p;
}

// Keeps the server's word in mom_priv while the MoM goes on with its work.
caf::behavior server_mark_actor(caf::event_based_actor*, const std::string& priv, actors::daemon_log* notes) {
  return {[=](const daemons::server_mark& k) {
    try {
      daemons::write_server_mark(priv, k.mark);
    } catch (const std::exception& e) {
      notes->write(actors::log_event::error, "Svr", "pbs_mom", e.what());
    }
  }};
}

[[noreturn]] void run(const client::command_line& line) {
  const auto s = daemons::read_mom_setup(line);
  daemons::check_home(s.conf, s.home, "mom_priv", "pbs_habitat mom");
  daemons::make_directory(s.priv, fs::perms(0751));
  daemons::make_directory(s.home + "/mom_logs", fs::perms(0755));
  daemons::make_directory(s.priv + "/hooks", fs::perms(0750));
  daemons::make_directory(s.priv + "/hooks/tmp", fs::perms(0750));
  daemons::make_directory(s.home + "/spool", fs::perms(0755));
  daemons::make_directory(s.home + "/checkpoint", fs::perms(0700));
  daemons::make_directory(s.home + "/undelivered", fs::perms(01777));
  daemons::background process(line.has('N'));
  const daemons::lock_file lock(s.priv + "/mom.lock", 0644, "pbs_mom: another mom running");
  daemons::raise_open_files();

  daemons::end_of_process end;
  const bool one_log = !s.log_file.empty();
  actors::daemon_log notes(one_log ? s.log_file : s.home + "/mom_logs", "pbs_mom", 975, s.conf.log_highres_timestamp, one_log);
  hang_up on_hup(s, notes);
  const daemons::signal_watch signals([&](int signal) {
    if (signal == SIGHUP) on_hup();
    else end.come(0, "Is down");
  });
  notes.write(actors::log_event::system, "Svr", "pbs_mom", "pbs_version=" + client::pbs_version(s.ours));
  notes.write(actors::log_event::system, "Svr", "pbs_mom", std::string("annals_version=") + client::annals_version);
  for (const auto& problem : s.conf.problems) notes.write(actors::log_event::error, "Fil", "pbs.conf", problem);

  const auto stop = [&notes](const std::string& text) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "pbs_mom", text);
    daemons::stop_at_once("pbs_mom", text);
  };
  if (const auto why = daemons::why_not_its_own(s); !why.empty()) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "pbs_mom", why);
    daemons::give_up("pbs_mom", std::runtime_error(why));
  }
  const actors::system_clock clock;
  auto own_log = daemons::open_mom_log(s.priv, [&notes](const std::string& text) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "pbs_mom", text);
    client::print_error("pbs_mom: %s\n", text.c_str());
  });
  const auto store = std::move(own_log.store);
  log::event_log event_log(*store, clock);
  const log::log_reader reader(*store);
  auto contents = actors::read_mom_log(reader);
  mom::host_options host_options;
  host_options.pbs_home = s.home;
  host_options.shepherd = s.conf.pbs_exec + "/libexec/pbs_shepherd";
  set_copy_programs(s.conf, host_options);
  host_options.tmpdir = mom::parse_mom_config(daemons::read_text(s.config)).config.tmpdir;
  host_options.mark = mom::mom_mark(own_log.uuid);
  host_options.cgroup_parent = mom::cgroup_parent(s.host, s.home);
  const auto cgroups = mom::find_cgroups("/proc/self/mountinfo", host_options.cgroup_parent);
  host_options.cgroup_roots = cgroups.roots;
  notes.write(actors::log_event::system, "Svr", "pbs_mom", cgroups.text);
  host_options.complain = [&notes](const std::string& text) { notes.write(actors::log_event::error, "Svr", "pbs_mom", text); };
  mom::real_process_host processes(host_options);
  mom::real_job_places places(s.home, host_options.shepherd, host_options.complain);
  mom::real_task_outputs outputs(s.home, host_options.complain);
  const auto identity = wire::credentials::bundle(s.priv + "/daemon.pem");
  // Where other MoMs reach this one. None given: at every address, and the server tells them the one it sees.
  const auto address = s.ours.get("mom_address");
  const wire::signature_check check(identity);
  wire::io_pool pool(1, daemons::tm_bounds());  // these outlive the actors, which dial
  wire::io_pool commands_pool(1, daemons::command_bounds());

  daemons::real_scheduler_processes schedulers({.program = s.conf.pbs_exec + "/sbin/pbs_sched", .defaults = s.conf.pbs_exec + "/etc"});

  daemons::next_first_config config;
  caf::actor_system system(config);
  daemons::or_give_up("pbs_mom", [&] {
    actors::log_writer_parts writer_parts;
    writer_parts.log = &event_log;
    writer_parts.reader = &reader;
    writer_parts.stop_process = stop;
    writer_parts.disk_writable = [&] { return daemons::has_space(s.priv); };
    writer_parts.note = [&notes](const std::string& text) {
      notes.write(actors::log_event::force | actors::log_event::error, "Svr", "pbs_mom", text);
    };
    const auto marks = std::make_shared<actors::mark_keeper>(
        actors::mark_keeper_parts{daemons::mom_mark_file(s.priv), own_log.uuid, store.get(),
                                  [&notes](const std::string& text) { notes.write(actors::log_event::error, "Svr", "pbs_mom", text); }});
    if (store->last_sequence() > 0) marks->write_all();
    writer_parts.marks = marks;
    writer_parts.mark_writer = system.spawn<caf::detached>(actors::mark_actor, marks, nullptr);
    const auto writer = actors::next_first::spawn_with_thread(system, "log.writer", actors::log_writer, writer_parts);
    actors::mom_actor_parts parts;
    parts.host = s.host;
    parts.version = client::pbs_version(s.ours);
    parts.log_uuid = own_log.uuid;
    parts.server_mark = daemons::read_server_mark(s.priv);
    parts.keep_server_mark = [keeper = system.spawn<caf::detached>(server_mark_actor, s.priv, &notes)](
                                 const schema::sealed<schema::LogMark>& m) { caf::anon_send(keeper, daemons::server_mark{m}); };
    parts.address = address;
    parts.port = s.conf.mom_service_port;
    parts.gate = {s.host, [&check](schema::byte_span bytes, const std::string& signature, const std::string& certificate) {
                    return check.signer_of(model::ticket_purpose, bytes, {signature, certificate});
                  }};
    parts.known = std::move(contents.known);
    parts.left = std::move(contents.left);
    parts.known_parts = std::move(contents.known_parts);
    parts.left_parts = std::move(contents.left_parts);
    parts.describe = [host = s.host](schema::MomHello::Builder hello) { daemons::describe_host(host, hello); };
    parts.load = [] {
      double last_minute = 0;
      return getloadavg(&last_minute, 1) == 1 ? last_minute : 0;
    };
    parts.user_watch = system.spawn<caf::detached>(actors::user_watch, &notes);
    hooks::worker_pool hook_workers(hook_settings(s));
    parts.runner = &hook_workers;
    parts.shut_down = [&end] { end.come(0, "Is down"); };
    parts.schedulers.processes = &schedulers;
    parts.schedulers.directory = s.priv + "/schedulers";
    parts.hook_directory = s.priv + "/hooks";
    const auto mom = on_hup.begin([&](std::shared_ptr<const mom::mom_settings> settings) {
      parts.runs = {{writer, &reader, &clock, stop}, &processes, std::move(settings), &places, &notes, nullptr, &outputs};
      return system.spawn([&](caf::event_based_actor* self) {
        parts.dial = [&, mom = caf::actor(self)](const std::string& host, const std::string& at,
                                                 std::uint16_t port) -> std::unique_ptr<actors::sister_dialer> {
          return std::make_unique<dialed_sister>(pool, mom, identity, host, at, port, notes);
        };
        return actors::mom_actor(self, std::move(parts));
      });
    });
    processes.listen(tell(mom, notes));
    places.listen(tell_places(mom));
    outputs.listen([mom](const values::task_key& key) { caf::anon_send(mom, actors::task_grown{key}); });
    const auto tasks = system.spawn(actors::tm_connections,
                                    actors::tm_connections_parts{mom, s.host, fs::weakly_canonical(host_options.shepherd).string()});
    caf::anon_send(mom, actors::begin_work{});

    std::string text;
    int status = 0;
    {
      auto handler = daemons::feed(mom);
      daemons::handle_lone_frames_here(system, handler);
      handler.failed = [&](const std::string& why) { notes.write(actors::log_event::error, "Svr", "pbs_mom", why); };
      const auto dialer = pool.dial_tls(s.server, s.server_port, identity, wire::identity::kind::server, handler);
      const auto primaries = pool.listen_tls(address.empty() ? "0.0.0.0" : address, s.conf.mom_service_port, identity, handler);
      auto of_callers = daemons::feed(tasks);
      of_callers.failed = handler.failed;
      of_callers.last_words = daemons::mom_last_words;
      const auto callers = pool.listen_unix(client::tm_socket(s.home), 0666, of_callers);
      const auto commands = daemons::listen_for_commands(system, commands_pool, s, identity, mom, notes, stop);
      notes.write(actors::log_event::system, "Svr", "pbs_mom", "Mom pid = " + std::to_string(getpid()) + " ready");
      process.ready(s.priv + "/mom_out");

      status = end.wait(&text);
    }
    if (store->last_sequence() > 0) marks->write_all();
    notes.write(actors::log_event::system, "Svr", "pbs_mom", text);
    daemons::end_process(status);  // running jobs go on under their shepherds
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = daemons::definition_command(argc, argv)) return *status;
  const auto line = client::parse_options_or_exit(command, argc, argv, check);
  if (!line.words.empty()) return client::usage(command);
  client::warn_of_options_without_effect(command, line);
  try {
    run(line);
  } catch (const std::exception& e) {
    daemons::give_up("pbs_mom", e);
  }
}
