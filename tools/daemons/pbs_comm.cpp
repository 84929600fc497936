// pbs_comm: on a login host it hands commands of the host's users on to the servers that have enrolled the host
// (docs/design/0063-login-hosts.md). The daemons talk directly (docs/design/0003-links.md), so elsewhere it is a stand-in for PBS's
// message router, for init scripts and test frameworks that start one and look for its process: it holds its lock file, says in its log
// that nothing has to be routed, and waits for its end.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"
#include "tools/client/without_effect.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/end_of_process.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/log_mask.hpp"
#include "tools/daemons/login_doors.hpp"

namespace {

using namespace annals;

constexpr client::option options[] = {
    {'e', "mask", "which events are logged (511), decimal or 0x..."},
    {'N', nullptr, "stay in the foreground"},
    {'r', "other_pbs_comms", "no effect: there is nothing to route"},
    {'t', "threads", "no effect: there is nothing to route"},
};
constexpr client::command command = {"pbs_comm",
                                     "Usage: pbs_comm [-r other_pbs_comms][-t threads][-N]\n"
                                     "       pbs_comm --version\n",
                                     options};
std::optional<std::string> check(const client::given& g) {
  if (g.letter == 'e' && !daemons::log_mask_of(g.value)) return std::string();
  return std::nullopt;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Root, or whoever this PBS_HOME belongs to.
bool may_run(const std::string& priv) {
  struct stat is {};
  return geteuid() == 0 || (stat(priv.c_str(), &is) == 0 && is.st_uid == geteuid());
}

// Nothing: another one runs.
std::unique_ptr<daemons::lock_file> lock_of(const std::string& priv) {
  constexpr std::string_view running = "another PBS comm router running at the same port";  // as PBS says it
  try {
    return std::make_unique<daemons::lock_file>(priv + "/comm.lock", 0600, std::string(running));
  } catch (const std::runtime_error& e) {
    if (e.what() != running) throw;
    client::print_error("pbs_comm: %s\n", e.what());
    return nullptr;
  }
}

class comm_log {
 public:
  comm_log(const client::pbs_conf& conf, std::uint32_t mask)
      : name_("Comm@" + host_name()), log_(conf.pbs_home + "/comm_logs", name_, mask, conf.log_highres_timestamp) {
    say("pbs_version=" + client::pbs_version());
    for (const auto& problem : conf.problems) log_.write(actors::log_event::error, "Fil", "pbs.conf", problem);
  }
  void ready(const std::vector<daemons::enrolled_server>& servers) {
    const auto start = "pbs_comm ready (pid=" + std::to_string(getpid()) + "): ";
    if (servers.empty()) return say(start + "nothing has to be routed by it, the daemons talk directly");
    for (const auto& server : servers) say(start + "commands of this host's users go to server " + server.name);
  }
  void failed(const std::string& why) { log_.write(actors::log_event::error, "Svr", name_, why); }
  void say(const std::string& text) { log_.write(actors::log_event::system, "Svr", name_, text); }
  void reopen() { log_.reopen(); }

 private:
  std::string name_;
  actors::daemon_log log_;
};

int run(const client::command_line& line) {
  const auto conf = client::read_pbs_conf();
  const auto priv = conf.pbs_home + "/server_priv";
  if (!may_run(priv)) {
    std::fputs("pbs_comm: Must be run by root\n", stderr);
    return 2;
  }
  daemons::check_home(conf, conf.pbs_home, "server_priv", "pbs_habitat comm");
  daemons::background process(line.has('N'));
  const auto lock = lock_of(priv);
  if (!lock) return process.ready("/dev/null"), 0;  // who starts it wants one to run
  daemons::raise_open_files();
  comm_log log(conf, line.has('e') ? *daemons::log_mask_of(*line.find('e')) : daemons::default_log_mask);
  std::counting_semaphore<> ended(0);
  const daemons::signal_watch signals([&](int s) {
    if (s == SIGHUP) return log.reopen();
    log.say("pbs_comm ends on signal " + std::to_string(s));
    ended.release();
  });
  const auto servers = daemons::enrolled_servers(conf);
  const auto failed = [&](const std::string& why) { log.failed(why); };
  const auto stop = [&](const std::string& why) {
    log.failed(why);
    daemons::stop_at_once("pbs_comm", why);
  };
  if (const auto why = daemons::why_open_to_others({conf.pbs_home, priv, priv + "/comm"}); !why.empty()) {
    log.failed(why);
    daemons::give_up("pbs_comm", std::runtime_error(why));
  }
  std::optional<daemons::login_doors> doors;
  if (!servers.empty()) doors.emplace(conf.pbs_home, servers, conf.batch_service_port, failed, stop);
  log.ready(servers);
  process.ready("/dev/null");
  ended.acquire();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)client::parse_options_or_exit(command, argc, argv);
  const auto line = client::parse_options(command, arguments, check);
  if (!line.problems.empty()) {
    for (const auto& p : line.problems) client::print_error("%s\n", p.c_str());
    client::usage(command);
    return 1;
  }
  client::warn_of_options_without_effect(command, line);
  try {
    return run(line);
  } catch (const std::exception& e) {
    client::print_error("pbs_comm: %s\n", e.what());
    return 1;
  }
}
