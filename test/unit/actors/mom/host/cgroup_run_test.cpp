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
#include "actors/mom/host/cgroup_mounts.hpp"
#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;

namespace {

const std::string key = "7.b.1";
constexpr std::uint64_t mb = 1024 * 1024;

class cgroup_fixture : public test::host_fixture {
 public:
  cgroup_fixture() {
    options.cgroup_parent = "annals-test-" + std::to_string(getpid()) + "/n1";
    offer_ = mom::find_cgroups("/proc/self/mountinfo", options.cgroup_parent);
  }
  ~cgroup_fixture() {
    end_runs();
    for (const auto& text : offer_.roots) {
      const auto top = mom::parse_root(text)->path + '/' + options.cgroup_parent.substr(0, options.cgroup_parent.find('/'));
      BOOST_TEST(!std::filesystem::exists(top), "left behind: " << top);
    }
  }

  // The same with each version alone, and with both as a MoM would use them. Between two nothing is left.
  template <class Check>
  void with_each(Check&& check) {
    if (offer_.roots.empty()) {
      return test::skip(offer_.text);
    }
    for (const char* which : {"found", "v1", "v2"}) {
      BOOST_TEST_CONTEXT(which) {
        options.cgroup_roots = roots(which);
        if (options.cgroup_roots.empty()) continue;
        restart_mom();
        check();
        forget_and_wait(key);
        test::wait_until([&] { return gone(); }, "the cgroups to go");
      }
    }
  }

  std::vector<mom::cgroup_root> parsed() const {
    std::vector<mom::cgroup_root> all;
    for (const auto& text : options.cgroup_roots) all.push_back(*mom::parse_root(text));
    return all;
  }
  std::string run_directory(const mom::cgroup_root& r) const { return r.path + '/' + options.cgroup_parent + "/7.b.1"; }
  // Where the processes of one of its tasks are.
  std::string task_directory(const mom::cgroup_root& r, const std::string& of) const {
    const bool no_limits = r.v2 && !r.memory && !r.cpu;
    return (no_limits ? r.path + '/' + options.cgroup_parent : run_directory(r)) + '/' + of;
  }
  bool gone() const {
    for (const auto& r : parsed())
      if (std::filesystem::exists(r.path + '/' + options.cgroup_parent)) return false;
    return true;
  }
  bool has_memory() const {
    for (const auto& r : parsed())
      if (r.memory) return true;
    return false;
  }
  mom::job_cgroup cgroup(const std::string& of = key) const { return {options.cgroup_roots, options.cgroup_parent, of}; }

  ports::run_order limited(const std::string& text, ports::host_share share = {{}, {}, 1, false}) const {
    auto o = script(key, text);
    o.share = share;
    return o;
  }
  long shepherd() const { return static_cast<long>(mom::parse_journal(journal_of(key)).claimed->pid); }
  // The number that the script wrote into a file; it may take a moment.
  long number_in(const std::string& name) const {
    const auto path = work() + '/' + name;
    test::wait_until([&] { return test::read_whole(path).ends_with('\n'); }, "a number from the script");
    const auto n = std::stol(test::read_whole(path));
    unlink(path.c_str());
    return n;
  }
  bool frozen() const {
    for (const auto& r : parsed()) {
      const auto leaf = task_directory(r, key);
      if (r.v2) return mom::cgroup_files::number(leaf + "/cgroup.events", "frozen") == 1u;
      if (r.freezer) return mom::cgroup_files::read(leaf + "/freezer.state") == "FROZEN\n";
    }
    return false;
  }

 private:
  std::vector<std::string> roots(const std::string& which) const {
    if (which == "found") return offer_.roots;
    std::string kept;
    const auto all = test::read_whole("/proc/self/mountinfo");
    for (std::size_t at = 0; at < all.size();) {
      const auto line = all.substr(at, all.find('\n', at) + 1 - at);
      if ((line.find(" - cgroup2 ") != std::string::npos) == (which == "v2")) kept += line;
      at += line.size();
    }
    test::write_whole(work() + "/mountinfo", kept);
    return mom::find_cgroups(work() + "/mountinfo", options.cgroup_parent).roots;
  }
  mom::cgroup_offer offer_;
};

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

BOOST_FIXTURE_TEST_SUITE(cgroup_runs, cgroup_fixture)

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
    const stranger attached(cgroup());
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
  host->confine("99.b.1", {mb, {}, 1, true});  // there is no such run
}

