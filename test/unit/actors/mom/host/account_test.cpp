// Whose jobs may run, and that they run as that user.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cerrno>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/real_task_outputs.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;

namespace {

// A name service that can be ill.
std::atomic<bool> ill;
int by_name(const char* name, passwd* entry, char* buffer, std::size_t size, passwd** found) {
  return ill ? EIO : getpwnam_r(name, entry, buffer, size, found);
}
int by_number(uid_t uid, passwd* entry, char* buffer, std::size_t size, passwd** found) {
  return ill ? EIO : getpwuid_r(uid, entry, buffer, size, found);
}
constexpr mom::name_service names{by_name, by_number, getgrnam_r};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(account, test::host_fixture)

BOOST_AUTO_TEST_CASE(nobody_is_missing_because_the_name_service_is_ill) {
  mom::accounts all(names);
  ill = true;
  const auto unknown = all.find(test::own_user(), "");
  BOOST_REQUIRE(std::holds_alternative<mom::no_account>(unknown));
  BOOST_TEST(std::get<mom::no_account>(unknown).ask_again);
  BOOST_TEST(std::get<mom::no_account>(unknown).why == "No Password Entry for User " + test::own_user() + ": Input/output error");
  ill = false;
  BOOST_TEST(std::holds_alternative<mom::account>(all.find(test::own_user(), "")));
  ill = true;
  BOOST_TEST(std::holds_alternative<mom::account>(all.find(test::own_user(), "")));
}

BOOST_AUTO_TEST_CASE(what_a_task_wrote_is_not_taken_for_nothing_while_the_name_service_is_ill) {
  const values::task_key task{test::run_of("4.b.1"), 2};
  const std::string file = mom::task_output_file(home(), task, false);
  mom::real_task_outputs outputs(home(), options.complain, names);
  ill = true;
  outputs.follow(task, test::own_user());
  BOOST_TEST((outputs.read(task, false, 0, 100) == ""));  // there is no file
  test::write_whole(file, "out");
  BOOST_TEST(!outputs.read(task, false, 0, 100));
  ill = false;
  BOOST_TEST((outputs.read(task, false, 0, 100) == "out"));
  outputs.remove(task);
  BOOST_TEST(access(file.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(what_needs_an_account_is_done_when_the_name_service_is_well_again) {
  options.names = names;
  options.retry_pause = std::chrono::milliseconds(1);
  ill = true;
  restart_mom();
  BOOST_TEST(run_failing(order("1.b.1", {"/bin/true"})).code == -3);
  test::write_whole(home() + "/spool/2.b.OU", "x");
  host->deliver(test::run_of("2.b.1"), {test::own_user(), {{home() + "/spool/2.b.OU", "here", work() + "/out", true}}});
  BOOST_TEST(run_failing(order("3.b.1", {"/bin/true"})).code == -3);  // after it
  BOOST_TEST(so_far("2.b.1").delivered.empty());
  ill = false;
  BOOST_TEST(wait("2.b.1", [](const test::told& t) { return !t.delivered.empty(); }).delivered[0].ok);
  BOOST_TEST(test::read_whole(work() + "/out") == "x");
}

BOOST_AUTO_TEST_CASE(a_job_of_an_unknown_user_is_refused_with_minus_10) {
  auto o = order("1.b.1", {"/bin/true"});
  o.user = "no-such-user";
  start(o);
  const auto failed = wait_failed("1.b.1").failed.at(0);
  BOOST_TEST(failed.code == -10);
  BOOST_TEST(failed.text.find("no-such-user") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_mom_of_an_ordinary_user_refuses_other_users) {
  if (geteuid() == 0) return test::skip("root can become anybody");
  auto o = order("1.b.1", {"/bin/true"});
  o.user = "root";
  start(o);
  const auto failed = wait_failed("1.b.1").failed.at(0);
  BOOST_TEST(failed.code == -10);
  BOOST_TEST(failed.text == "this MoM runs as " + test::own_user() + " and can't start a job of root");
}

BOOST_AUTO_TEST_CASE(a_job_of_an_unknown_group_is_refused_with_minus_10) {
  if (geteuid() != 0) return test::skip("an ordinary user's jobs have its group");
  auto o = order("1.b.1", {"/bin/true"});
  o.group = "no-such-group";
  start(o);
  const auto failed = wait_failed("1.b.1").failed.at(0);
  BOOST_TEST(failed.code == -10);
  BOOST_TEST(failed.text == "No Group Entry for Group no-such-group");
}

BOOST_AUTO_TEST_CASE(a_root_mom_runs_a_job_as_its_user) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = script("1.b.1", "id -u; id -g; id -G; cat " + home() + "/mom_priv/jobs/1.b.1.run; touch mine");
  o.user = "nobody";
  o.tmpdir = work() + "/pbs.1.b";
  BOOST_TEST(run(o).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.1") == "65534\n65534\n65534\n");
  BOOST_TEST(stderr_of("1.b.1").find("Permission denied") != std::string::npos);
  struct stat st {};
  BOOST_TEST(stat((work() + "/mine").c_str(), &st) == 0);
  BOOST_TEST(st.st_uid == 65534u);
  BOOST_TEST(stat((home() + "/spool/1.b.OU").c_str(), &st) == 0);
  BOOST_TEST(st.st_uid == 65534u);
  host->deliver(test::run_of("1.b.1"), {"nobody", {{home() + "/spool/1.b.OU", "here", work() + "/out", true}}});
  wait("1.b.1", [](const test::told& t) { return !t.delivered.empty(); });
  BOOST_TEST(stat((work() + "/out").c_str(), &st) == 0);
  BOOST_TEST(st.st_uid == 65534u);
}

BOOST_AUTO_TEST_CASE(a_job_gets_no_more_of_the_processor_than_its_user_may_take) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order("1.b.1", {"/usr/bin/nice"});
  o.user = "nobody";
  o.nice = -20;
  run(o);
  BOOST_TEST(stdout_of("1.b.1") == std::to_string(getpriority(PRIO_PROCESS, 0)) + "\n");
}

BOOST_AUTO_TEST_CASE(output_goes_to_a_new_file_and_not_to_one_of_somebody_else) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order("1.b.1", {"/bin/echo", "secret"});
  o.user = "nobody";
  run(o);
  auto text = test::read_whole(run_file("1.b.1"));
  text.resize(mom::order_size(text));
  forget_and_wait("1.b.1");
  test::write_whole(run_file("1.b.1"), text, 0600);  // between our look at the directory and the shepherd's
  test::write_whole(home() + "/spool/1.b.OU", "", 0666);
  start(o);
  test::wait_until([&] { return stdout_of("1.b.1") == "secret\n"; }, "the output");
  struct stat st {};
  BOOST_TEST(stat((home() + "/spool/1.b.OU").c_str(), &st) == 0);
  BOOST_TEST(st.st_uid == 65534u);
  BOOST_TEST((st.st_mode & 0777) == 0600u);
}

BOOST_AUTO_TEST_CASE(a_delivery_has_no_more_rights_than_its_user) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order("1.b.1", {"/bin/echo", "x"});
  o.user = "nobody";
  run(o);
  host->deliver(test::run_of("1.b.1"), {"nobody", {{home() + "/spool/1.b.OU", "here", home() + "/mom_priv/config", true}}});
  const auto t = wait("1.b.1", [](const test::told& s) { return !s.delivered.empty(); });
  BOOST_TEST(!t.delivered[0].ok);
  BOOST_TEST(access((home() + "/mom_priv/config").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(undelivered_output_finds_a_place_beside_what_somebody_planted) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order("1.b.1", {"/bin/echo", "x"});
  o.user = "nobody";
  run(o);
  const std::string first = home() + "/undelivered/1.b.OU", said = "Output retained on that host in: " + first + '.';
  test::write_whole(first, "of another user");
  host->deliver(test::run_of("1.b.1"), {"nobody", {{home() + "/spool/1.b.OU", "here", work() + "/nodir/x", true}}});
  const auto text = wait("1.b.1", [](const test::told& s) { return !s.delivered.empty(); }).delivered[0].text;
  const auto at = text.find(said);
  BOOST_REQUIRE(at != std::string::npos);
  BOOST_TEST(test::read_whole(first + '.' + text.substr(at + said.size(), 6)) == "x\n");
  BOOST_TEST(test::read_whole(first) == "of another user");
}

BOOST_AUTO_TEST_CASE(accounts_are_found_with_their_groups) {
  mom::accounts all;
  const auto found = all.find(test::own_user(), "");
  BOOST_REQUIRE(std::holds_alternative<mom::account>(found));
  const auto& me = std::get<mom::account>(found);
  BOOST_TEST(me.uid == geteuid());
  BOOST_TEST(me.groups.front() == me.gid);
  BOOST_TEST(me.home.front() == '/');
  BOOST_TEST(me.shell.front() == '/');
}

BOOST_AUTO_TEST_SUITE_END()
