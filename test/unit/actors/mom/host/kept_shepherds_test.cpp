// A shepherd that runs the subjobs of an array in turn: each run is as if it had one for itself (docs/design/0004-shepherd.md).
#include "actors/mom/host/kept_shepherds.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/host/usage_meter.hpp"
#include "host_fixture.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

struct kept_fixture : test::host_fixture {
  // However long this process stands still between two runs.
  kept_fixture() { let_them_wait(std::chrono::hours(1)); }
  void let_them_wait(std::chrono::milliseconds time) {
    options.kept_idle_max = time;
    restart_mom();
  }
  static values::run_key key(int index) { return {"12[" + std::to_string(index) + "].b", 1}; }
  mom::run_journal journal(const test::named& of) const {
    return mom::parse_journal(journal_of(of), mom::parts_of(test::read_whole(run_file(of)), print(of.key)).mark);
  }
  pid_t shepherd_of(const test::named& of) const { return static_cast<pid_t>(journal(of).claimed.value().pid); }

  // Runs to its end, and then until its shepherd has let go of the file: it may take the next one.
  int run_one(ports::run_order o) {
    o.may_run_again = true;
    const auto status = run(o).exit_status;
    test::wait_until([&] { return mom::held_run::take(run_file(o.key), false).has_value(); }, "the shepherd to be free");
    return status;
  }
  ports::run_order with_tmpdir(ports::run_order o) const {
    o.tmpdir = tmpdir(o.key);
    o.environment.push_back("TMPDIR=" + o.tmpdir);
    return o;
  }
  // What was kept of it, by whom it was started.
  static bool is_reaped(pid_t shepherd) { return !fs::exists("/proc/" + std::to_string(shepherd)); }
  static std::size_t descriptors() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }
  std::string tmpdir(const test::named& of) const { return work() + "/pbs." + print(of.key); }
  std::size_t tmpdirs() const {
    std::size_t n = 0;
    for (const auto& e : fs::directory_iterator(work())) n += e.path().filename().string().starts_with("pbs.") ? 1 : 0;
    return n;
  }
};

mom::shepherd_order order_of(const std::string& job_id) {
  mom::shepherd_order o;
  o.job_id = job_id;
  o.uid = o.gid = 1000;
  o.groups = {1000};
  return o;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(kept_shepherds, kept_fixture)

BOOST_AUTO_TEST_CASE(only_subjobs_of_one_array_and_identity_share_one) {
  const auto one = mom::crew_of(order_of("12[1].b"));
  BOOST_TEST(!one.empty());
  BOOST_TEST(one == mom::crew_of(order_of("12[20].b")));
  BOOST_TEST(one != mom::crew_of(order_of("13[1].b")));
  BOOST_TEST(one != mom::crew_of(order_of("12[1].c")));
  for (const auto& change : {+[](mom::shepherd_order& o) { o.uid = 1001; }, +[](mom::shepherd_order& o) { o.gid = 1001; },
                             +[](mom::shepherd_order& o) { o.groups.push_back(4); }}) {
    auto other = order_of("12[1].b");
    change(other);
    BOOST_TEST(one != mom::crew_of(other));
  }
  BOOST_TEST(mom::crew_of(order_of("12.b")).empty());
  auto attached = order_of("12[1].b");
  attached.attached_pid = 7;
  BOOST_TEST(mom::crew_of(attached).empty());
}

BOOST_AUTO_TEST_CASE(subjobs_in_turn_have_one_shepherd_and_each_its_own_end_output_and_tmpdir) {
  for (int i = 1; i <= 4; ++i) {
    const auto n = std::to_string(i);
    BOOST_TEST(run_one(with_tmpdir(script(
                   key(i), "echo out" + n + "; echo err" + n + " >&2; cd $TMPDIR && pwd && ls -A && stat -c %a .; exit " + n))) == i);
    BOOST_TEST(stdout_of(key(i)) == "out" + n + '\n' + tmpdir(key(i)) + "\n700\n");
    BOOST_TEST(stderr_of(key(i)) == "err" + n + '\n');
    BOOST_TEST(shepherd_of(key(i)) == shepherd_of(key(1)));
    BOOST_TEST(!fs::exists(tmpdir(key(i))));
  }
  BOOST_TEST(shepherd_of(key(1)) == shepherd_of(key(4)));
  BOOST_TEST(tmpdirs() == 1u);  // kept for the next one
  run_one(order("14.b.1", {"/bin/true"}));
  BOOST_TEST(shepherd_of("14.b.1") != shepherd_of(key(1)));
}

BOOST_AUTO_TEST_CASE(subjobs_at_once_have_one_each) {
  start(script(key(1), "while [ ! -e go ]; do sleep 0.01; done"));
  wait_started(key(1));
  BOOST_TEST(run_one(order(key(2), {"/bin/true"})) == 0);
  BOOST_TEST(shepherd_of(key(1)) != shepherd_of(key(2)));
  test::write_whole(work() + "/go", "");
  BOOST_TEST(wait_ended(key(1)).ended.at(0).exit_status == 0);
}

BOOST_AUTO_TEST_CASE(what_a_subjob_leaves_behind_does_not_meet_the_next_one) {
  run_one(with_tmpdir(script(key(1), "setsid sleep 1000 & echo $!; touch $TMPDIR/file; chmod 777 $TMPDIR; umask 0; ulimit -n 20")));
  const auto left = std::stol(stdout_of(key(1)));
  BOOST_TEST(!test::alive(left));
  run_one(with_tmpdir(script(key(2), "ls -A $TMPDIR; stat -c %a $TMPDIR; umask; ulimit -n; chmod 500 $TMPDIR")));
  BOOST_TEST(shepherd_of(key(1)) == shepherd_of(key(2)));
  const auto seen = stdout_of(key(2));
  BOOST_TEST(seen.starts_with("700\n0077\n"));
  BOOST_TEST(!seen.ends_with("\n20\n"));
  BOOST_TEST(run_one(with_tmpdir(script(key(3), "stat -c %a $TMPDIR"))) == 0);
  BOOST_TEST(stdout_of(key(3)) == "700\n");
}

BOOST_AUTO_TEST_CASE(a_subjob_uses_what_it_uses_alone) {
  run_one(script(key(1), "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"));
  const auto busy = journal(key(1)).ended.value().cpu_ms;
  BOOST_REQUIRE(busy > 20u);
  run_one(order(key(2), {"/bin/true"}));
  BOOST_TEST(shepherd_of(key(1)) == shepherd_of(key(2)));
  BOOST_TEST(journal(key(2)).ended.value().cpu_ms < busy);
  BOOST_TEST(journal(key(2)).started.value().cpu_ms_before >= busy);
}

BOOST_AUTO_TEST_CASE(samples_leave_out_what_ended_before_the_run) {
  const auto child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    for (const auto end = clock() + CLOCKS_PER_SEC / 5; clock() < end;) {
    }
    _exit(0);
  }
  mom::reap(child);
  const auto table = mom::process_table::now();
  mom::usage_meter all, later;
  all.sample(table, getpid(), 0, 1000);
  later.sample(table, getpid(), 0, 1000, 1'000'000);
  BOOST_TEST(all.so_far().cpu_percent >= 19u);
  BOOST_TEST(later.so_far().cpu_percent < all.so_far().cpu_percent);
}

