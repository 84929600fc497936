// pbs_server: owns the cluster's event log. This file makes the real ports and joins the parts; the rules stand in
// events/model, the actors in actors/server and actors/gateway.
#include <caf/actor_system.hpp>
#include <caf/scheduler/coordinator.hpp>
#include <caf/send.hpp>

#include <openssl/rand.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "actors/link/wire/signing.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/next_first.hpp"
#include "actors/runtime/system_clock.hpp"
#include "actors/runtime/thread_share.hpp"
#include "actors/server/accounting_actor.hpp"
#include "actors/server/server_system.hpp"
#include "events/model/ticket.hpp"
#include "hooks-runtime/pool/worker_pool.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/version.hpp"
#include "tools/daemons/caf_system.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/end_of_process.hpp"
#include "tools/daemons/home.hpp"
#include "tools/daemons/peer_feed.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

constexpr client::option options[] = {
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'e', "mask", "events that are logged (default 511)"},
    {'N', nullptr, "stay in the foreground"},
    {'p', "port", "listen for MoMs and schedulers on this port"},
    {'t', "type", "accepted: warm; jobs keep their states"},
};
constexpr client::command command = {
    "pbs_server",
    "usage: pbs_server [-d home][-e mask][-N][-p port][-t warm]\n"
    "       pbs_server --version\n",
    options,
};

struct setup {
  client::pbs_conf conf;
  client::annals_conf ours;
  std::string home, priv, host, server;
  std::uint16_t port = 0;
};

setup read_setup(const client::command_line& line) {
  setup s;
  s.conf = client::read_pbs_conf();
  s.home = line.has('d') ? *line.find('d') : s.conf.pbs_home;
  s.ours = client::read_annals_conf(s.home);
  s.priv = s.home + "/server_priv";
  s.host = s.conf.pbs_server.empty() ? daemons::own_host_name() : s.conf.pbs_server;
  s.server = s.host.substr(0, s.host.find('.'));
  s.port = s.ours.listen_port ? s.ours.listen_port : s.conf.batch_service_port;
  if (line.has('p')) s.port = static_cast<std::uint16_t>(std::strtoul(line.find('p')->c_str(), nullptr, 0));
  return s;
}

void make_home(const setup& s) {
  daemons::make_directory(s.home, fs::perms(0755));
  daemons::make_directory(s.priv, fs::perms(0750));
  daemons::make_directory(s.home + "/server_logs", fs::perms(0755));
  daemons::make_directory(s.priv + "/accounting", fs::perms(0755));
  daemons::make_directory(s.priv + "/hooks", fs::perms(0750));
  daemons::make_directory(s.priv + "/hooks/tmp", fs::perms(0750));
  daemons::make_directory(s.home + "/sched_priv", fs::perms(0750));
  daemons::make_directory(s.home + "/sched_logs", fs::perms(0755));
  daemons::make_directory(s.home + "/run", fs::perms(0755));
  daemons::make_directory(s.home + "/spool", fs::perms(01777));
}

// The certificate authority, and certificates of the server and of the scheduler on its host.
void make_certificates(const setup& s) {
  const auto ca = wire::authority::open_or_create(s.priv + "/ca");
  const auto issue = [&](const std::string& file, wire::identity::kind kind, const std::string& name) {
    if (!fs::exists(file)) wire::create_private_file(file, ca.issue(kind, name).bundle());
  };
  issue(s.priv + "/daemon.pem", wire::identity::kind::server, s.server);
  issue(s.home + "/sched_priv/daemon.pem", wire::identity::kind::scheduler, "default");
}

std::string random_bytes(std::size_t n) {
  std::string bytes(n, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(n)) != 1)
    throw std::runtime_error("no random numbers from the system");
  return bytes;
}

std::string time_zone() {
  tzset();
  return tzname[0];
}

// Scripts see nothing below PBS_HOME; they run in a directory of their own.
hooks::pool_settings hook_settings(const setup& s) {
  hooks::pool_settings p;
  p.worker_program = s.conf.pbs_exec + "/libexec/pbs_hook_worker";
  p.local_node = s.host;
  p.pbs_conf = {{"PBS_EXEC", s.conf.pbs_exec}, {"PBS_HOME", s.home}, {"PBS_SERVER", s.host}};
  p.hidden = {s.home};
  p.scratch = s.priv + "/hooks/tmp";
  return p;
}

