// Real runs in real cgroups, with every version that this machine has. Needs root; skipped elsewhere.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "actors/mom/host/cgroup_files.hpp"
#include "actors/mom/host/process_table.hpp"
#include "cgroup_fixture.hpp"

using namespace annals;

namespace {

// A process of ours that nobody's signal to the run reaches, put into the run's cgroup.
class stranger {
 public:
  explicit stranger(const mom::job_cgroup& in) {
    const auto doors = in.open_doors();
    pid_ = fork();
    if (pid_ == 0) {
      for (const int door : doors)
        if (write(door, "0", 1) != 1) _exit(1);
      execl("/bin/sleep", "sleep", "1000", static_cast<char*>(nullptr));
      _exit(1);
    }
    for (const int door : doors) close(door);
  }
  ~stranger() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // It goes into one after the other: in the last, it is in all.
  bool is_in(const std::string& directory) const {
    const auto all = mom::cgroup_files::members(directory);
    return std::find(all.begin(), all.end(), pid_) != all.end();
  }
  long pid() const { return pid_; }

 private:
  pid_t pid_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cgroup_runs, test::cgroup_fixture)

BOOST_AUTO_TEST_CASE(the_program_is_in_its_cgroup_from_its_first_instruction) {
  with_each([&] {
    start(limited("cat /proc/self/cgroup > where; echo done > ok; read x < /dev/null; exit 0"));
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 0);
    const auto where = test::read_whole(work() + "/where");
    std::size_t count = 0;
    for (auto at = where.find("/n1/7.b.1"); at != std::string::npos; at = where.find("/n1/7.b.1", at + 1)) ++count;
    BOOST_TEST(count == options.cgroup_roots.size(), where);
    for (const auto& r : parsed())
      if (r.memory) BOOST_TEST(where.find("/n1/7.b.1/7.b.1\n") != std::string::npos, where);
  });
}

BOOST_AUTO_TEST_CASE(a_process_that_left_its_session_lost_its_environment_and_its_shepherd_dies_with_the_job) {
  with_each([&] {
    start(limited("(env -i /usr/bin/setsid /bin/sh -c 'trap \"\" TERM HUP; sleep 1000 & echo $! > pid; wait' &)\nsleep 1000"));
    wait_started(key);
    const long escapee = number_in("pid");
    kill(static_cast<pid_t>(shepherd()), SIGKILL);
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == -4);
    BOOST_TEST(!test::alive(escapee));
    test::wait_until([&] { return gone(); }, "the cgroups of a run that is over");
  });
}

BOOST_AUTO_TEST_CASE(who_came_from_outside_dies_when_the_program_ends) {
  with_each([&] {
    BOOST_REQUIRE(mkfifo((work() + "/go").c_str(), 0666) == 0);
    start(limited("echo $$ > pid; read x < go; exit 3"));
    (void)number_in("pid");
    const stranger attached(cgroup(key));
    test::wait_until([&] { return attached.is_in(run_directory(parsed().back())); }, "the stranger to come in");
    test::write_whole(work() + "/go", "x\n");
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 3);
    BOOST_TEST(!test::alive(attached.pid()));
    unlink((work() + "/go").c_str());
  });
}

BOOST_AUTO_TEST_CASE(limits_of_the_chunk_are_written) {
  with_each([&] {
    start(limited("echo $$ > pid; sleep 1000", {64 * mb, {}, 2, true}));
    (void)number_in("pid");
    for (const auto& r : parsed()) {
      const auto at = run_directory(r);
      if (r.memory) BOOST_TEST(mom::cgroup_files::number(at + (r.v2 ? "/memory.max" : "/memory.limit_in_bytes")).value() == 64 * mb);
      if (r.cpu) BOOST_TEST(mom::cgroup_files::number(at + (r.v2 ? "/cpu.weight" : "/cpu.shares")).value() == (r.v2 ? 200u : 2048u));
      if (r.cpu && !r.v2) BOOST_TEST(mom::cgroup_files::number(at + "/cpu.cfs_quota_us").value() == 200000u);
    }
  });
}