BOOST_AUTO_TEST_CASE(suspension_stops_whom_no_signal_reaches_and_resumption_lets_all_go) {
  with_each([&] {
    start(limited("echo $$ > pid; while :; do sleep 0.01; done"));
    (void)number_in("pid");
    const stranger attached(cgroup());
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
    host->signal("7.b.1-2", SIGKILL);
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
    host->signal("7.b.1-2", SIGKILL);
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
    o.key = "7.b.1-3";
    o.attached = {leader, leader, mom::read_process(leader)->start_ticks};
    start(o);
    wait_started("7.b.1-3");
    host->signal("7.b.1-3", SIGKILL);
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
    const std::string why = "Cgroup mem limit exceeded (40960kb): processes killed by the kernel: 1";
    BOOST_TEST(stderr_of(key).find("=>> PBS: " + why + "\n") != std::string::npos, stderr_of(key));
    const auto log = so_far(key).log;
    BOOST_TEST((std::find(log.begin(), log.end(), why) != log.end()));
    BOOST_TEST(ended.usage.mem_kb <= 44000u);  // the kernel counts in batches
  });
}

// Each run is as if its cgroup were new; only those of v1 are handed on, and not while the kernel still charges memory to them, which it
// gives back when it likes.
BOOST_AUTO_TEST_CASE(a_subjob_gets_the_cgroup_of_an_earlier_one_with_the_same_limits_without_its_usage) {
  const ports::host_share same{64 * mb, {}, 2, true}, other{{}, {}, 1, false};
  int index = 0;
  const auto begin = [&](const std::string& before, const ports::host_share& share) {
    auto o = script("12[" + std::to_string(++index) + "].b.1", before + "echo $$ > pid; read y < go; exit 4");
    o.share = share;
    start(o);
    (void)number_in("pid");
    return o.key;
  };
  const auto end = [&](const std::string& of) {
    test::write_whole(work() + "/go", "x\n");
    const auto ended = wait_ended(of).ended.at(0);
    BOOST_TEST(ended.exit_status == 4);
    test::wait_until([&] { return mom::held_run::take(run_file(of), false).has_value(); }, "the shepherd to be free");
    forget_and_wait(of);
    return ended.usage;
  };
  const auto place = [&](const mom::cgroup_root& r, const std::string& of) { return r.path + '/' + options.cgroup_parent + '/' + of; };
  const auto inodes = [&](const std::string& of) {
    std::vector<ino_t> all;
    for (const auto& r : parsed()) {
      struct stat st {};
      BOOST_REQUIRE(stat(place(r, of).c_str(), &st) == 0);
      all.push_back(r.v2 ? 0 : st.st_ino);
    }
    return all;
  };
  const auto check_limits = [&](const std::string& of, bool limited) {
    for (const auto& r : parsed()) {
      const auto at = place(r, of);
      if (r.v2) continue;
      if (r.memory) BOOST_TEST((mom::cgroup_files::number(at + "/memory.limit_in_bytes") == 64 * mb) == limited);
      if (r.cpu) BOOST_TEST(mom::cgroup_files::read(at + "/cpu.cfs_quota_us").value() == (limited ? "200000\n" : "-1\n"));
      if (r.cpu) BOOST_TEST(mom::cgroup_files::number(at + "/cpu.shares").value() == (limited ? 2048u : 1024u));
    }
  };
  with_each([&] {
    run(limited("exit 0"));  // for forget
    BOOST_REQUIRE(mkfifo((work() + "/go").c_str(), 0666) == 0);
    bool handed_on = false;
    for (int tries = 0; !handed_on && tries < 50; ++tries) {
      const auto first = begin("x=$(head -c 20000000 /dev/zero | tr '\\0' x); ", same);
      const auto before = inodes(first);
      const auto used = end(first);
      const auto second = begin("", same);
      handed_on = inodes(second) == before;
      for (const auto& r : parsed())
        for (const auto& gone : {first, first + ".next"}) BOOST_TEST(!std::filesystem::exists(place(r, gone)));
      check_limits(second, true);
      const auto then = end(second);
      if (has_memory()) {
        BOOST_TEST(used.mem_kb >= 20000u);
        BOOST_TEST(then.mem_kb < 10000u);
      }
    }
    BOOST_TEST(handed_on);

    const auto third = begin("", other);
    check_limits(third, false);
    end(third);
    unlink((work() + "/go").c_str());
    restart_mom();  // who is kept goes home, and takes along what was kept
  });
}

BOOST_AUTO_TEST_CASE(a_cgroup_in_which_a_process_was_killed_for_its_memory_is_not_handed_on) {
  const std::string first = "12[1].b.1", second = "12[2].b.1";
  with_each([&] {
    run(limited("exit 0"));  // for forget
    if (!has_memory()) return;
    for (const auto& of : {first, second}) {
      auto o = script(of, of == first ? "head -c 200000000 /dev/zero | tail -c 190000000 > /dev/null; exit 0" : "exit 0");
      o.share = ports::host_share{40 * mb, 40 * mb, 1, false};
      run(o);
      test::wait_until([&] { return mom::held_run::take(run_file(of), false).has_value(); }, "the shepherd to be free");
      BOOST_TEST((stderr_of(of).find("Cgroup mem limit exceeded") != std::string::npos) == (of == first));
      forget_and_wait(of);
    }
    restart_mom();
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
