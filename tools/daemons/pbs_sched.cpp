// pbs_sched: a scheduler of the cluster. Connects to the server, keeps a view, runs the cycles it is told to run and
// proposes; it never writes state. This file is the parts and how they are joined; what is decided stands in
// actors/scheduler.
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/scheduler/cycle_driver.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/sha256.hpp"
#include "tools/client/version.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/home_check.hpp"

using namespace annals;

namespace {

constexpr client::option options[] = {
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'I', "name", "be the scheduler of this scheduler object (default: default)"},
    {'L', "file", "accepted; the log is sched_logs/YYYYMMDD"},
    {'N', nullptr, "stay in the foreground"},
    {'n', nullptr, "accepted; nothing restarts itself"},
    {'p', "file", "where output of the program goes (default: sched_priv/sched_out)"},
    {'S', "port", "accepted; the scheduler connects to the server and needs no port"},
    {'R', "port", "accepted, see -S"},
    {'a', "seconds", "accepted; obsolete"},
    {'c', "file", "accepted; who may connect is told by certificates"},
    {'t', "threads", "accepted; a cycle runs in one thread"},
};
constexpr client::command command = {
    "pbs_sched",
    "usage: pbs_sched [-d home][-I scheduler name][-L logfile][-N][-n][-p outputfile][-S port][-R port][-t threads]\n"
    "                 [-c clientsfile][-a alarm]\n"
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

struct places {
  std::string home, exec, priv, logs;
};

places places_of(const client::pbs_conf& conf, const client::command_line& line, const std::string& name) {
  places p;
  p.home = line.has('d') ? *line.find('d') : conf.pbs_home;
  p.exec = conf.pbs_exec;
  if (name == "default") {
    p.priv = p.home + "/sched_priv";
    p.logs = p.home + "/sched_logs";
    return p;
  }
  p.priv = p.home + "/sched_priv_" + name;
  p.logs = p.home + "/sched_log_" + name;
  // A site may have made the directory under its older name.
  const std::string older = p.home + "/sched_logs_" + name;
  std::error_code gone;
  if (!std::filesystem::exists(p.logs, gone) && std::filesystem::is_directory(older, gone)) p.logs = older;
  return p;
}

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

// What the threads of sockets and signals tell the one that schedules.
struct happening {
  enum class kind { opened,
                    received,
                    closed,
                    failed,
                    signal };
  kind what;
  wire::connection_ptr connection;
  schema::sealed_message message;
  std::string text;
  int signal = 0;
};

class mailbox {
 public:
  void put(happening h) {
    std::lock_guard held(guard_);
    waiting_.push_back(std::move(h));
    arrived_.notify_one();
  }
  happening take() {
    std::unique_lock held(guard_);
    arrived_.wait(held, [&] { return !waiting_.empty(); });
    happening h = std::move(waiting_.front());
    waiting_.pop_front();
    return h;
  }

 private:
  std::mutex guard_;
  std::condition_variable arrived_;
  std::deque<happening> waiting_;
};

class scheduler {
 public:
  scheduler(places where, actors::scheduler_identity self, actors::daemon_log& log)
      : where_(std::move(where)),
        log_(log),
        driver_(std::move(self),
                {[this](const auto& m) {
                   if (connection_) connection_->send(m);
                 },
                 [this](auto event, auto cls, auto object, auto text) { log_.write(event, cls, object, text); }, &clock_}) {
    read_policy();
  }

  // False: the scheduler is to end.
  bool handle(const happening& h) {
    using actors::log_event::admin;
    const actors::daemon_log::gathering lines(log_);
    switch (h.what) {
      case happening::kind::opened:
        connection_ = h.connection;
        log_.write(admin, "Sched", "pbs_sched", "Connected to the server");
        driver_.connected();
        return true;
      case happening::kind::closed:
        if (connection_ == h.connection) connection_.reset();
        log_.write(admin, "Sched", "pbs_sched", "Disconnected from the server: " + h.text);
        return true;
      case happening::kind::failed:
        log_.write(actors::log_event::error, "Svr", "pbs_sched", h.text);
        return true;
      case happening::kind::signal: return on_signal(h.signal);
      case happening::kind::received: return h.connection != connection_ || on_message(h);
    }
    return true;
  }

 private:
  bool on_signal(int signal) {
    if (signal != SIGHUP) return false;
    log_.reopen();
    log_.write(actors::log_event::system, "Svr", "restart", "restart on signal 1");
    reconfigure();
    return true;
  }

  bool on_message(const happening& h) {
    try {
      switch (driver_.received(h.message.root<schema::ToScheduler>())) {
        case actors::cycle_driver::next::go_on: break;
        case actors::cycle_driver::next::reread_policy: reconfigure(); break;
        case actors::cycle_driver::next::stop: return false;
      }
    } catch (const kj::Exception& e) {
      connection_->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
    log_.set_mask(driver_.log_events());
    return true;
  }

  void reconfigure() {
    log_.write(actors::log_event::sched, "Sched", "reconfigure", "Scheduler is reconfiguring");
    read_policy();
    log_.write(actors::log_event::debug, "Req", "", "Updating scheduler attributes");
  }

  // A site that has no sched_config of its own gets the shipped one.
  void read_policy() {
    auto text = read_file(where_.priv + "/sched_config");
    if (!text) {
      log_.write(actors::log_event::error, "Fil", "sched_config", "Can not open file: " + where_.priv + "/sched_config");
      text = read_file(where_.exec + "/etc/pbs_sched_config");
    }
    const auto digest = client::sha256(text.value_or(""));
    driver_.set_policy(text.value_or(""), std::string(reinterpret_cast<const char*>(digest.data()), digest.size()));
  }

  places where_;
  actors::daemon_log& log_;
  wall_clock clock_;
  wire::connection_ptr connection_;
  actors::cycle_driver driver_;
};

int run(const client::command_line& line) {
  const auto conf = client::read_pbs_conf();
  const std::string name = line.has('I') ? *line.find('I') : "default";
  const places where = places_of(conf, line, name);
  const auto ours = client::read_annals_conf(where.home);
  daemons::check_home(conf, where.home, std::filesystem::path(where.priv).filename(),
                      name == "default" ? "pbs_habitat sched" : "mkdir -m 750 " + where.priv);
  std::error_code exists;
  std::filesystem::create_directories(where.logs, exists);

  daemons::background process(line.has('N'));
  const daemons::lock_file lock(where.priv + "/sched.lock", 0644, "pbs_sched: another scheduler running");
  mailbox mail;
  const daemons::signal_watch signals([&](int s) { mail.put({happening::kind::signal, {}, {}, {}, s}); });
  actors::daemon_log log(where.logs, "pbs_sched", 767, conf.log_highres_timestamp);
  using actors::log_event::system;
  log.write(system, "Svr", "pbs_sched", std::string("pbs_version=") + client::version);
  log.write(system, "Svr", "sched_main", "pbs_sched startup pid " + std::to_string(getpid()));
  for (const auto& problem : conf.problems) log.write(actors::log_event::error, "Fil", "pbs.conf", problem);

  scheduler self(where, {name, short_host_name(), client::version, static_cast<std::uint32_t>(getpid())}, log);
  wire::io_pool pool;
  wire::handler h;
  h.opened = [&](const wire::connection_ptr& c) { mail.put({happening::kind::opened, c, {}, {}, 0}); };
  h.received = [&](const wire::connection_ptr& c, schema::sealed_message m) {
    mail.put({happening::kind::received, c, std::move(m), {}, 0});
  };
  h.closed = [&](const wire::connection_ptr& c, const std::string& why) { mail.put({happening::kind::closed, c, {}, why, 0}); };
  h.failed = [&](const std::string& why) { mail.put({happening::kind::failed, {}, {}, why, 0}); };
  const auto dialer = pool.dial_tls(conf.server_host(), ours.listen_port ? ours.listen_port : conf.batch_service_port,
                                    wire::credentials::bundle(where.priv + "/daemon.pem"), wire::identity::kind::server, h);
  process.ready(line.has('p') ? *line.find('p') : where.priv + "/sched_out");
  while (self.handle(mail.take())) {}
  log.write(system, "Svr", "pbs_sched", "Scheduler is shutting down");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = client::parse_options_or_exit(command, argc, argv);
  if (!line.words.empty()) return client::usage(command);
  try {
    return run(line);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n",
                 std::string(e.what()).rfind("pbs_sched", 0) == 0 ? e.what() : ("pbs_sched: " + std::string(e.what())).c_str());
    return 1;
  }
}