// RD-25
BOOST_AUTO_TEST_CASE(limits_of_a_run_at_work_become_smaller_but_not_than_what_it_has) {
  with_each([&] {
    BOOST_REQUIRE(mkfifo((work() + "/go").c_str(), 0666) == 0);
    start(limited("x=$(head -c 60000000 /dev/zero | tr '\\0' x); echo $$ > pid; read y < go", {256 * mb, {}, 2, true}));
    (void)number_in("pid");
    const auto value = [&](const mom::cgroup_root& r, const char* v2, const char* v1) {
      return mom::cgroup_files::number(run_directory(r) + (r.v2 ? v2 : v1)).value();
    };
    host->confine(key, {128 * mb, {}, 1, true});
    for (const auto& r : parsed()) {
      if (r.memory) test::wait_until([&] { return value(r, "/memory.max", "/memory.limit_in_bytes") == 128 * mb; }, "a smaller limit");
      if (r.cpu) test::wait_until([&] { return value(r, "/cpu.weight", "/cpu.shares") == (r.v2 ? 100u : 1024u); }, "fewer cpus");
    }
    host->confine(key, {16 * mb, {}, 1, true});
    for (const auto& r : parsed()) {
      if (!r.memory) continue;
      test::wait_until([&] { return value(r, "/memory.max", "/memory.limit_in_bytes") < 128 * mb; }, "what can be taken back");
      BOOST_TEST(value(r, "/memory.max", "/memory.limit_in_bytes") > 50 * mb);  // of its 60 MB none is lost
    }
    test::write_whole(work() + "/go", "x\n");
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 0);
    unlink((work() + "/go").c_str());
  });
  host->confine(test::run_of("99.b.1"), {mb, {}, 1, true});  // there is no such run
}

BOOST_AUTO_TEST_CASE(suspension_stops_whom_no_signal_reaches_and_resumption_lets_all_go) {
  with_each([&] {
    start(limited("echo $$ > pid; while :; do sleep 0.01; done"));
    (void)number_in("pid");
    const stranger attached(cgroup(key));
    test::wait_until([&] { return attached.is_in(run_directory(parsed().back())); }, "the stranger to come in");
    host->signal(key, SIGSTOP);
    test::wait_until([&] { return frozen(); }, "all to stand still");
    BOOST_TEST(so_far(key).ended.empty());
    restart_mom();
    host->adopt(key);
    wait_started(key);
    BOOST_TEST(frozen());
    host->signal(key, SIGCONT);
    test::wait_until([&] { return !frozen(); }, "all to go on");
    host->signal(key, SIGSTOP);
    test::wait_until([&] { return frozen(); }, "all to stand still");
    host->signal(key, SIGKILL);
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 256 + SIGKILL);
    BOOST_TEST(!test::alive(attached.pid()));
  });
}

BOOST_AUTO_TEST_CASE(a_suspended_job_that_is_forgotten_dies) {
  with_each([&] {
    start(limited("echo $$ > pid; sleep 1000"));
    const long pid = number_in("pid");
    host->signal(key, SIGSTOP);
    test::wait_until([&] { return frozen(); }, "all to stand still");
    forget_and_wait(key);
    BOOST_TEST(!test::alive(pid));
  });
}

BOOST_AUTO_TEST_CASE(cgroups_of_runs_that_nobody_knows_are_emptied_at_the_start) {
  with_each([&] {
    crash_mom();
    const auto left = cgroup("9.b.3-2");
    BOOST_REQUIRE(left.make({}) == "");
    const stranger inside(left);
    test::wait_until([&] { return inside.is_in(parsed().back().path + '/' + options.cgroup_parent); }, "the stranger to come in");
    new_mom();
    test::wait_until([&] { return gone(); }, "the sweep");
    BOOST_TEST(!test::alive(inside.pid()));
    run(limited("exit 0"));  // for forget
  });
}

