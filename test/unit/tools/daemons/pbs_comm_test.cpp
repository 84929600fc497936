// pbs_comm as a program: its process, lock file and log, which is all that it is there for.
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::ran;

namespace {

constexpr const char* usage =
    "Usage: pbs_comm [-r other_pbs_comms][-t threads][-N]\n"
    "       pbs_comm --version\n";

struct home {
  test::temporary_directory files;
  home() { std::filesystem::create_directories(files.at("server_priv")); }

  ran run(std::vector<std::string> words, std::function<void(pid_t)> meanwhile = {}) const {
    words.insert(words.begin(), annals::test::stage_dir() + "/sbin/pbs_comm");
    return test::run(words, {{}, {{"PBS_CONF_FILE", ""}, {"PBS_HOME", files.path}}, {}, std::move(meanwhile)});
  }
  std::string log() const {
    std::string all;
    if (!std::filesystem::exists(files.at("comm_logs"))) return all;
    for (const auto& day : std::filesystem::directory_iterator(files.at("comm_logs"))) all += test::slurp(day.path());
    return all;
  }
  std::string lock() const { return test::slurp(files.at("server_priv/comm.lock")); }
  std::size_t count(const std::string& text) const {
    const auto all = log();
    std::size_t n = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++n;
    return n;
  }
  void until_logged(const std::string& text, std::size_t times = 1) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (count(text) < times && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    BOOST_TEST(count(text) == times);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pbs_comm, home)

BOOST_AUTO_TEST_CASE(it_runs_in_the_foreground_until_it_is_told_to_end) {
  const ran r = run({"-N", "-r", "other:17001", "-t", "4"}, [this](pid_t pid) {
    until_logged(" ready (pid=" + std::to_string(pid) + "): nothing has to be routed");
    BOOST_TEST(lock() == std::to_string(pid) + "\n");
    kill(pid, SIGTERM);
  });
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.out == "");
  BOOST_TEST(r.err ==
             "pbs_comm: option -r has no effect: there is nothing to route\n"
             "pbs_comm: option -t has no effect: there is nothing to route\n");
  BOOST_TEST(count(";Svr;Log;Log opened\n") == 1u);
  BOOST_TEST(count("pbs_comm ends on signal 15\n") == 1u);
  BOOST_TEST(log().ends_with(";Svr;Log;Log closed\n"));
  BOOST_TEST((std::filesystem::status(files.at("server_priv/comm.lock")).permissions() == std::filesystem::perms(0600)));
}

BOOST_AUTO_TEST_CASE(its_log_is_reopened_on_hup) {
  const ran r = run({"-N"}, [this](pid_t pid) {
    until_logged(" ready ");
    std::filesystem::remove_all(files.at("comm_logs"));
    kill(pid, SIGHUP);
    until_logged("Log opened");
    kill(pid, SIGINT);
  });
  BOOST_TEST(r.status == 0);
}

BOOST_AUTO_TEST_CASE(in_the_background_it_is_ready_when_its_parent_ends) {
  BOOST_TEST(run({}).status == 0);
  BOOST_TEST(count(" ready ") == 1u);
  const pid_t pid = std::stoi(lock());
  const ran another = run({});
  BOOST_TEST(another.status == 0);
  BOOST_TEST(another.err == "pbs_comm: another PBS comm router running at the same port\n");
  BOOST_TEST(run({"-N"}).status == 0);
  BOOST_TEST(lock() == std::to_string(pid) + "\n");
  kill(pid, SIGTERM);
  until_logged("Log closed");
}

BOOST_AUTO_TEST_CASE(the_mask_says_what_is_logged) {
  BOOST_TEST(run({"-e", "0x1"}).status == 0);
  kill(std::stoi(lock()), SIGTERM);
  until_logged("Log closed");
  BOOST_TEST(count("Log opened") == 1u);
  BOOST_TEST(count(" ready ") == 0u);
  const ran wrong = run({"-e", "many"});
  BOOST_TEST(wrong.err == std::string("pbs_comm: illegal -e value\n") + usage);
  BOOST_TEST(wrong.status == 1);
}

BOOST_AUTO_TEST_CASE(a_home_that_is_not_there_is_not_made) {
  std::filesystem::remove_all(files.at("server_priv"));
  const ran r = run({});
  BOOST_TEST(!std::filesystem::exists(files.at("comm_logs")));
  BOOST_TEST(!std::filesystem::exists(files.at("server_priv")));
  if (geteuid() != 0) {  // nobody owns it
    BOOST_TEST(r.err == "pbs_comm: Must be run by root\n");
    BOOST_TEST(r.status == 2);
    return;
  }
  BOOST_TEST(r.err == "pbs_comm: " + files.path +
                          " is no PBS_HOME: it has no server_priv; is a file system not mounted? "
                          "`pbs_habitat comm` makes a new one\n");
  BOOST_TEST(r.status == 1);
}

BOOST_AUTO_TEST_CASE(a_home_that_others_can_write_is_refused) {
  const auto priv = files.at("server_priv");
  std::filesystem::permissions(priv, std::filesystem::perms(0777));
  const ran r = run({"-N"});
  const std::string why = "PBS failed validation checks for " + priv + ": its mode is 777\n";
  BOOST_TEST(r.status == 1);
  BOOST_TEST(r.err == "pbs_comm: " + why);
  BOOST_TEST(count(why) == 1u);
}

BOOST_AUTO_TEST_CASE(wrong_uses) {
  const ran r = run({"-Z"});
  BOOST_TEST(r.err == std::string("pbs_comm: invalid option -- 'Z'\n") + usage);
  BOOST_TEST(r.status == 1);
  BOOST_TEST(run({"--version"}).out.starts_with("pbs_version = "));
}

BOOST_AUTO_TEST_SUITE_END()
