// $restrict_user (pbs guide, "MoM"). What is ended here are children of the test: a made-up /proc names nobody else.
#include "actors/mom/host/user_restriction.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "events/model/limits.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::mom;
namespace fs = std::filesystem;

namespace {

std::string status_text(const std::string& name, std::int64_t parent, std::uint32_t uid, char state = 'S') {
  const auto number = std::to_string(uid);
  return "Name:\t" + name + "\nUmask:\t0022\nState:\t" + state + " (some)\nTgid:\t9\nPid:\t9\nPPid:\t" + std::to_string(parent) +
         "\nTracerPid:\t0\nUid:\t" + number + "\t0\t0\t0\nGid:\t5\t5\t5\t5\n";
}

// Processes of a made-up machine; some are children of this test.
struct machine {
  annals::test::temporary_directory proc;
  std::map<std::uint32_t, std::string> accounts{{0, "root"}, {999, "daemon"}, {4001, "anna"}, {4002, "bob"}, {4003, "eve"}};
  std::vector<pid_t> children;

  machine() { fs::create_symlink(std::to_string(getpid()), proc.path + "/self"); }
  ~machine() {
    for (const auto child : children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  void has(std::int64_t pid, const std::string& name, std::int64_t parent, std::uint32_t uid) const {
    fs::create_directory(proc.path + '/' + std::to_string(pid));
    std::ofstream(proc.path + '/' + std::to_string(pid) + "/status") << status_text(name, parent, uid);
  }
  // A child that waits, shown as a process of this user below `parent`.
  pid_t runs(std::uint32_t uid, std::int64_t parent = 1) {
    const auto child = fork();
    if (child == 0)
      for (;;) pause();
    children.push_back(child);
    has(child, "bash", parent, uid);
    return child;
  }
  bool has_ended(pid_t child) {
    const bool ended = waitpid(child, nullptr, 0) == child;
    std::erase(children, child);
    return ended;
  }
  bool is_there(pid_t child) const { return waitpid(child, nullptr, WNOHANG) == 0; }
  user_names names() const {
    return {[this](std::uint32_t uid) -> std::optional<std::string> {
              const auto at = accounts.find(uid);
              return at == accounts.end() ? std::nullopt : std::optional(at->second);
            },
            [this](const std::string& name) -> std::optional<std::uint32_t> {
              for (const auto& [uid, user] : accounts)
                if (user == name) return uid;
              return std::nullopt;
            }};
  }
};

const user_restriction on{true, 999, {}};

std::set<std::int64_t> pids(const std::vector<process_status>& of) {
  std::set<std::int64_t> all;
  for (const auto& p : of) all.insert(p.pid);
  return all;
}
std::set<std::int64_t> pids(const std::vector<restricted_users::ended_process>& of) {
  std::set<std::int64_t> all;
  for (const auto& p : of) all.insert(p.pid);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(restricting_users)

BOOST_AUTO_TEST_CASE(what_a_status_tells) {
  const auto p = parse_status(42, status_text("a b\\nUid:\\t0", 7, 4001));
  BOOST_REQUIRE(p);
  BOOST_TEST(p->pid == 42);
  BOOST_TEST(p->parent == 7);
  BOOST_TEST(p->uid == 4001u);  // the real one, of a program that has root's rights
  BOOST_TEST(!p->ended);
  BOOST_TEST(parse_status(42, status_text("x", 7, 4001, 'Z'))->ended);
  for (const char* text : {"", "Name:\tx\n", "Name:\tx\nState:\tS\nPPid:\t1\nUid:\tnone\n"}) BOOST_TEST(!parse_status(42, text));
}

BOOST_AUTO_TEST_CASE(whose_processes_are_looked_at) {
  const std::int64_t mom = 100;
  const std::vector<process_status> all{
      {1, 0, 0, "systemd"}, {2, 0, 0, "kthreadd"}, {3, 2, 0, "kworker"}, {10, 1, 999, "dbus"},  // the system's
      {11, 1, 1000, "bash"},
      {12, 11, 1000, "python"},     // a user's, and what he has started
      {13, 1, 1000, "gone", true},  // waits to be reaped
      {14, 11, 0, "su"},
      {15, 14, 0, "bash"},  // root's now
      {mom, 1, 0, "pbs_mom"},
      {101, mom, 1000, "python"},  // a hook that runs as its job's owner
      {200, 1, 0, "pbs_shepherd"},
      {201, 200, 1000, "bash"},
      {202, 201, 165536, "container"},
      {300, 1, 1000, "pbs_shepherd"},
      {301, 300, 1000, "sh"},  // a name that anybody can take
  };
  BOOST_TEST((pids(processes_of_users(all, 999, mom)) == std::set<std::int64_t>{11, 12, 300, 301}));
  BOOST_TEST((pids(processes_of_users(all, 998, mom)) == std::set<std::int64_t>{10, 11, 12, 300, 301}));
  BOOST_TEST(processes_of_users(all, 1000, mom).empty());
  BOOST_TEST(pids(processes_of_users({{5, 6, 1000, "a"}, {6, 5, 1000, "b"}}, 0, mom)).empty());  // no tree: nothing is known of it
}

BOOST_AUTO_TEST_CASE(who_has_no_job_here_is_ended) {
  machine m;
  const auto of_anna = m.runs(4001), of_bob = m.runs(4002), of_daemon = m.runs(999), of_root = m.runs(0), of_nobody_known = m.runs(70000);
  restricted_users users(m.names(), m.proc.path);
  BOOST_REQUIRE(users.look(on));
  const auto ended = users.end_all_but_of({"anna"});
  BOOST_REQUIRE(ended.size() == 1u);
  BOOST_TEST(ended[0].pid == of_bob);
  BOOST_TEST(ended[0].user == "bob");
  BOOST_TEST(m.has_ended(of_bob));
  for (const auto left : {of_anna, of_daemon, of_root, of_nobody_known}) BOOST_TEST(m.is_there(left));
  BOOST_TEST(users.end_all_but_of({}).empty());  // nothing is held any more
}

BOOST_AUTO_TEST_CASE(who_is_excepted_stays) {
  machine m;
  m.accounts[5001] = "robert";
  const auto of_anna = m.runs(4001), of_bob = m.runs(4002);
  restricted_users users(m.names(), m.proc.path);
  BOOST_TEST(!users.look({true, 999, {"anna", "bob"}}));
  BOOST_TEST(!users.look({true, 4002, {}}));
  BOOST_TEST(users.look({true, 4001, {"nobody-of-this-name"}}));
  BOOST_TEST(m.is_there(of_anna));
  BOOST_TEST(m.is_there(of_bob));
}

BOOST_AUTO_TEST_CASE(a_job_that_comes_between_the_look_and_the_end_counts) {
  machine m;
  const auto of_anna = m.runs(4001);
  restricted_users users(m.names(), m.proc.path);
  BOOST_REQUIRE(users.look(on));
  BOOST_TEST(users.end_all_but_of({"anna"}).empty());
  BOOST_TEST(m.is_there(of_anna));
}

BOOST_AUTO_TEST_CASE(a_number_that_is_another_process_by_then_is_not_hit) {
  machine m;
  const auto of_anna = m.runs(4001);
  restricted_users users(m.names(), m.proc.path);
  BOOST_REQUIRE(users.look(on));
  kill(of_anna, SIGKILL);
  BOOST_TEST(m.has_ended(of_anna));  // the number is free now, and whoever gets it is not held
  BOOST_TEST(users.end_all_but_of({}).empty());
}

BOOST_AUTO_TEST_CASE(processes_that_are_numbered_otherwise_are_left_alone) {
  machine m;
  const auto of_anna = m.runs(4001);
  fs::remove(m.proc.path + "/self");
  restricted_users users(m.names(), m.proc.path);
  BOOST_TEST(!users.look(on));
  fs::create_symlink("1", m.proc.path + "/self");  // a /proc of another PID namespace
  BOOST_TEST(!users.look(on));
  BOOST_TEST(m.is_there(of_anna));
}

BOOST_AUTO_TEST_CASE(an_account_that_nobody_can_name_now_is_left_alone) {
  machine m;
  const auto of_anna = m.runs(4001);
  m.accounts.clear();
  restricted_users users(m.names(), m.proc.path);
  BOOST_TEST(!users.look(on));
  BOOST_TEST(m.is_there(of_anna));
}

BOOST_AUTO_TEST_CASE(two_names_of_one_number_are_one_user) {
  machine m;
  const auto of_anna = m.runs(4001);
  auto names = m.names();
  names.number_of = [](const std::string& name) { return name == "anna2" ? std::optional<std::uint32_t>(4001) : std::nullopt; };
  restricted_users users(names, m.proc.path);
  BOOST_REQUIRE(users.look(on));
  BOOST_TEST(users.end_all_but_of({"anna2"}).empty());
  BOOST_TEST(m.is_there(of_anna));
}

BOOST_AUTO_TEST_CASE(many_processes_that_may_stay_hide_nobody_for_long) {
  machine m;
  for (std::size_t i = 0; i < limits::restricted_processes_max; ++i) (void)m.runs(4001);
  const auto of_bob = m.runs(4002);
  restricted_users users(m.names(), m.proc.path);
  std::set<std::int64_t> ended;
  for (int look = 0; look < 2 && ended.empty(); ++look) {
    BOOST_REQUIRE(users.look(on));
    ended = pids(users.end_all_but_of({"anna"}));
  }
  BOOST_TEST((ended == std::set<std::int64_t>{of_bob}));
  BOOST_TEST(m.has_ended(of_bob));
}

BOOST_AUTO_TEST_SUITE_END()
