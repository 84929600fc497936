// pbs_server: owns the cluster's event log. This file makes the real ports and joins the parts; the rules stand in
// events/model, the actors in actors/server and actors/gateway.
#include <caf/actor_system.hpp>
#include <caf/scheduler/coordinator.hpp>
#include <caf/send.hpp>

#include <openssl/rand.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "actors/feed/feed_actor.hpp"
#include "actors/link/wire/signing.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/replica/status_folds.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/mark_keeper.hpp"
#include "actors/runtime/next_first.hpp"
#include "actors/runtime/system_clock.hpp"
#include "actors/runtime/thread_share.hpp"
#include "actors/server/accounting_actor.hpp"
#include "actors/server/log_checker.hpp"
#include "actors/server_system/maker_folds.hpp"
#include "actors/server_system/server_folds.hpp"
#include "actors/server_system/server_system.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"
#include "hooks-runtime/pool/worker_pool.hpp"
#include "hooks-runtime/worker/landlock_version.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"
#include "tools/daemons/book_marks.hpp"
#include "tools/daemons/caf_system.hpp"
#include "tools/daemons/checkpoint_maker.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/end_of_process.hpp"
#include "tools/daemons/home.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/last_words.hpp"
#include "tools/daemons/log_mask.hpp"
#include "tools/daemons/peer_feed.hpp"
#include "tools/daemons/real_mailers.hpp"
#include "tools/daemons/real_scheduler_processes.hpp"
#include "tools/daemons/sched_call.hpp"
#include "tools/daemons/sched_directories.hpp"
#include "tools/daemons/server_log.hpp"
#include "tools/daemons/topology_files.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

constexpr client::option options[] = {
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'e', "mask", "events that are logged (default 511)"},
    {'L', "file", "the log, one file (default: a file for each day in server_logs)"},
    {'N', nullptr, "stay in the foreground"},
    {'p', "port", "listen for MoMs and schedulers on this port"},
    {'t', "type", "warm (default): go on with the log; create: make a new cluster where none was"},
};
constexpr client::command command = {
    "pbs_server",
    "usage: pbs_server [-d home][-e mask][-L file][-N][-p port][-t warm|create][--accept-clock][--accept-loss]\n"
    "                  [--discard-unknown-runs]\n"
    "       pbs_server [-d home] --checkpoint\n"
    "       pbs_server --version\n",
    options,
};

// The words that PBS's server does not know, beside its letters.
struct own_words {
  bool accept_clock = false, accept_loss = false, discard_unknown_runs = false, checkpoint = false;
};

own_words take_own_words(int& argc, char** argv) {
  own_words words;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--accept-clock") words.accept_clock = true;
    else if (word == "--accept-loss") words.accept_loss = true;
    else if (word == "--discard-unknown-runs") words.discard_unknown_runs = true;
    else if (word == "--checkpoint") words.checkpoint = true;
    else argv[kept++] = argv[i];
  }
  argv[argc = kept] = nullptr;
  return words;
}

// 0: it is no number of a port.
std::uint16_t port_of(const std::string& text) {
  std::uint16_t port = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && at == text.data() + text.size() ? port : std::uint16_t{0};
}

// Which start is asked for (pbs guide: pbs_server -t).
std::optional<std::string> unfit(const client::given& option) {
  if (option.letter == 'L' && !option.value.starts_with('/')) return std::string();
  if (option.letter == 'e' && !daemons::log_mask_of(option.value)) return std::string();
  if (option.letter == 'p' && port_of(option.value) == 0) return std::string();
  if (option.letter != 't' || option.value == "warm" || option.value == "create") return std::nullopt;
  const auto no = [&](const char* why) { return "pbs_server: -t " + option.value + ": " + why; };
  if (option.value == "hot") return no("jobs that run go on through a restart of the server, so there are none to be started first");
  if (option.value == "cold") return no("jobs are never purged at a start; delete them with qdel");
  if (option.value == "updatedb") return no("there is no database to update: logs of earlier versions are read as they are");
  return no("not a type of start; there are warm and create");
}

struct setup {
  client::pbs_conf conf;
  client::annals_conf ours;
  std::string home, priv, host, server;
  std::uint16_t port = 0;
  daemons::log_options options;
  own_words words;
};

