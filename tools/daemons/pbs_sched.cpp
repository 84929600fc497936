// pbs_sched: a scheduler of the cluster. Connects to the server, keeps a view, runs the cycles it is told to run and
// proposes; it never writes state. This file is the parts and how they are joined; what is decided stands in
// actors/scheduler.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/scheduler/cycle_driver.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/sha256.hpp"
#include "tools/client/version.hpp"
#include "tools/client/without_effect.hpp"
#include "tools/daemons/amount_script.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/local_clock.hpp"
#include "tools/daemons/sched_directories.hpp"
#include "tools/daemons/sched_first_start.hpp"
#include "tools/daemons/sched_limits.hpp"
#include "tools/daemons/sched_mailbox.hpp"
#include "tools/daemons/sched_object.hpp"
#include "tools/daemons/sched_places.hpp"
#include "tools/daemons/sched_port.hpp"
#include "tools/replay/command.hpp"

using namespace annals;

namespace {

constexpr client::option options[] = {
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'I', "name", "be the scheduler of this scheduler object (default: default)"},
    {'L', "file", "no effect: the log is a file for each day in sched_log"},
    {'l', "directory", "begin with this sched_log (default: as the server says, else sched_log or sched_log_NAME)"},
    {'N', nullptr, "stay in the foreground"},
    {'n', nullptr, "no effect: nothing restarts itself"},
    {'P', "directory", "begin with this sched_priv (default: as the server says, else sched_priv or sched_priv_NAME)"},
    {'p', "file", "where output of the program goes (default: sched_priv/sched_out)"},
    {'S', "port", "listen at this port (default: sched_port of the object, else the first free one from 15050)"},
    {'R', "port", "no effect: nobody connects to a scheduler to start cycles"},
    {'a', "seconds", "no effect: it is obsolete"},
    {'c', "file", "no effect: who may connect is told by certificates"},
    {'t', "threads", "no effect: a cycle runs in one thread"},
};
constexpr client::command command = {
    "pbs_sched",
    "usage: pbs_sched [-d home][-I scheduler name][-L logfile][-l sched_log][-N][-n][-P sched_priv][-p outputfile][-S port][-R port]\n"
    "                 [-t threads][-c clientsfile][-a alarm]\n"
    "       pbs_sched --replay log [--policy file] [--json]\n"
    "       pbs_sched --version\n",
    options,
};

class wall_clock : public ports::clock {
 public:
  std::int64_t now_ns() const override {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }
};

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string short_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

using trouble = actors::directory_keeper::trouble;

// What is wrong with the directories that a scheduler was to begin with.
struct unusable {
  trouble priv = trouble::NONE;
  bool logs = false;
  std::string why;  // the line
};

class scheduler {
 public:
  scheduler(daemons::sched_places where, std::unique_ptr<daemons::lock_file> lock, unusable wrong, actors::daemon_log& log,
            daemons::sched_port::on_call called)
      : where_(std::move(where)),
        called_(std::move(called)),
        lock_(std::move(lock)),
        wrong_(std::move(wrong)),
        log_(log),
        port_(open_port()),
        driver_(identity(),
                {[this](const auto& m) {
                   if (connection_) connection_->send(m);
                 },
                 [this](auto event, auto cls, auto object, auto text) { log_.write(event, cls, object, text); }, &clock_,
                 [this](const std::string& d) { return use_priv(d); }, [this](const std::string& d) { return use_logs(d); },
                 [this](std::uint16_t port) { return listen(port); }, daemons::has_program,
                 [this](const auto& command, auto seconds) { return run_site_program(command, seconds); }}) {
    read_policy();
  }

  // False: the scheduler is to end.
  bool handle(const daemons::happening& h) {
    using actors::log_event::admin;
    const actors::daemon_log::gathering lines(log_);
    switch (h.what) {
      case daemons::happening::kind::opened:
        unreachable_ = false;
        log_.write(admin, "Sched", "pbs_sched", "Connected to the server");
        if (wrong_.why.empty()) reconfigure(std::exchange(was_connected_, true));  // before it says anything
        connection_ = h.connection;
        driver_.connected();
        if (!wrong_.why.empty()) tell_and_end();
        return true;
      case daemons::happening::kind::closed:
        if (connection_ == h.connection) connection_.reset();
        log_.write(admin, "Sched", "pbs_sched", "Disconnected from the server: " + h.text);
        return wrong_.why.empty();
      case daemons::happening::kind::failed:
        log_.write(actors::log_event::error, "Svr", "pbs_sched", h.text);
        no_server();
        return wrong_.why.empty();
      case daemons::happening::kind::called:
        if (!connection_) log_.write(actors::log_event::debug, "Sched", "pbs_sched", "Called by the server");
        return true;
      case daemons::happening::kind::signal: return on_signal(h.signal);
      case daemons::happening::kind::received: return h.connection != connection_ || on_message(h);
    }
    return true;
  }