BOOST_AUTO_TEST_CASE(a_shepherd_that_a_signal_was_sent_to_gets_no_other_run) {
  start(script(key(1), "while :; do sleep 0.01; done"));
  wait_started(key(1));
  host->signal(key(1), SIGKILL);
  BOOST_TEST(wait_ended(key(1)).ended.at(0).exit_status == 256 + SIGKILL);
  const auto first = shepherd_of(key(1));
  test::wait_until([&] { return !test::alive(first); }, "the shepherd to go home");
  BOOST_TEST(run_one(order(key(2), {"/bin/true"})) == 0);
  BOOST_TEST(shepherd_of(key(2)) != first);
}

BOOST_AUTO_TEST_CASE(one_that_is_killed_while_it_has_nothing_to_do_takes_no_run_with_it) {
  for (const int signal : {SIGKILL, SIGTERM})
    for (int i = 1; i <= 5; ++i) {
      const auto first = key(100 * signal + 2 * i), second = key(100 * signal + 2 * i + 1);
      run_one(order(first, {"/bin/true"}));
      kill(shepherd_of(first), signal);  // the host may hear of it, or hand over the next run first
      BOOST_TEST(run_one(script(second, "echo x >> starts." + std::to_string(signal) + '.' + std::to_string(i))) == 0);
      BOOST_TEST(test::read_whole(work() + "/starts." + std::to_string(signal) + '.' + std::to_string(i)) == "x\n");
    }
}

BOOST_AUTO_TEST_CASE(without_a_mom_it_ends_its_run_and_goes_home) {
  run_one(with_tmpdir(order(key(1), {"/bin/true"})));
  start(with_tmpdir(script(key(2), "while [ ! -e go ]; do sleep 0.01; done; exit 5")));
  wait_started(key(2));
  const auto shepherd = shepherd_of(key(2));
  BOOST_TEST(shepherd == shepherd_of(key(1)));
  crash_mom();
  test::write_whole(work() + "/go", "");
  test::wait_until([&] { return !test::alive(shepherd); }, "the shepherd to go home");
  BOOST_TEST(tmpdirs() == 0u);
  new_mom();
  host->adopt(key(1));
  host->adopt(key(2));
  BOOST_TEST(wait_ended(key(1)).ended.at(0).exit_status == 0);
  BOOST_TEST(wait_ended(key(2)).ended.at(0).exit_status == 5);
}

BOOST_AUTO_TEST_CASE(one_that_gets_no_other_run_goes_home_after_some_time) {
  let_them_wait(std::chrono::milliseconds(1));
  run_one(with_tmpdir(order(key(1), {"/bin/true"})));
  const auto shepherd = shepherd_of(key(1));
  test::wait_until([&] { return !test::alive(shepherd); }, "the shepherd to go home");
  BOOST_TEST(tmpdirs() == 0u);
  BOOST_TEST(run_one(with_tmpdir(order(key(2), {"/bin/true"}))) == 0);
}

