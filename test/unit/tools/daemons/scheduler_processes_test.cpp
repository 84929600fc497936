// Real processes of schedulers: started, found again, ended (docs/design/0041-running-schedulers.md).
#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "test/support/paths.hpp"
#include "test/support/temporary_directory.hpp"
#include "tools/daemons/real_scheduler_processes.hpp"

using namespace annals;
namespace fs = std::filesystem;
using outcome = ports::scheduler_start_result::outcome;

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// An orphan is there until its new parent has taken note of its end. Its lock is free when the last of its threads has ended, which may be
// later than the first.
bool is_gone(pid_t pid) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  do {
    if (kill(pid, 0) != 0) return true;
    const auto text = slurp("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream fields(
        text.substr(std::min(text.size(), text.rfind(')') + 1)));  // proc(5): the state, ..., the 18th is how many threads
    std::vector<std::string> all(std::istream_iterator<std::string>(fields), {});
    if (all.size() >= 18 && all[0] == "Z" && std::stoi(all[17]) <= 1) return true;
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// An installation, and a home whose server does not answer.
struct host {
  const test::temporary_directory own;
  const std::string home = own.path;
  const std::string priv = home + "/sched_priv_s1";
  wire::authority ca = wire::authority::open_or_create(home + "/ca");
  daemons::real_scheduler_processes processes{{.program = test::stage_dir() + "/sbin/pbs_sched", .defaults = test::stage_dir() + "/etc"}};

  host() {
    std::ofstream(home + "/pbs.conf") << "PBS_HOME=" << home << "\nPBS_SERVER=127.0.0.1\nPBS_BATCH_SERVICE_PORT=1\n";
    setenv("PBS_CONF_FILE", (home + "/pbs.conf").c_str(), 1);
  }
  ~host() {
    if (const auto p = pid(); p > 0 && p != getpid()) kill(p, SIGKILL);
    unsetenv("PBS_CONF_FILE");
  }
  pid_t pid(const std::string& directory = {}) const {
    return std::atoi(slurp((directory.empty() ? priv : directory) + "/sched.lock").c_str());
  }
  ports::scheduler_start s1() const {
    return {.name = "s1",
            .host = "n1",
            .certificate = ca.issue(wire::identity::kind::scheduler, "s1").bundle(),
            .priv = priv,
            .logs = home + "/sched_log_s1",
            .own_directories = true,
            .is_wanted = {}};
  }
  static mode_t mode_of(const std::string& path) {
    struct stat is {};
    return stat(path.c_str(), &is) == 0 ? is.st_mode & 07777 : 0;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduler_processes, host)

BOOST_AUTO_TEST_CASE(a_new_scheduler_gets_its_directories_and_a_process_of_its_own) {  // MS-11, MS-15, MS-86
  const auto started = processes.start(s1());
  BOOST_REQUIRE_MESSAGE(started.what == outcome::started, started.text);
  BOOST_TEST(mode_of(priv) == 0750u);
  BOOST_TEST(mode_of(priv + "/daemon.pem") == 0600u);
  for (const char* file : {"sched_config", "resource_group", "holidays", "dedicated_time"}) BOOST_TEST(mode_of(priv + "/" + file) == 0644u);
  BOOST_TEST(mode_of(home + "/sched_log_s1") == 0755u);
  BOOST_REQUIRE(pid() > 0);
  BOOST_TEST(getsid(pid()) != getsid(0));
  BOOST_TEST(slurp("/proc/" + std::to_string(pid()) + "/environ").find("PBS_LEAF_NAME=n1") != std::string::npos);
  const auto words = slurp("/proc/" + std::to_string(pid()) + "/cmdline");
  BOOST_TEST(words.find(std::string("-I\0s1\0", 6)) != std::string::npos);
  const auto ends = pid();
  processes.stop("s1", priv);
  BOOST_TEST(is_gone(ends));
  BOOST_TEST(slurp(priv + "/sched.lock") == "");  // no pid of a process that is gone
}

BOOST_AUTO_TEST_CASE(one_that_runs_is_left_alone_and_one_that_was_killed_starts_again) {
  BOOST_REQUIRE(processes.start(s1()).what == outcome::started);
  const auto first = pid();
  BOOST_TEST((processes.start(s1()).what == outcome::runs_already));
  BOOST_TEST(pid() == first);
  kill(first, SIGKILL);
  BOOST_TEST(is_gone(first));  // a busy machine may take longer to end it than a start waits for its lock
  BOOST_REQUIRE(processes.start(s1()).what == outcome::started);
  BOOST_TEST(pid() != first);
}

BOOST_AUTO_TEST_CASE(one_that_does_not_end_by_itself_is_killed) {
  BOOST_REQUIRE(processes.start(s1()).what == outcome::started);
  const auto p = pid();
  kill(p, SIGSTOP);
  processes.stop("s1", priv);
  BOOST_TEST(is_gone(p));
}

BOOST_AUTO_TEST_CASE(to_end_one_that_does_not_run_is_nothing) {
  processes.stop("s1", priv);
  fs::create_directories(priv);
  std::ofstream(priv + "/sched.lock") << getpid() << '\n';  // of a scheduler that ended: the pid is ours by now
  processes.stop("s1", priv);
}

BOOST_AUTO_TEST_CASE(a_directory_that_somebody_named_is_not_made) {  // MS-14, MS-19
  auto named = s1();
  named.own_directories = false;
  named.priv = home + "/mine";
  auto result = processes.start(named);
  BOOST_TEST((result.what == outcome::no_priv));
  BOOST_TEST(result.text.find(home + "/mine") != std::string::npos);
  BOOST_TEST(!fs::exists(named.priv));
  fs::create_directories(named.priv);
  chmod(named.priv.c_str(), 0777);
  BOOST_TEST((processes.start(named).what == outcome::no_priv));
  chmod(named.priv.c_str(), 0750);
  named.logs = home + "/my_logs";
  BOOST_TEST((processes.start(named).what == outcome::no_logs));
  BOOST_TEST(!fs::exists(named.logs));
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_says_why) {
  daemons::real_scheduler_processes none({.program = home + "/no/such/program", .defaults = test::stage_dir() + "/etc"});
  auto result = none.start(s1());
  BOOST_TEST((result.what == outcome::failed));
  BOOST_TEST(result.text.find("No such file or directory") != std::string::npos);
  auto bad = s1();
  bad.certificate = "no certificate";
  result = processes.start(bad);
  BOOST_TEST((result.what == outcome::failed));
  BOOST_TEST(!result.text.empty());
}

BOOST_AUTO_TEST_SUITE_END()
