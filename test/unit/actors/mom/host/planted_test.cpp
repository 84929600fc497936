// What others put under the names that a job needs keeps no job from running, and what can't be made is told as trouble of the
// host. What an earlier life left is removed, and nothing else.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "actors/mom/host/spool_names.hpp"
#include "actors/mom/host/unknown_files.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;
using test::host_fixture;
namespace fs = std::filesystem;

namespace {

bool there(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}
unsigned mode_of(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(planted, host_fixture)

BOOST_AUTO_TEST_CASE(nobody_else_may_write_to_the_spool_directory) {
  BOOST_TEST(mode_of(home() + "/spool") == 0755u);
  chmod((home() + "/spool").c_str(), 01777);  // as an earlier release made it
  restart_mom();
  BOOST_TEST(mode_of(home() + "/spool") == 0755u);
  BOOST_TEST(mode_of(home() + "/undelivered") == 01777u);
}

BOOST_AUTO_TEST_CASE(whatever_stands_under_the_name_of_an_output_file_gives_way) {
  unsigned number = 0;
  for (const std::string what : {"directory", "full directory", "link", "pipe", "file"}) {
    const values::run_key key{std::to_string(++number) + ".b", 1};
    auto o = order(key, {"/bin/echo", "x"});
    test::write_whole(work() + "/victim", "precious");
    if (what.ends_with("directory")) fs::create_directory(o.stdout_file);
    if (what == "full directory") test::write_whole(o.stdout_file + "/in", "x");
    if (what == "link") fs::create_symlink(work() + "/victim", o.stdout_file);
    if (what == "pipe") BOOST_REQUIRE(mkfifo(o.stdout_file.c_str(), 0666) == 0);
    if (what == "file") fs::create_hard_link(work() + "/victim", o.stdout_file);
    BOOST_TEST_CONTEXT(what) {
      BOOST_TEST(run(o).exit_status == 0);
      BOOST_TEST(stdout_of(key) == "x\n");
      BOOST_TEST(test::read_whole(work() + "/victim") == "precious");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_temporary_directory_is_a_new_one_and_what_stood_there_stays) {
  for (const std::string what : {"directory", "link"}) {
    auto o = order("1.b." + std::to_string(what.size()), {"/bin/true"});
    o.tmpdir = work() + "/pbs.1.b." + what;
    fs::create_directories(work() + "/kept");
    test::write_whole(work() + "/kept/in", "precious");
    if (what == "directory") fs::create_directory(o.tmpdir), test::write_whole(o.tmpdir + "/in", "precious");
    else fs::create_directory_symlink(work() + "/kept", o.tmpdir);
    const auto failed = run_failing(o);
    BOOST_TEST(failed.code == -3);
    BOOST_TEST(failed.text == "can't make directory " + o.tmpdir + ": File exists");
    forget_and_wait(o.key);
    BOOST_TEST(test::read_whole(o.tmpdir + "/in") == "precious");
  }
}

BOOST_AUTO_TEST_CASE(a_job_directory_of_somebody_else_is_not_taken) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order("1.b.1", {"/bin/true"});
  o.user = "nobody";
  o.private_jobdir = "pbs.1.b.x8z";
  fs::create_directory(work() + "/pbs.1.b.x8z");
  fs::permissions(work() + "/pbs.1.b.x8z", fs::perms(0777));
  const auto failed = run_failing(o);
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "can't make directory " + work() + "/pbs.1.b.x8z: File exists");
}

BOOST_AUTO_TEST_CASE(a_job_directory_that_cannot_be_made_says_why) {
  auto o = order("1.b.1", {"/bin/true"});
  o.private_jobdir = "no/such/pbs.1.b.x8z";
  const auto failed = run_failing(o);
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "can't make directory " + work() + "/no/such/pbs.1.b.x8z: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_start_that_failed_half_way_leaves_no_directory) {
  auto o = order("1.b.1", {"/bin/true"});
  o.tmpdir = work() + "/pbs.1.b";
  o.stderr_file = "/no/such/place/x";
  BOOST_TEST(run_failing(o).code == -3);
  BOOST_TEST(!there(o.tmpdir));
}

BOOST_AUTO_TEST_CASE(output_that_was_delivered_is_no_longer_in_the_spool_and_a_repeat_writes_nothing) {
  const bool root = geteuid() == 0;
  auto o = order("1.b.1", {"/bin/echo", "x"});
  if (root) o.user = "nobody";
  run(o);
  const ports::delivery_order d{o.user,
                                {{o.stdout_file, "here", work() + "/out", true}, {o.stderr_file, "here", work() + "/nodir/err", true}}};
  host->deliver(test::run_of("1.b.1"), d);
  const auto t = wait("1.b.1", [](const test::told& s) { return !s.delivered.empty(); });
  BOOST_TEST(t.delivered[0].delivered == 1u);
  BOOST_TEST(!there(o.stdout_file));
  BOOST_TEST(!there(o.stderr_file));  // it was moved
  BOOST_TEST(there(home() + "/undelivered/1.b.ER"));
  test::write_whole(work() + "/out", "changed since");
  host->deliver(test::run_of("1.b.1"), {o.user, {d.files[0]}});
  wait("1.b.1", [](const test::told& s) { return s.delivered.size() == 2; });
  BOOST_TEST(so_far("1.b.1").delivered[1].ok);
  BOOST_TEST(test::read_whole(work() + "/out") == "changed since");
}

// The MoM died after the link was made and before it knew.
BOOST_AUTO_TEST_CASE(output_that_is_in_its_place_and_still_in_the_spool_is_not_written_over_itself) {
  auto o = order("1.b.1", {"/bin/echo", "x"});
  run(o);
  fs::create_hard_link(o.stdout_file, work() + "/out");
  host->deliver(test::run_of("1.b.1"), {o.user, {{o.stdout_file, "here", work() + "/out", true}}});
  const auto t = wait("1.b.1", [](const test::told& s) { return !s.delivered.empty(); });
  BOOST_TEST(t.delivered[0].ok);
  BOOST_TEST(test::read_whole(work() + "/out") == "x\n");
  BOOST_TEST(!there(o.stdout_file));
}

BOOST_AUTO_TEST_CASE(output_that_nobody_could_take_goes_to_undelivered_in_the_end) {
  auto o = order("1.b.1", {"/bin/echo", "x"});
  run(o);
  test::write_whole(home() + "/undelivered/1.b.OU", "another's");
  host->keep_jobdir(test::run_of("1.b.1"));
  forget_and_wait("1.b.1");
  BOOST_TEST(!there(o.stdout_file));
  BOOST_TEST(test::read_whole(home() + "/undelivered/1.b.OU") == "another's");
  BOOST_TEST(test::read_whole(home() + "/undelivered/1.b.OU.1") == "x\n");
}

BOOST_AUTO_TEST_CASE(output_that_can_not_even_go_to_undelivered_stays_whatever_is_swept_later) {
  auto o = order("1.b.1", {"/bin/echo", "x"});
  run(o);
  fs::remove_all(home() + "/undelivered");
  test::write_whole(home() + "/undelivered", "no directory");
  host->keep_jobdir(test::run_of("1.b.1"));
  forget_and_wait("1.b.1");
  host->forget_others({});
  BOOST_TEST(test::read_whole(o.stdout_file + ".kept") == "x\n");
}

BOOST_AUTO_TEST_CASE(the_directories_of_a_run_go_with_it_though_another_run_of_its_job_is_here) {
  for (const std::string number : {"1", "2"}) {
    auto o = script("1.b." + number, "touch in");
    o.private_jobdir = "pbs.1.b.x8z." + number;
    run(o);
  }
  forget_and_wait("1.b.1");
  BOOST_TEST(!there(work() + "/pbs.1.b.x8z.1"));
  BOOST_TEST(there(work() + "/pbs.1.b.x8z.2/in"));
}

// The run file tells of the directories: it is there as long as they are.
BOOST_AUTO_TEST_CASE(a_run_is_forgotten_when_its_directories_are_gone) {
  auto o = script("1.b.1", "mkdir -p a/b/c; touch a/b/c/d");
  o.private_jobdir = "pbs.1.b.x8z";
  run(o);
  forget_and_wait("1.b.1");
  BOOST_TEST(!there(work() + "/pbs.1.b.x8z"));
}

BOOST_AUTO_TEST_CASE(a_mom_that_starts_removes_what_was_left_of_jobs_it_does_not_know_and_nothing_else) {
  options.tmpdir = work();
  options.mark = "0a0b0c0d";
  const std::string jobs = home() + "/mom_priv/jobs/";
  const std::vector<std::string> left = {home() + "/spool/7.b.OU", home() + "/spool/7.b.1-2.ER", home() + "/aux/7.b", jobs + "7.b.SC",
                                         jobs + "7.b.1.copy", jobs + "7.b.2.copy.new"};
  const std::vector<std::string> others = {home() + "/spool/8.b.OU", home() + "/spool/8.b.1-2.ER", home() + "/spool/notes",
                                           home() + "/aux/8.b", home() + "/aux/README", jobs + "8.b.SC",
                                           home() + "/undelivered/7.b.OU"};
  for (const auto& list : {left, others})
    for (const auto& path : list) test::write_whole(path, "x");
  const auto tmpdir = [&](const std::string& name) { return work() + "/pbs." + name; };
  for (const std::string name : {"7.b.0a0b0c0d-12345678", "8.b.0a0b0c0d-12345678", "7.b.99999999-12345678", "7.b"}) {
    fs::create_directory(tmpdir(name));
    test::write_whole(tmpdir(name) + "/in", "x");
  }
  fs::create_directory_symlink(tmpdir("7.b"), tmpdir("7.b.0a0b0c0d-link"));
  restart_mom();
  host->forget_others({test::run_of("8.b.1")});
  test::wait_until([&] { return !there(tmpdir("7.b.0a0b0c0d-12345678")); }, "the temporary directory to go");
  for (const auto& path : left) BOOST_TEST(!there(path), path);
  for (const auto& path : others) BOOST_TEST(there(path), path);
  for (const std::string name : {"8.b.0a0b0c0d-12345678", "7.b.99999999-12345678", "7.b"}) BOOST_TEST(there(tmpdir(name) + "/in"), name);
  BOOST_TEST(there(tmpdir("7.b.0a0b0c0d-link")));
}

BOOST_AUTO_TEST_CASE(what_is_left_of_somebodys_job_is_looked_for_with_his_rights) {
  if (geteuid() != 0) return test::skip("only root can make a file of another");
  const auto made = work() + "/pbs.7.b.0a0b0c0d-12345678";
  fs::create_directory(made);
  BOOST_REQUIRE(chown(made.c_str(), 65534, 65534) == 0);
  auto found = mom::unknown_tmpdirs(work(), "0a0b0c0d", {});
  BOOST_REQUIRE(found.size() == 1u);
  BOOST_TEST(found.begin()->first.uid == 65534u);
  // Where others may rename, a name says nothing.
  chmod(work().c_str(), 0777);
  BOOST_TEST(mom::unknown_tmpdirs(work(), "0a0b0c0d", {}).empty());
}

BOOST_AUTO_TEST_CASE(a_mark_is_of_one_log) {
  BOOST_TEST(mom::mom_mark(std::string("\x0a\x0b\xff\x00more of it", 14)) == "0a0bff00");
}

BOOST_AUTO_TEST_CASE(only_names_right_below_the_spool_directory_are_ours) {
  using mom::is_spool_file_of;
  BOOST_TEST(is_spool_file_of("/p/spool/1.b.OU", "/p/spool", "1.b", "1.b.1"));
  BOOST_TEST(is_spool_file_of("/p/spool/1.b.1-2.ER", "/p/spool", "1.b", "1.b.1-2"));
  for (const char* const other : {"/p/spool/2.b.OU", "/p/spool/../spool/1.b.OU", "/p/spool2/1.b.OU", "/p/spool/1.b", "/p/spool/.OU",
                                  "/p/spool", "1.b.OU", "/p/spool//1.b.OU", "/p/spool/d/1.b.OU", ""})
    BOOST_TEST(!is_spool_file_of(other, "/p/spool", "1.b", "1.b.1"), other);
}

BOOST_AUTO_TEST_SUITE_END()