setup read_setup(const client::command_line& line, const own_words& words) {
  setup s;
  s.words = words;
  s.conf = client::read_pbs_conf();
  s.home = line.has('d') ? *line.find('d') : s.conf.pbs_home;
  s.ours = client::read_annals_conf(s.home);
  s.priv = s.home + "/server_priv";
  s.host = s.conf.pbs_server.empty() ? daemons::own_host_name() : s.conf.pbs_server.substr(0, s.conf.pbs_server.find(':'));
  s.server = s.host.substr(0, s.host.find('.'));
  s.port = s.ours.listen_port ? s.ours.listen_port : s.conf.batch_service_port;
  if (line.has('p')) s.port = port_of(*line.find('p'));
  const char* const behind_sudo = std::getenv("SUDO_USER");
  const passwd* const user = getpwuid(getuid());
  s.options = {line.has('t') && *line.find('t') == "create", words.accept_loss,
               getuid() == 0 && behind_sudo ? behind_sudo : user ? user->pw_name
                                                                 : std::to_string(getuid()),
               s.host};
  return s;
}

void make_home(const setup& s) {
  daemons::make_directory(s.home, fs::perms(0755));
  daemons::make_directory(s.priv, fs::perms(0750));
  daemons::make_directory(s.home + "/server_logs", fs::perms(0755));
  daemons::make_directory(s.priv + "/accounting", fs::perms(0755));
  daemons::make_directory(s.priv + "/hooks", fs::perms(0750));
  daemons::make_directory(s.priv + "/hooks/tmp", fs::perms(0750));
  daemons::make_directory(s.priv + "/hooks/scratch", fs::perms(0750));
  daemons::make_directory(s.home + "/sched_priv", fs::perms(0750));
  daemons::make_log_directory(s.home + "/sched_log");
  daemons::make_directory(s.home + "/run", fs::perms(0755));
  daemons::make_directory(s.home + "/spool", fs::perms(0755));
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

// Scripts see nothing below PBS_HOME but, where they may use the network, its sockets; they run in a directory of their own.
hooks::pool_settings hook_settings(const setup& s) {
  hooks::pool_settings p;
  p.worker_program = s.conf.pbs_exec + "/libexec/pbs_hook_worker";
  p.local_node = s.host;
  p.pbs_conf = {{"PBS_EXEC", s.conf.pbs_exec}, {"PBS_HOME", s.home}, {"PBS_SERVER", s.host}};
  p.hidden = {s.home};
  p.sockets = s.home + "/run";
  p.debug_directory = s.priv + "/hooks/tmp";
  p.scratch = s.priv + "/hooks/scratch";
  return p;
}

void tell_what_confines_hooks(actors::daemon_log& notes) {
  if (hooks::landlock_version() == 0)
    notes.write(actors::log_event::force | actors::log_event::admin, "Svr", "PBS_Server",
                "this kernel has no Landlock: what hooks write to is bounded by read-only mounts alone, without root only where users have "
                "namespaces");
}

// A start that is refused is told line by line, to the administrator's terminal and to the server's log.
daemons::server_log open_log(const setup& s, actors::daemon_log& notes) {
  const auto note = [&notes](const std::string& line) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "PBS_Server", line);
  };
  try {
    return daemons::open_server_log(s.priv, s.options, [&](const std::string& line) {
      note(line);
      client::print_error("pbs_server: %s\n", line.c_str());
    });
  } catch (const std::exception& e) {
    std::istringstream lines(e.what());
    for (std::string line; std::getline(lines, line);) note(line);
    throw;
  }
}

// listening: a scheduler asks the server about itself when it starts.
daemons::scheduler_installation scheduler_installation(const setup& s, const client::command_line& line,
                                                       std::shared_future<void> listening) {
  return {.program = s.conf.pbs_exec + "/sbin/pbs_sched",
          .defaults = s.conf.pbs_exec + "/etc",
          .home = line.has('d') ? s.home : "",
          .server_port = line.has('p') ? s.port : std::uint16_t{0},
          .after = std::move(listening)};
}

// annals.conf: start_schedulers = off, for who starts them by hand.
bool starts_schedulers(const setup& s, actors::daemon_log& notes) {
  const auto wanted = s.ours.get("start_schedulers", "on");
  if (wanted == "off")
    notes.write(actors::log_event::admin, "Svr", "PBS_Server", "start_schedulers is off: no scheduler is started by this server");
  else if (wanted != "on")
    notes.write(actors::log_event::error, "Fil", "annals.conf", "start_schedulers: not on or off: " + wanted + "; it is on");
  return wanted != "off";
}

