// What a task wrote on another host comes into the job's files, or is told as lost.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "actors/mom/host/order_file.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;

namespace {

struct task_output_fixture : test::host_fixture {
  const values::run_key key = test::run_of("5.b.1");
  void append(const std::string& bytes) {
    const auto before = so_far(key).appended;
    host->append_output(key, false, bytes);
    wait(key, [&](const test::told& t) { return t.appended > before; });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_output, task_output_fixture)

BOOST_AUTO_TEST_CASE(any_bytes_are_appended_in_their_order) {
  run(order(key, {"/bin/echo", "mine"}));
  append(std::string("a\0b\n", 4));
  append("c\n");
  BOOST_TEST(stdout_of(key) == std::string("mine\na\0b\nc\n", 11));
}

BOOST_AUTO_TEST_CASE(output_at_its_final_place_may_be_a_link) {
  BOOST_REQUIRE(symlink("real", (work() + "/link").c_str()) == 0);
  auto o = order(key, {"/bin/echo", "mine"});
  o.stdout_file = work() + "/link";
  run(o);
  append("theirs\n");
  BOOST_TEST(test::read_whole(work() + "/real") == "mine\ntheirs\n");
}

BOOST_AUTO_TEST_CASE(a_link_in_the_spool_is_not_followed) {
  run(order(key, {"/bin/echo", "mine"}));
  test::write_whole(work() + "/victim", "precious");
  BOOST_REQUIRE(unlink((home() + "/spool/5.b.OU").c_str()) == 0);
  BOOST_REQUIRE(symlink((work() + "/victim").c_str(), (home() + "/spool/5.b.OU").c_str()) == 0);
  options.retry_pause = std::chrono::milliseconds(1);
  restart_mom();
  append("theirs");
  BOOST_TEST(test::read_whole(work() + "/victim") == "precious");
  BOOST_REQUIRE(!so_far(key).log.empty());
  BOOST_TEST(so_far(key).log.back().starts_with("6 bytes that a task wrote are lost, " + home() + "/spool/5.b.OU: "));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_now_is_written_later) {
  const std::string shepherd = options.shepherd, well = work() + "/well", tried = work() + "/tried";
  options.shepherd = work() + "/shepherd";
  test::write_whole(
      options.shepherd,
      "#!/bin/sh\n[ $1 = as-user ] && [ ! -e " + well + " ] && { echo x > " + tried + "; exit 1; }\nexec " + shepherd + " \"$@\"\n", 0755);
  restart_mom();
  run(order(key, {"/bin/echo", "mine"}));
  host->append_output(key, false, "theirs\n");
  test::wait_until([&] { return access(tried.c_str(), F_OK) == 0; }, "it was tried");
  BOOST_TEST(so_far(key).appended == 0u);
  test::write_whole(well, "");
  wait(key, [](const test::told& t) { return t.appended == 1; });
  BOOST_TEST(stdout_of(key) == "mine\ntheirs\n");
}

BOOST_AUTO_TEST_CASE(a_user_writes_with_all_his_groups) {
  if (geteuid() != 0) return test::skip("only root can become somebody");
  auto o = order(key, {"/bin/echo", "mine"});
  o.user = "nobody";
  o.stdout_file = work() + "/shared";
  test::write_whole(o.stdout_file, "", 0660);
  const gid_t group = 54321;
  BOOST_REQUIRE(chown(o.stdout_file.c_str(), 0, group) == 0);
  run_failing(o);
  auto ordered = mom::parts_of(test::read_whole(run_file(key)), print(key)).order.value();
  forget_and_wait(key);
  restart_mom();
  ordered.groups.push_back(group);
  test::write_whole(run_file(key), mom::print_order(ordered), 0600);
  run(o);
  append("theirs\n");
  BOOST_TEST(test::read_whole(o.stdout_file) == "mine\ntheirs\n");
}

BOOST_AUTO_TEST_SUITE_END()