  // It has begun: the server said what it is, or can't be asked now.
  bool has_begun() const { return wrong_.why.empty() && (driver_.knows_object() || unreachable_); }
  // Once for each time that the server is out of reach (MS-56).
  void no_server() {
    if (!std::exchange(unreachable_, true))
      log_.write(actors::log_event::error, "Sched", where_.name, "Unable to retrieve the scheduler attributes from server");
  }
  bool is_connected() const { return connection_ != nullptr; }
  // Why it can't be this scheduler; empty: it can.
  const std::string& why() const { return wrong_.why.empty() ? driver_.why() : wrong_.why; }

 private:
  actors::scheduler_identity identity() const {
    return {where_.name,
            where_.host.empty() ? short_host_name() : where_.host,
            client::pbs_version(),
            static_cast<std::uint32_t>(getpid()),
            port_ ? port_->port() : std::uint16_t{0},
            where_.port_given,
            {where_.priv, where_.logs}};
  }

  std::unique_ptr<daemons::sched_port> open_port() const {
    if (where_.picks_port) return daemons::sched_port::first_free(where_.address, limits::scheduler_ports_from, called_);
    return where_.port != 0 ? std::make_unique<daemons::sched_port>(where_.address, where_.port, called_) : nullptr;
  }

  // What it says stays visible in its object.
  void tell_and_end() {
    connection_->send(actors::directories_message({where_.priv, where_.logs}, wrong_.priv, wrong_.logs));
    connection_->close(wrong_.why);
  }

  bool on_signal(int signal) {
    if (signal != SIGHUP) return false;
    log_.reopen();
    log_.write(actors::log_event::system, "Svr", "restart", "restart on signal 1");
    reconfigure();
    driver_.try_directories_again();
    return true;
  }