[[noreturn]] void run(const client::command_line& line) {
  const auto s = read_setup(line);
  make_home(s);
  daemons::background process(line.has('N'));
  const daemons::lock_file lock(s.priv + "/server.lock", 0600, "pbs_server: another server running");
  make_certificates(s);

  daemons::end_of_process end;
  const std::uint32_t mask = line.has('e') ? static_cast<std::uint32_t>(std::strtoul(line.find('e')->c_str(), nullptr, 0)) : 511;
  actors::daemon_log notes(s.home + "/server_logs", "Server@" + s.server, mask, s.conf.log_highres_timestamp);
  caf::actor gateway;
  const daemons::signal_watch signals([&](int signal) {
    if (signal == SIGHUP) return notes.reopen();
    if (gateway) caf::anon_send(gateway, actors::stop_server{"quick"});
    else end.come(0, "stopped before it was ready");
  });

  notes.write(actors::log_event::system, "Svr", "Server@" + s.server, std::string("pbs_version=") + client::version);
  for (const auto& problem : s.conf.problems) notes.write(actors::log_event::error, "Fil", "pbs.conf", problem);
  for (const auto& problem : s.ours.problems) notes.write(actors::log_event::error, "Fil", "annals.conf", problem);

  const auto stop = [&notes](const std::string& text) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "PBS_Server", text);
    daemons::stop_at_once("pbs_server", text);
  };
  const actors::system_clock clock;
  const auto store = daemons::open_store(s.priv + "/log");
  daemons::make_directory(s.priv + "/uploads", fs::perms(0700));

  actors::set_thread_share(actors::prompt_share);               // for every thread from here on
  daemons::caf_config config;
  config.load<caf::scheduler::coordinator<actors::next_first>>();  // docs/design/0027
  config.set("scheduler.max-throughput", std::size_t{16});         // what an actor was told waits for no more messages
  caf::actor_system system(config);
  daemons::or_give_up("pbs_server", [&] {
    actors::server_system_parts parts;
    parts.store = store.get();
    parts.clock = &clock;
    parts.notes = &notes;
    parts.self = {client::version, s.server, s.server, time_zone(), random_bytes(16)};
    parts.pbs_home = s.home;
    parts.server_uid = getuid();
    parts.upload_directory = s.priv + "/uploads";
    parts.sign_ticket = [key = std::make_shared<wire::signer>(wire::credentials::bundle(s.priv + "/daemon.pem"))](schema::byte_span ticket) {
      return key->sign(model::ticket_purpose, ticket);
    };
    hooks::worker_pool hook_workers(hook_settings(s));
    parts.runner = &hook_workers;
    parts.hook_directory = s.priv + "/hooks";
    parts.disk_writable = [&] { return daemons::has_space(s.priv); };
    parts.stop_process = stop;
    const auto accounting = actors::make_accounting({s.priv + "/accounting", s.priv + "/views/accounting", store.get(), [&notes](const std::string& text) {
      notes.write(actors::log_event::error, "Svr", "PBS_Server", text);
    }});
    parts.replayed = [&](const log::record& r) { accounting->replayed(r); };
    const auto accountant = system.spawn<caf::detached>(actors::accounting_actor, accounting);
    parts.followers.push_back(accountant);
    std::mutex door;                                            // of clients_in: an orderly stop closes it while they come in
    std::unique_ptr<wire::listener> clients_in;
    parts.refuse_clients = [&] {
      const std::lock_guard held(door);
      clients_in.reset();
    };
    parts.shut_down = [&](const std::string&) { end.come(0, "Server shutdown completed"); };
    const actors::server_system server(system, parts);
    gateway = server.gateway();
    caf::anon_send(accountant, actors::disk_state{false});      // what the last run left to be written

    std::string text;
    int status = 0;
    {
      wire::io_pool pool;
      const auto daemons_in = pool.listen_tls(s.ours.listen_address, s.port, wire::credentials::bundle(s.priv + "/daemon.pem"), daemons::feed(gateway));
      {
        const std::lock_guard held(door);
        clients_in = pool.listen_unix(s.ours.server_socket, 0666, daemons::feed(gateway));
      }
      notes.write(actors::log_event::system, "Svr", "PBS_Server",
                  "Server pid = " + std::to_string(getpid()) + " ready;  using ports Server:" + std::to_string(daemons_in->port()) +
                      " MOM:" + std::to_string(s.conf.mom_service_port) + " RM:" + std::to_string(s.conf.manager_service_port));
      process.ready(s.priv + "/server_out");

      status = end.wait(&text);
      parts.refuse_clients();                                   // before its pool goes
    }                                                           // what was answered has left
    notes.write(actors::log_event::system, "Svr", "PBS_Server", text);
    daemons::end_process(status);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = client::parse_options_or_exit(command, argc, argv);
  if (!line.words.empty()) return client::usage(command);
  try {
    run(line);
  } catch (const std::exception& e) {
    daemons::give_up("pbs_server", e);
  }
}