// MoMs keep what the server signs, and are believed only when they say it again.
actors::log_witnesses hear_moms(const setup& s, std::shared_ptr<wire::signer> key, const std::function<void(const std::string&)>& stop) {
  actors::log_witnesses w;
  w.sign = [key](schema::byte_span text) { return key->sign(log::log_mark_purpose, text); };
  w.signed_by_us = [check = std::make_shared<wire::signature_check>(wire::credentials::bundle(s.priv + "/daemon.pem"))](
                       schema::byte_span text, const std::string& signature, const std::string& certificate) {
    try {
      return check->signer_of(log::log_mark_purpose, text, {signature, certificate}).what == wire::identity::kind::server;
    } catch (const wire::wire_error&) {
      return false;
    }
  };
  w.log_is_short = [file = daemons::witness_file(s.priv), stop](const log::witness& witness, const std::string& text) {
    std::string trouble;
    try {
      log::replace_file(file, log::print(witness.mark));
    } catch (const std::exception& e) {
      trouble = std::string("; ") + e.what();
    }
    stop(text + "; put the right log back, or start once with --accept-loss" + trouble);
  };
  w.discard_unknown_runs = s.words.discard_unknown_runs;
  return w;
}

// A checkpoint goes no further than the books: what is behind them would have to be read past.
int make_checkpoint(const setup& s) {
  return daemons::make_checkpoint({s.priv, [&] { return std::make_unique<actors::maker_folds>(s.home); },
                                   [&] { return daemons::books_are_at(s.priv); },
                                   "nothing that is written down in accounting and mail came since the last one"});
}

daemons::checkpoint_maker_parts checkpoint_parts(const setup& s, const ports::record_log* log, actors::daemon_log& notes) {
  const auto wrong = [&](const std::string& text) { notes.write(actors::log_event::error, "Fil", "annals.conf", text); };
  return {s.priv,
          {"pbs_server", "-d", s.home, "--checkpoint"},
          daemons::read_checkpoint_pace(s.ours, wrong),
          [priv = s.priv] { return daemons::books_are_at(priv); },
          log,
          [&notes](const std::string& text) { notes.write(actors::log_event::error, "Svr", "PBS_Server", text); }};
}

// Where the start begins. A log of which part was lost is read as a whole.
std::optional<actors::checkpoint> last_checkpoint(const setup& s, const daemons::server_log& opened, actors::daemon_log& notes) {
  if (opened.loss || opened.store->last_sequence() == 0) return std::nullopt;
  auto found = actors::usable_checkpoint(actors::checkpoint_file(daemons::checkpoint_directory(s.priv)), log::log_reader(*opened.store));
  if (auto* checkpoint = std::get_if<actors::checkpoint>(&found)) return std::move(*checkpoint);
  if (const auto& why = std::get<std::string>(found); !why.empty())
    notes.write(actors::log_event::admin, "Svr", "PBS_Server", "the checkpoint is not used: " + why);
  return std::nullopt;
}

void say_accepted(actors::daemon_log& notes, const log::loss_to_accept& loss) {
  notes.write(actors::log_event::force | actors::log_event::admin, "Svr", "PBS_Server",
              "the loss of part of the log was accepted by " + loss.by + "@" + loss.host +
                  "; scheduling is off until `qmgr -c 'set server scheduling = true'`");
}

// A fold that goes on as a follower when the start is over.
template <class Follower>
actors::named_fold followed(const char* name, std::shared_ptr<Follower> f) {
  return {name, [f](const log::record& r) { f->replayed(r); }, {}, [f](stored::reader& from) { f->restore(from); }, [f] { f->empty(); }};
}

// Followers get what the processors have left.
caf::behavior feed_in_the_background(caf::event_based_actor* self, const actors::feed_parts& parts) {
  actors::set_thread_share(actors::yielding_share);
  return actors::feed_actor(self, parts);
}

// The gateway as other threads know it: signals and marks may come before it is there.
class known_gateway {
 public:
  void introduce(const caf::actor& gateway) {
    const std::lock_guard held(guard_);
    gateway_ = gateway;
  }
  // False: it is not there yet, and is not told.
  template <class Message>
  bool tell(Message message) const {
    const std::lock_guard held(guard_);
    if (gateway_) caf::anon_send(gateway_, std::move(message));
    return static_cast<bool>(gateway_);
  }

 private:
  mutable std::mutex guard_;
  caf::actor gateway_;
};

