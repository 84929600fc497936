// A program that the kernel doesn't let end, as with a hung disk: one in a frozen cgroup of version 1.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "actors/mom/host/run_journal.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;

namespace {

class freezer {
 public:
  freezer() { made_ = mkdir(path_.c_str(), 0755) == 0 && access((path_ + "/freezer.state").c_str(), W_OK) == 0; }
  ~freezer() {
    thaw();
    test::wait_until([&] { return rmdir(path_.c_str()) == 0 || errno != EBUSY; }, "the cgroup to be empty");
  }
  bool made() const { return made_; }
  void freeze(long pid) const {
    test::write_whole(path_ + "/cgroup.procs", std::to_string(pid));
    test::write_whole(path_ + "/freezer.state", "FROZEN");
    test::wait_until([&] { return test::read_whole(path_ + "/freezer.state") == "FROZEN\n"; }, "the process to stand still");
  }
  void thaw() const {
    if (made_) test::write_whole(path_ + "/freezer.state", "THAWED");
  }

 private:
  const std::string path_ = "/sys/fs/cgroup/freezer/annals-hung-" + std::to_string(getpid());
  bool made_ = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hung, test::host_fixture)

BOOST_AUTO_TEST_CASE(a_program_that_cannot_be_killed_was_killed_for_all_we_know_and_nobody_waits_for_it) {
  const freezer ice;
  if (!ice.made()) return test::skip("no freezer of version 1 that we may use");
  const values::run_key key = test::run_of("1.b.1");
  auto o = script(key, "touch " + work() + "/tmp/x; echo ready; exec sleep 1000");
  o.tmpdir = work() + "/tmp";
  start(o);
  const auto started = wait_started(key).started.at(0);
  test::wait_until([&] { return stdout_of(key) == "ready\n"; }, "the program");
  ice.freeze(started.pid);
  kill(static_cast<pid_t>(mom::parse_journal(journal_of(key)).claimed->pid), SIGTERM);
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 256 + SIGKILL);
  BOOST_TEST(access(o.tmpdir.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_SUITE_END()