// A MoM would be busy for ever with the ends of these.
BOOST_AUTO_TEST_CASE(those_that_went_home_are_reaped_and_leave_no_descriptor) {
  const auto before = descriptors();
  let_them_wait(std::chrono::milliseconds(1));
  std::set<pid_t> shepherds;
  for (int i = 1; i <= 3; ++i) start(script(key(i), "while [ ! -e go ]; do sleep 0.01; done"));
  for (int i = 1; i <= 3; ++i) wait_started(key(i));
  test::write_whole(work() + "/go", "");
  for (int i = 1; i <= 3; ++i) {
    wait_ended(key(i));
    shepherds.insert(shepherd_of(key(i)));
  }
  BOOST_TEST(shepherds.size() == 3u);
  test::wait_until([&] { return std::ranges::all_of(shepherds, is_reaped); }, "the shepherds to be reaped");
  for (int i = 1; i <= 3; ++i) forget_and_wait(key(i));  // the files of runs that are known stay open
  test::wait_until([&] { return descriptors() <= before; }, "their descriptors to be closed");
}

// The MoM removes a spool file when its output is elsewhere; only then another run may write into it.
BOOST_AUTO_TEST_CASE(spool_files_whose_output_was_appended_elsewhere_are_used_again) {
  const auto writing = [&](int index, const std::string& text, bool appended = true) {
    auto o = script(key(index), "printf '" + text + "'");
    o.output_is_appended = appended;
    return o;
  };
  const auto file_of = [&](int index) { return script(key(index), "").stdout_file; };
  const auto inode_of = [&](int index) {
    struct stat st {};
    BOOST_REQUIRE(stat(file_of(index).c_str(), &st) == 0);
    return st.st_ino;
  };
  run_one(writing(1, "a long line"));
  const auto first = inode_of(1);
  BOOST_TEST(test::read_whole(file_of(1)) == "a long line");

  // Its output is not elsewhere yet.
  run_one(writing(2, "short"));
  const auto second = inode_of(2);
  BOOST_TEST(second != first);
  BOOST_TEST(test::read_whole(file_of(1)) == "a long line");

  // It is; but another name leads to the second one's.
  fs::create_hard_link(file_of(2), work() + "/a_name_of_its_owner");
  fs::remove(file_of(1));
  fs::remove(file_of(2));
  run_one(writing(3, "x"));
  BOOST_TEST(inode_of(3) == first);
  BOOST_TEST(test::read_whole(file_of(3)) == "x");
  fs::remove(file_of(3));
  run_one(writing(4, "y"));
  BOOST_TEST(inode_of(4) == first);
  run_one(writing(5, "z"));
  BOOST_TEST(inode_of(5) != second);
  BOOST_TEST(test::read_whole(work() + "/a_name_of_its_owner") == "short");

  // Its owner lets others read it.
  fs::permissions(file_of(4), fs::perms(0644));
  fs::remove(file_of(4));
  run_one(writing(6, ""));
  BOOST_TEST(inode_of(6) != first);
  // Output that becomes a file of its own has its own inode.
  fs::remove(file_of(6));
  const auto before = inode_of(5);
  fs::remove(file_of(5));
  run_one(writing(7, "own", false));
  BOOST_TEST(inode_of(7) != before);

  // Who has nothing to do goes home and takes along what it kept.
  const auto spool = fs::path(file_of(7)).parent_path();
  const auto shepherd = shepherd_of(key(7));
  restart_mom();
  test::wait_until([&] { return !test::alive(shepherd); }, "the shepherd to go home");
  for (const auto& e : fs::directory_iterator(spool)) BOOST_TEST(e.path().string().find(".next") == std::string::npos, e.path());
}

BOOST_AUTO_TEST_CASE(a_later_run_is_found_by_the_next_mom_and_can_be_killed) {
  run_one(order(key(1), {"/bin/true"}));
  start(script(key(2), "while :; do sleep 0.01; done"));
  wait_started(key(2));
  restart_mom();
  host->adopt(key(2));
  wait_started(key(2));
  host->signal(key(2), SIGKILL);
  BOOST_TEST(wait_ended(key(2)).ended.at(0).exit_status == 256 + SIGKILL);
}

BOOST_AUTO_TEST_CASE(one_that_dies_in_a_later_run_ends_that_one_alone_with_minus_4) {
  run_one(order(key(1), {"/bin/true"}));
  start(script(key(2), "while :; do sleep 0.01; done"));
  const auto started = wait_started(key(2)).started.at(0);
  kill(shepherd_of(key(2)), SIGKILL);
  BOOST_TEST(wait_ended(key(2)).ended.at(0).exit_status == -4);
  BOOST_TEST(!test::alive(started.pid));
  BOOST_TEST(so_far(key(1)).ended.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