[[noreturn]] void run(const client::command_line& line, const own_words& words) {
  const auto s = read_setup(line, words);
  if (words.checkpoint) daemons::end_process(make_checkpoint(s));
  if (s.options.create) daemons::check_conf(s.conf);
  else daemons::check_home(s.conf, s.home, "server_priv", "pbs_server -t create");
  make_home(s);
  daemons::background process(line.has('N'));
  const daemons::lock_file lock(s.priv + "/server.lock", 0600, "pbs_server: another server running");
  daemons::raise_open_files();

  daemons::end_of_process end;
  const std::uint32_t mask = line.has('e') ? *daemons::log_mask_of(*line.find('e')) : daemons::default_log_mask;
  const bool one_log = line.has('L');
  actors::daemon_log notes(one_log ? *line.find('L') : s.home + "/server_logs", "Server@" + s.server, mask, s.conf.log_highres_timestamp,
                           one_log);
  known_gateway gateway;
  const daemons::signal_watch signals([&](int signal) {
    if (signal == SIGHUP) return notes.reopen();
    if (!gateway.tell(actors::stop_server{"quick"})) end.come(0, "stopped before it was ready");
  });

  notes.write(actors::log_event::system, "Svr", "Server@" + s.server, "pbs_version=" + client::pbs_version(s.ours));
  notes.write(actors::log_event::system, "Svr", "Server@" + s.server, std::string("annals_version=") + client::annals_version);
  for (const auto& problem : s.conf.problems) notes.write(actors::log_event::error, "Fil", "pbs.conf", problem);
  for (const auto& problem : s.ours.problems) notes.write(actors::log_event::error, "Fil", "annals.conf", problem);

  const auto stop = [&notes](const std::string& text) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "PBS_Server", text);
    daemons::stop_at_once("pbs_server", text);
  };
  if (const auto why = daemons::why_open_to_others({s.home, s.priv, s.home + "/annals.conf", s.home + "/pbs_environment"}); !why.empty()) {
    notes.write(actors::log_event::force | actors::log_event::error, "Svr", "PBS_Server", why);
    daemons::give_up("pbs_server", std::runtime_error(why));
  }
  const actors::system_clock clock;
  auto certificates = std::async(std::launch::async, [&s] {  // beside the log, which takes longer
    make_certificates(s);
    return std::make_shared<wire::signer>(wire::credentials::bundle(s.priv + "/daemon.pem"));
  });
  auto opened = open_log(s, notes);
  const auto key = certificates.get();
  auto from = last_checkpoint(s, opened, notes);
  const auto store = std::move(opened.store);
  if (opened.identity.empty()) opened.identity = random_bytes(16);
  daemons::make_directory(s.priv + "/uploads", fs::perms(0700));

  actors::set_thread_share(actors::prompt_share);  // for every thread from here on
  daemons::next_first_config config;
  caf::actor_system system(config);
  std::promise<void> listening;
  daemons::real_scheduler_processes schedulers(scheduler_installation(s, line, listening.get_future().share()));
  daemons::or_give_up("pbs_server", [&] {
    actors::server_system_parts parts;
    if (starts_schedulers(s, notes)) parts.schedulers.processes = &schedulers;
    parts.schedulers.call = daemons::call_scheduler;
    parts.schedulers.certificate = [ca = s.priv + "/ca"](const std::string& name) {
      return wire::authority::open(ca).issue(wire::identity::kind::scheduler, name).bundle();
    };
    parts.store = store.get();
    parts.clock = &clock;
    parts.notes = &notes;
    parts.log_mask_is_given = line.has('e');
    parts.self = {client::pbs_version(s.ours), s.server, s.server, time_zone(), opened.identity};
    parts.loss = opened.loss;
    parts.pbs_home = s.home;
    parts.server_uid = getuid();
    parts.remote_callers_max =
        std::clamp<std::size_t>(wire::descriptors_of_process() / limits::remote_caller_share, 2, limits::remote_callers_max);
    parts.upload_directory = s.priv + "/uploads";
    parts.scratch_directory = s.priv;
    parts.sign_ticket = [key](schema::byte_span ticket) { return key->sign(model::ticket_purpose, ticket); };
    parts.witnesses = hear_moms(s, key, stop);
    tell_what_confines_hooks(notes);
    hooks::worker_pool hook_workers(hook_settings(s));
    parts.runner = &hook_workers;
    parts.hook_directory = s.priv + "/hooks";
    parts.keep_sockets = [directory = s.priv + "/topology", &notes](const std::string& host, std::optional<unsigned> sockets) {
      if (const auto why = daemons::keep_sockets(directory, host, sockets); !why.empty())
        notes.write(actors::log_event::error, "Node", host, why);
    };
    parts.disk_writable = [&] { return daemons::has_space(s.priv); };
    parts.stop_process = stop;
    parts.accept_clock = s.words.accept_clock;
    const auto note_error = [&notes](const std::string& text) { notes.write(actors::log_event::error, "Svr", "PBS_Server", text); };
    const auto accounting = actors::make_accounting({s.priv + "/accounting", s.priv + "/views/accounting", store.get(), note_error});
    const auto marks = std::make_shared<actors::mark_keeper>(
        actors::mark_keeper_parts{daemons::mark_file(s.priv), opened.identity, store.get(), note_error, opened.is_copy});
    const auto mail = daemons::make_server_mail(s.priv, opened.identity, *store, note_error);
    parts.books = {followed(actors::accounting_fold, accounting), followed(actors::mail_fold, mail), followed(actors::mark_fold, marks)};
    parts.from = std::move(from);
    parts.rows_directory = daemons::checkpoint_directory(s.priv);
    parts.patient_followers = {system.spawn<caf::detached>(actors::accounting_actor, accounting),
                               system.spawn<caf::detached>(actors::mail_actor, mail)};
    const auto writers = parts.patient_followers;
    parts.marks = marks;
    parts.mark_writer =
        system.spawn<caf::detached>(actors::mark_actor, marks, [&](const log::log_mark& m) { gateway.tell(actors::log_marked{m}); });
    actors::feed_parts feed;
    feed.log = store.get();
    feed.identity = opened.identity;
    feed.note = [&notes](const std::string& text) { notes.write(actors::log_event::system, "Svr", "PBS_Server", text); };
    feed.stop_process = stop;
    parts.feed = system.spawn<caf::detached>(feed_in_the_background, feed);
    std::mutex door;  // of clients_in: an orderly stop closes it while they come in
    std::unique_ptr<wire::listener> clients_in;
    parts.refuse_clients = [&] {
      std::unique_ptr<wire::listener> closes;  // when the door is free: it waits for the I/O thread, which may come here too
      const std::lock_guard held(door);
      closes.swap(clients_in);
    };
    parts.witnesses.is_copy = opened.is_copy;
    parts.witnesses.trusted = [marks, writer = parts.mark_writer] {
      marks->trust();
      caf::anon_send(writer, actors::mark_due{});
    };
    parts.shut_down = [&](const std::string&) { end.come(0, "Server shutdown completed"); };
    const actors::server_system server(system, parts);
    parts.from.reset();  // its file is in memory
    gateway.introduce(server.gateway());
    if (marks->write_all()) {
      daemons::forget_former_log(s.priv);
      gateway.tell(actors::log_marked{marks->mark()});
    }
    if (opened.loss) say_accepted(notes, *opened.loss);
    for (const auto& w : writers) caf::anon_send(w, actors::disk_state{false});  // what the last run left to be written and sent
    std::optional<actors::log_checker> checker;
    daemons::checkpoint_maker checkpoints(checkpoint_parts(s, store.get(), notes));

    std::string text;
    int status = 0;
    {
      auto handler = daemons::feed_with_bounds(server.gateway());
      handler.opened = {};  // it hears of a peer with the peer's first word
      daemons::handle_lone_frames_here(system, handler);
      handler.closed = [&system, tell = handler.closed](const wire::connection_ptr& of, const std::string& why) {
        actors::next_first::here(system, [&] { tell(of, why); });
      };
      handler.failed = [&](const std::string& why) { notes.write(actors::log_event::error, "Svr", "PBS_Server", why); };
      handler.last_words = daemons::server_last_words;
      wire::io_pool pool;
      const auto daemons_in = pool.listen_tls(s.ours.listen_address, s.port, wire::credentials::bundle(s.priv + "/daemon.pem"), handler);
      {
        const std::lock_guard held(door);
        clients_in = pool.listen_unix(s.ours.server_socket, 0666, handler);
      }
      notes.write(actors::log_event::system, "Svr", "PBS_Server",
                  "Server pid = " + std::to_string(getpid()) + " ready;  using ports Server:" + std::to_string(daemons_in->port()) +
                      " MOM:" + std::to_string(s.conf.mom_service_port) + " RM:" + std::to_string(s.conf.manager_service_port));
      process.ready(s.priv + "/server_out");
      listening.set_value();
      checker.emplace(actors::log_checker_parts{.store = store.get(),
                                                .clock = &clock,
                                                .file = log::check_notes_file(s.priv + "/log"),
                                                .log = s.priv + "/log",
                                                .note = note_error});

      status = end.wait(&text);
      checker->stop();
      parts.refuse_clients();  // before its pool goes
    }                          // what was answered has left
    marks->write_all();
    if (status == 0) checkpoints.make_last();
    notes.write(actors::log_event::system, "Svr", "PBS_Server", text);
    daemons::end_process(status);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto words = take_own_words(argc, argv);
  const auto line = client::parse_options_or_exit(command, argc, argv, unfit);
  if (!line.words.empty()) return client::usage(command);
  try {
    run(line, words);
  } catch (const std::exception& e) {
    daemons::give_up("pbs_server", e);
  }
}