BOOST_AUTO_TEST_CASE(a_mom_that_comes_back_leaves_the_cgroups_of_living_runs_alone) {
  with_each([&] {
    BOOST_REQUIRE(mkfifo((work() + "/go").c_str(), 0666) == 0);
    start(limited("echo $$ > pid; read x < go; exit 3"));
    const long pid = number_in("pid");
    restart_mom();
    host->adopt(key);
    wait_started(key);
    BOOST_TEST(test::alive(pid));
    BOOST_TEST(!gone());
    test::write_whole(work() + "/go", "x\n");
    BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 3);
    unlink((work() + "/go").c_str());
  });
}

BOOST_AUTO_TEST_CASE(tasks_of_a_run_share_its_limits_and_end_one_by_one) {
  with_each([&] {
    start(limited("echo $$ > pid; sleep 1000"));
    (void)number_in("pid");
    auto task = order("7.b.1-2", {"/bin/sleep", "1000"});
    task.share = ports::host_share{{}, {}, 1, false};
    task.is_task = true;
    task.stdout_file = task.stderr_file = "/dev/null";
    start(task);
    wait_started("7.b.1-2");
    const auto has_tasks = [](const mom::cgroup_root& r) { return r.v2 || r.memory || r.cpuacct || r.freezer; };
    for (const auto& r : parsed()) BOOST_TEST(std::filesystem::is_directory(task_directory(r, "7.b.1-2")) == has_tasks(r));
    host->signal(test::program_of("7.b.1-2"), SIGKILL);
    wait_ended("7.b.1-2");
    forget_and_wait("7.b.1-2");
    for (const auto& r : parsed()) {
      BOOST_TEST(!std::filesystem::exists(task_directory(r, "7.b.1-2")));
      BOOST_TEST(std::filesystem::is_directory(task_directory(r, "7.b.1")) == has_tasks(r));
    }
    BOOST_TEST(so_far(key).ended.empty());
  });
}

BOOST_AUTO_TEST_CASE(an_attached_session_moves_in_and_dies_with_all_that_left_it) {
  with_each([&] {
    const pid_t leader = fork();
    if (leader == 0) {
      setsid();
      if (chdir(work().c_str()) != 0) _exit(1);
      execl("/bin/sh", "sh", "-c", "mkfifo go; echo $$ > pid; read x < go; /usr/bin/setsid sleep 1000 & echo $! > escapee; sleep 1000",
            static_cast<char*>(nullptr));
      _exit(1);
    }
    BOOST_REQUIRE(number_in("pid") == leader);
    auto o = order("7.b.1-2");
    o.share = ports::host_share{{}, {}, 1, false};
    o.is_task = true;
    o.stdout_file = o.stderr_file = "/dev/null";
    o.attached = {leader, leader, mom::read_process(leader)->start_ticks};
    start(o);
    wait_started("7.b.1-2");
    BOOST_TEST(mom::cgroup_files::members(task_directory(parsed().back(), "7.b.1-2")) == std::vector<int>{leader});
    test::write_whole(work() + "/go", "x\n");
    const long escapee = number_in("escapee");
    host->signal(test::program_of("7.b.1-2"), SIGKILL);
    wait_ended("7.b.1-2");
    waitpid(leader, nullptr, 0);
    BOOST_TEST(!test::alive(escapee));
    forget_and_wait("7.b.1-2");
    unlink((work() + "/go").c_str());
    run(limited("exit 0"));  // for forget
  });
}

// Root may have become the user in a session, or the other way round; and the order may come from a hostile host.
BOOST_AUTO_TEST_CASE(processes_of_others_in_an_attached_session_are_left_alone) {
  with_each([&] {
    const pid_t leader = fork();
    if (leader == 0) {
      setsid();
      if (chdir(work().c_str()) != 0) _exit(1);
      execl("/bin/sh", "sh", "-c", "/usr/bin/setpriv --reuid 65534 sleep 1000 & echo $! > other; echo $$ > pid; sleep 1000",
            static_cast<char*>(nullptr));
      _exit(1);
    }
    BOOST_REQUIRE(number_in("pid") == leader);
    const auto other = static_cast<pid_t>(number_in("other"));
    test::wait_until([&] { return mom::user_of(other) == 65534u; }, "the other user's process");
    auto o = order("7.b.1-2");
    o.share = ports::host_share{{}, {}, 1, false};
    o.is_task = true;
    o.stdout_file = o.stderr_file = "/dev/null";
    o.attached = {other, leader, mom::read_process(other)->start_ticks};
    start(o);
    wait_ended("7.b.1-2");  // not attached
    BOOST_TEST(test::alive(leader));
    forget_and_wait("7.b.1-2");
    o.key = test::program_of("7.b.1-3");
    o.attached = {leader, leader, mom::read_process(leader)->start_ticks};
    start(o);
    wait_started("7.b.1-3");
    host->signal(test::program_of("7.b.1-3"), SIGKILL);
    wait_ended("7.b.1-3");
    waitpid(leader, nullptr, 0);
    BOOST_TEST(test::alive(other));
    kill(other, SIGKILL);
    forget_and_wait("7.b.1-3");
    run(limited("exit 0"));  // for forget
  });
}