  bool on_message(const daemons::happening& h) {
    try {
      switch (driver_.received(h.message.root<schema::ToScheduler>())) {
        case actors::cycle_driver::next::go_on: break;
        case actors::cycle_driver::next::reread_policy: reconfigure(); break;
        case actors::cycle_driver::next::stop:
        case actors::cycle_driver::next::give_up: return false;
      }
    } catch (const kj::Exception& e) {
      connection_->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
    log_.set_mask(driver_.log_events());
    return true;
  }

  trouble use_priv(const std::string& directory) {
    std::error_code unknown;
    if (std::filesystem::equivalent(directory, where_.priv, unknown)) return where_.priv = directory, trouble::NONE;
    if (const auto why = daemons::trouble_with_priv(directory, where_.home); !why.empty())
      return complain(directory, why), trouble::NOT_VALID;
    try {
      auto lock = lock_of(directory);
      keep_certificate(directory);
      lock_ = std::move(lock);
    } catch (const std::exception& e) {
      return complain(directory, e.what()), trouble::UNREACHABLE;
    }
    where_.priv = directory;
    reconfigure();
    return trouble::NONE;
  }

  std::optional<std::string> use_logs(const std::string& wanted) {
    const auto directory = daemons::log_directory_at(wanted);
    if (directory == where_.logs) return directory;
    auto why = daemons::trouble_with_logs(directory, where_.home);
    if (why.empty() && !log_.move_to(directory)) why = "the file of today can't be written";
    if (!why.empty()) return complain(directory, why), std::nullopt;
    return where_.logs = directory;
  }

  bool listen(std::uint16_t port) {
    try {
      port_ = std::make_unique<daemons::sched_port>(where_.address, port, called_);
    } catch (const std::exception& e) {
      log_.write(actors::log_event::error, "Svr", "sched_port", e.what());
      return false;
    }
    return true;
  }

  void complain(const std::string& directory, const std::string& why) {
    log_.write(actors::log_event::error, "Fil", directory, why);
  }

  // The next start finds it there.
  void keep_certificate(const std::string& directory) const {
    const auto kept = directory + "/daemon.pem";
    if (std::filesystem::exists(kept)) return;
    if (const auto bundle = read_file(where_.priv + "/daemon.pem")) wire::create_private_file(kept, *bundle);
  }

  // At the first connection the files that were read at the start are still good.
  void reconfigure(bool reads = true) {
    log_.write(actors::log_event::sched, "Sched", "reconfigure", "Scheduler is reconfiguring");
    if (reads) read_policy();
    log_.write(actors::log_event::debug, "Req", "", "Updating scheduler attributes");
  }

  // `reader`: as PBS names what reads the file.
  std::string read_times(const std::string& file, const std::string& reader) {
    const auto text = read_file(where_.priv + "/" + file);
    if (!text)
      log_.write(actors::log_event::error, "Svr", "pbs_sched",
                 std::string(std::strerror(ENOENT)) + " (" + std::to_string(ENOENT) + ") in " + reader + ", Error opening file " + file);
    return text.value_or("");
  }

  // The command is sched_config's word.
  actors::script_answer run_site_program(const std::string& command, std::int64_t seconds) {
    const auto why = daemons::trouble_with_config(where_.priv);
    if (why.empty()) {
      log_.write_gathered();
      return daemons::run_amount_script(command, seconds);
    }
    complain("sched_config", why + ": no program that it names is run");
    return {actors::script_answer::kind::unsafe, {}};
  }

  // A site that has no sched_config of its own gets the shipped one.
  void read_policy() {
    auto text = read_file(where_.priv + "/sched_config");
    if (!text) {
      log_.write(actors::log_event::error, "Fil", "sched_config", "Can not open file: " + where_.priv + "/sched_config");
      text = read_file(where_.exec + "/etc/pbs_sched_config");
    }
    const auto config = text.value_or(""), groups = read_file(where_.priv + "/resource_group").value_or("");
    const auto holidays = read_times("holidays", "parse_holidays"), dedicated = read_times("dedicated_time", "parse_ded_file");
    const auto zone = daemons::local_clock(clock_.now_ns() / 1'000'000'000).text();
    const auto policy = cycle::policy_text({.sched_config = config,
                                            .resource_group = groups,
                                            .holidays = holidays,
                                            .dedicated_time = dedicated,
                                            .time_zone = zone});
    const auto digest = client::sha256(policy);
    driver_.set_policy(policy, std::string(reinterpret_cast<const char*>(digest.data()), digest.size()));
  }

 public:
  static std::unique_ptr<daemons::lock_file> lock_of(const std::string& priv) {
    return std::make_unique<daemons::lock_file>(priv + "/sched.lock", 0644, "pbs_sched: another scheduler running",
                                                daemons::lock_file::at_end::emptied);
  }

 private:
  daemons::sched_places where_;
  const daemons::sched_port::on_call called_;
  std::unique_ptr<daemons::lock_file> lock_;
  const unusable wrong_;
  actors::daemon_log& log_;
  std::unique_ptr<daemons::sched_port> port_;
  wall_clock clock_;
  wire::connection_ptr connection_;
  actors::cycle_driver driver_;
  bool unreachable_ = false, was_connected_ = false;
};

// The default scheduler's directories can't be changed: what is wrong with them is a line in its log, and it goes on.
unusable look_at(const daemons::sched_places& where, const std::string& home) {
  unusable found;
  const auto priv = daemons::trouble_with_priv(where.priv, home);
  const bool own_logs = where.logs.starts_with(home + "/sched_log");
  const auto logs = own_logs ? std::string() : daemons::trouble_with_logs(where.logs, home);
  if (!priv.empty()) {
    found.priv = trouble::NOT_VALID;
    found.why = "PBS failed validation checks for directory " + where.priv + ": " + priv;
  }
  if (!logs.empty()) {
    found.logs = true;
    if (found.why.empty()) found.why = "Unable to change the sched_log directory to " + where.logs + ": " + logs;
  }
  return found;
}

std::string how_to_make(const std::string& name) {
  return name == "default" ? "pbs_habitat sched" : "pbs_habitat sched:" + name;
}

// Its log says what the terminal is told; of one without a directory for it only the terminal is.
[[noreturn]] void refuse_to_start(actors::daemon_log& log, const std::string& name, const std::string& why) {
  log.write(actors::log_event::error, "Sched", name, why);
  throw std::runtime_error(why);
}

int run(const client::command_line& line) {
  const auto conf = client::read_pbs_conf();
  const std::string name = line.has('I') ? *line.find('I') : "default";
  const std::string home = line.has('d') ? *line.find('d') : conf.pbs_home;
  const auto ours = client::read_annals_conf(home);
  if (name == "default") daemons::check_home(conf, home, "sched_priv", how_to_make(name));
  else daemons::check_conf(conf);

  daemons::background process(line.has('N'));
  daemons::mailbox mail;
  const daemons::signal_watch signals([&](int s) { mail.put({daemons::happening::kind::signal, {}, {}, {}, s}); });
  const auto object = daemons::ask_for_object(conf.server_host(), ours.server_socket, name);
  if (object && !object->exists)
    throw std::runtime_error("Unable to retrieve the scheduler attributes from server: Unknown Scheduler " + name);
  auto where = daemons::places_of(conf, line, home, ours, name, object);
  if (object) daemons::make_missing_priv(where);
  if (std::error_code unknown; !std::filesystem::is_directory(where.priv, unknown))
    throw std::runtime_error("PBS failed validation checks for directory " + where.priv + ": it is no directory; `" + how_to_make(name) +
                             "` makes one");

  where.logs = daemons::ready_logs(where);
  auto wrong = look_at(where, home);
  auto lock = wrong.priv == trouble::NONE || name == "default" ? scheduler::lock_of(where.priv) : nullptr;
  if (object && wrong.priv == trouble::NONE) daemons::make_missing_certificate(where);
  if (wrong.logs) daemons::make_log_directory(home + "/sched_log_" + name);
  actors::daemon_log log(wrong.logs ? home + "/sched_log_" + name : where.logs, "pbs_sched", 767, conf.log_highres_timestamp);
  using actors::log_event::system;
  log.write(system, "Svr", "pbs_sched", "pbs_version=" + client::pbs_version());
  log.write(system, "Svr", "pbs_sched", std::string("annals_version=") + client::annals_version);
  log.write(system, "Svr", "sched_main", "pbs_sched startup pid " + std::to_string(getpid()));
  for (const auto& problem : conf.problems) log.write(actors::log_event::error, "Fil", "pbs.conf", problem);
  if (!wrong.why.empty()) log.write(actors::log_event::error, "Sched", name, wrong.why);
  if (name == "default") wrong = {};
  else if (object && object->partition.empty()) refuse_to_start(log, name, "Scheduler does not contain a partition");
  if (!wrong.why.empty()) where.port = 0, where.picks_port = false;

  scheduler self(where, std::move(lock), wrong, log, [&mail] { mail.put({daemons::happening::kind::called, {}, {}, {}, 0}); });
  wire::io_pool pool;
  wire::handler h;
  h.opened = [&](const wire::connection_ptr& c) { mail.put({daemons::happening::kind::opened, c, {}, {}, 0}); };
  h.received = [&](const wire::connection_ptr& c, schema::sealed_message m) {
    mail.put({daemons::happening::kind::received, c, std::move(m), {}, 0});
  };
  h.closed = [&](const wire::connection_ptr& c, const std::string& why) { mail.put({daemons::happening::kind::closed, c, {}, why, 0}); };
  h.failed = [&](const std::string& why) { mail.put({daemons::happening::kind::failed, {}, {}, why, 0}); };
  const auto dialer = pool.dial_tls(conf.server_host(), ours.listen_port ? ours.listen_port : conf.batch_service_port,
                                    wire::credentials::bundle(where.priv + "/daemon.pem"), wire::identity::kind::server, h);
  // Who starts it hears whether it can be this scheduler; a server that says nothing is waited for in the background.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(limits::scheduler_start_ms);
  for (bool begun = false;;) {
    const auto next = begun ? mail.take() : mail.take(until);
    if (next && next->what == daemons::happening::kind::called && !self.is_connected()) dialer->now();
    const bool goes_on = next ? self.handle(*next) : (self.no_server(), self.why().empty());
    if (!goes_on) {
      if (!begun && !self.why().empty()) throw std::runtime_error(self.why());
      break;
    }
    if (!begun && self.has_begun()) {
      process.ready(line.has('p') ? *line.find('p') : where.priv + "/sched_out");
      begun = true;
    }
  }
  log.write(system, "Svr", "pbs_sched", "Scheduler is shutting down");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (replay::is_replay(argc, argv)) return replay::run_replay(argc, argv);
    const auto line = client::parse_options_or_exit(command, argc, argv);
    if (!line.words.empty()) return client::usage(command);
    client::warn_of_options_without_effect(command, line);
    return run(line);
  } catch (const std::exception& e) {
    client::print_error("%s\n",
                        std::string(e.what()).rfind("pbs_sched", 0) == 0 ? e.what() : ("pbs_sched: " + std::string(e.what())).c_str());
    return 1;
  }
}