BOOST_AUTO_TEST_CASE(cpu_time_of_children_that_nobody_waited_for_counts) {
  with_each([&] {
    // A shell's children are waited for by it; with CHLD ignored the kernel forgets them and their time.
    start(
        limited("exec /usr/bin/perl -e '$SIG{CHLD}=\"IGNORE\"; if (!fork) { do { $x++ for 1..100000 } while (times)[0] < 1.1; exit } 1 "
                "while wait != -1'"));
    const auto ended = wait_ended(key).ended.at(0);
    BOOST_TEST(ended.exit_status == 0);
    BOOST_TEST(ended.usage.cpu_seconds >= 1u);
  });
}

BOOST_AUTO_TEST_CASE(memory_of_a_job_shorter_than_a_sample_is_known) {
  with_each([&] {
    if (!has_memory()) return (void)run(limited("exit 0"));
    const auto ended = run(limited("head -c 30000000 /dev/zero | tail -c 29000000 > /dev/null"));
    BOOST_TEST(ended.exit_status == 0);
    BOOST_TEST(ended.usage.mem_kb >= 28000u);
    BOOST_TEST(ended.usage.mem_kb < 1024u * 1024);
  });
}

BOOST_AUTO_TEST_CASE(a_job_over_its_memory_is_killed_and_told_why) {
  with_each([&] {
    if (!has_memory()) return (void)run(limited("exit 0"));
    const auto ended = run(limited("head -c 200000000 /dev/zero | tail -c 190000000 > /dev/null", {40 * mb, 40 * mb, 1, false}));
    BOOST_TEST(ended.exit_status == 128 + SIGKILL);
    BOOST_TEST(ended.why == "Cgroup mem limit exceeded (40960kb): processes killed by the kernel: 1");
    const std::string why = "Cgroup mem limit exceeded (40960kb): processes killed by the kernel: 1";
    BOOST_TEST(stderr_of(key).find("=>> PBS: " + why + "\n") != std::string::npos, stderr_of(key));
    const auto log = so_far(key).log;
    BOOST_TEST((std::find(log.begin(), log.end(), why) != log.end()));
    BOOST_TEST(ended.usage.mem_kb <= 44000u);  // the kernel counts in batches
  });
}

BOOST_AUTO_TEST_CASE(a_job_runs_without_a_cgroup_that_cannot_be_made) {
  options.cgroup_roots = {"memory:/nonexistent"};
  restart_mom();
  const auto ended = run(limited("exit 3", {mb, {}, 1, false}));
  BOOST_TEST(ended.exit_status == 3);
  const auto log = so_far(key).log;
  BOOST_REQUIRE(log.size() == 1u);
  BOOST_TEST(log[0] == "cgroup: /nonexistent/" + options.cgroup_parent + "/7.b.1/7.b.1: No such file or directory");
}

BOOST_AUTO_TEST_CASE(an_order_that_wants_no_cgroup_gets_none) {
  with_each([&] {
    auto o = limited("cat /proc/self/cgroup > where");
    o.share.reset();
    run(o);
    BOOST_TEST(test::read_whole(work() + "/where").find("annals-test") == std::string::npos);
  });
}

BOOST_AUTO_TEST_SUITE_END()
