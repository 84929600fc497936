// Output comes to its place, or stays where its owner finds it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;
using test::host_fixture;

namespace {

struct delivery_fixture : host_fixture {
  const values::run_key key = test::run_of("3.b.1");
  std::string spool(const std::string& name) const { return home() + "/spool/" + name; }
  ports::delivery local(const std::string& name, const std::string& to) const {
    return {spool(name), "here", to, true};
  }
  ports::delivery_result deliver(const std::vector<ports::delivery>& files) {
    const auto before = so_far(key).delivered.size();
    host->deliver(key, {test::own_user(), files});
    return wait(key, [&](const test::told& t) { return t.delivered.size() > before; }).delivered.back();
  }
};

unsigned mode_of(const std::string& path) {
  struct stat st {};
  return stat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(deliveries, delivery_fixture)

BOOST_AUTO_TEST_CASE(both_files_of_a_job_come_to_their_places_with_their_mode) {
  auto o = script(key, "echo out; echo err >&2");
  o.umask = 027;
  run(o);
  const auto result = deliver({local("3.b.OU", work() + "/x.o3"), local("3.b.ER", work() + "/x.e3")});
  BOOST_TEST(result.ok);
  BOOST_TEST(result.delivered == 2u);
  BOOST_TEST(result.text == "");
  BOOST_TEST(test::read_whole(work() + "/x.o3") == "out\n");
  BOOST_TEST(test::read_whole(work() + "/x.e3") == "err\n");
  BOOST_TEST(mode_of(work() + "/x.o3") == 0640u);
  BOOST_TEST(access(spool("3.b.OU").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(an_existing_file_is_overwritten_and_stays_the_same_file) {
  test::write_whole(spool("3.b.OU"), "new", 0600);
  test::write_whole(work() + "/x", "much longer than the new one", 0644);
  BOOST_REQUIRE(link((work() + "/x").c_str(), (work() + "/y").c_str()) == 0);
  BOOST_TEST(deliver({local("3.b.OU", work() + "/x")}).ok);
  BOOST_TEST(test::read_whole(work() + "/y") == "new");
  BOOST_TEST(mode_of(work() + "/y") == 0600u);
}

BOOST_AUTO_TEST_CASE(a_directory_gets_the_spool_files_name) {
  test::write_whole(spool("3.b.OU"), "out");
  test::write_whole(spool("3.b.ER"), "err");
  BOOST_REQUIRE(mkdir((work() + "/d").c_str(), 0755) == 0);
  BOOST_TEST(deliver({local("3.b.OU", work() + "/d/"), local("3.b.ER", work() + "/d")}).ok);
  BOOST_TEST(test::read_whole(work() + "/d/3.b.OU") == "out");
  BOOST_TEST(test::read_whole(work() + "/d/3.b.ER") == "err");
}

BOOST_AUTO_TEST_CASE(dev_null_swallows_a_file) {
  test::write_whole(spool("3.b.OU"), "out");
  BOOST_TEST(deliver({local("3.b.OU", "/dev/null")}).ok);
  BOOST_TEST(access(spool("3.b.OU").c_str(), F_OK) != 0);
  struct stat st {};
  BOOST_TEST(stat("/dev/null", &st) == 0);
  BOOST_TEST(S_ISCHR(st.st_mode));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_copied_stays_in_undelivered_and_is_told) {
  test::write_whole(spool("3.b.OU"), "out", 0600);
  test::write_whole(spool("3.b.ER"), "err", 0600);
  const auto result = deliver({local("3.b.OU", work() + "/nodir/x"), local("3.b.ER", work() + "/x.e3")});
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.delivered == 1u);
  BOOST_TEST(result.asked == 2u);
  BOOST_TEST(result.text == "Unable to copy file " + spool("3.b.OU") + " to here:" + work() + "/nodir/x\n" +
                                ">>> error from copy\n/bin/cp: cannot create regular file '" + work() +
                                "/nodir/x': No such file or directory\n" +
                                ">>> end error output\nOutput retained on that host in: " + home() +
                                "/undelivered/3.b.OU\n");
  BOOST_TEST(test::read_whole(home() + "/undelivered/3.b.OU") == "out");
  BOOST_TEST(mode_of(home() + "/undelivered/3.b.OU") == 0600u);
  BOOST_TEST(test::read_whole(work() + "/x.e3") == "err");
}

BOOST_AUTO_TEST_CASE(a_pipe_in_the_place_of_output_holds_nobody_up) {
  BOOST_REQUIRE(mkfifo(spool("3.b.OU").c_str(), 0600) == 0);
  test::write_whole(work() + "/x", "there already: a rename will not do");
  const auto result = deliver({local("3.b.OU", work() + "/x")});
  BOOST_TEST(result.text.find("'" + spool("3.b.OU") + "' is not a regular file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(undelivered_output_is_not_written_through_a_planted_link) {
  std::string elsewhere = "/dev/shm/annals-undelivered-XXXXXX";
  struct stat here {
  }, there{};
  BOOST_REQUIRE(stat(home().c_str(), &here) == 0);
  if (!mkdtemp(elsewhere.data()) || stat(elsewhere.c_str(), &there) != 0 || here.st_dev == there.st_dev) {
    rmdir(elsewhere.c_str());
    return test::skip("no second file system");
  }
  BOOST_REQUIRE(rmdir((home() + "/undelivered").c_str()) == 0);
  BOOST_REQUIRE(symlink(elsewhere.c_str(), (home() + "/undelivered").c_str()) == 0);
  test::write_whole(work() + "/victim", "precious");
  BOOST_REQUIRE(symlink((work() + "/victim").c_str(), (elsewhere + "/3.b.OU").c_str()) == 0);
  test::write_whole(spool("3.b.OU"), "out");
  BOOST_TEST(!deliver({local("3.b.OU", work() + "/nodir/x")}).ok);
  BOOST_TEST(test::read_whole(work() + "/victim") == "precious");
  BOOST_TEST(test::read_whole(elsewhere + "/3.b.OU") == "out");
  std::filesystem::remove_all(elsewhere);
}

BOOST_AUTO_TEST_CASE(output_that_can_be_kept_nowhere_else_stays_in_the_spool) {
  run(order(key, {"/bin/echo", "precious"}));
  std::filesystem::remove(home() + "/undelivered");
  const auto result = deliver({local("3.b.OU", work() + "/nodir/x")});
  BOOST_TEST(result.text.ends_with("Output retained on that host in: " + spool("3.b.OU") + "\n"));
  host->keep_jobdir(key);
  forget_and_wait(key);
  BOOST_TEST(test::read_whole(spool("3.b.OU")) == "precious\n");
}

BOOST_AUTO_TEST_CASE(undelivered_output_survives_the_run) {
  run(order(key, {"/bin/echo", "precious"}));
  BOOST_TEST(!deliver({local("3.b.OU", work() + "/nodir/x")}).ok);
  forget_and_wait(key);
  BOOST_TEST(test::read_whole(home() + "/undelivered/3.b.OU") == "precious\n");
}

BOOST_AUTO_TEST_CASE(a_repeated_request_finds_the_files_delivered) {
  test::write_whole(spool("3.b.OU"), "out");
  const std::vector<ports::delivery> files{local("3.b.OU", work() + "/x")};
  BOOST_TEST(deliver(files).ok);
  restart_mom();
  BOOST_TEST(deliver(files).ok);
  BOOST_TEST(test::read_whole(work() + "/x") == "out");
}

BOOST_AUTO_TEST_CASE(a_repeated_request_finds_the_files_undelivered) {
  test::write_whole(spool("3.b.OU"), "out");
  const std::vector<ports::delivery> files{local("3.b.OU", work() + "/nodir/x")};
  BOOST_TEST(!deliver(files).ok);
  BOOST_TEST(!deliver(files).ok);
}

BOOST_AUTO_TEST_CASE(a_copy_is_tried_as_often_as_there_are_pauses) {
  options.scp = {work() + "/scp"};
  options.delivery_pauses_s = {0, 0, 0};
  restart_mom();
  test::write_whole(work() + "/scp",
                    "#!/bin/sh\necho x >> " + work() + "/tries\n[ $(wc -l < " + work() +
                        "/tries) = 3 ] && exec cp \"$1\" " + work() + "/arrived\necho no route; exit 1\n",
                    0755);
  test::write_whole(spool("3.b.OU"), "out");
  BOOST_TEST(deliver({{spool("3.b.OU"), "far", "/there/x", false}}).ok);
  BOOST_TEST(test::read_whole(work() + "/tries") == "x\nx\nx\n");
  BOOST_TEST(test::read_whole(work() + "/arrived") == "out");
  BOOST_TEST(access(spool("3.b.OU").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(what_scp_says_is_told) {
  options.scp = {work() + "/scp", "-Brvp"};
  restart_mom();
  test::write_whole(work() + "/scp", "#!/bin/sh\necho \"$@\" >&2\nexit 1\n", 0755);
  test::write_whole(spool("3.b.OU"), "out");
  const auto result = deliver({{spool("3.b.OU"), "far", "/there/x", false}});
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.text.find(">>> error from copy\n-Brvp " + spool("3.b.OU") + ' ' + test::own_user() +
                              "@far:/there/x\n>>> end") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_scp_that_is_not_there_is_an_undelivered_file) {
  options.scp = {"/no/such/scp"};
  restart_mom();
  test::write_whole(spool("3.b.OU"), "out");
  const auto result = deliver({{spool("3.b.OU"), "far", "/there/x", false}});
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.text.find("/no/such/scp") != std::string::npos);
  BOOST_TEST(test::read_whole(home() + "/undelivered/3.b.OU") == "out");
}

// It becomes another run's file.
BOOST_AUTO_TEST_CASE(a_copy_file_that_a_program_may_read_is_not_used_again) {
  options.scp = {"/bin/true"};
  restart_mom();
  const std::string file = home() + "/mom_priv/jobs/" + print(key) + ".copy";
  for (const bool by_program : {false, true}) {
    test::write_whole(spool("3.b.OU"), "out");
    BOOST_TEST(deliver({{spool("3.b.OU"), "far", work() + "/x", !by_program}}).ok);
    const int held = open(file.c_str(), O_RDONLY);
    BOOST_REQUIRE(held >= 0);
    host->forget(key);
    test::wait_until([&] { return access(file.c_str(), F_OK) != 0; }, "the copy file to go");
    struct stat st {};
    BOOST_TEST(fstat(held, &st) == 0);
    BOOST_TEST(st.st_nlink == (by_program ? 0u : 1u));
    close(held);
  }
}

BOOST_AUTO_TEST_CASE(nothing_to_deliver_is_delivered) {
  const auto result = deliver({});
  BOOST_TEST(result.ok);
  BOOST_TEST(result.asked == 0u);
}

BOOST_AUTO_TEST_CASE(an_unknown_user_has_no_place_for_files) {
  test::write_whole(spool("3.b.OU"), "out");
  host->deliver(key, {"no-such-user", {local("3.b.OU", work() + "/x")}});
  const auto result = wait(key, [](const test::told& t) { return !t.delivered.empty(); }).delivered.back();
  BOOST_TEST(!result.ok);
  BOOST_TEST(access(spool("3.b.OU").c_str(), F_OK) == 0);
}

BOOST_AUTO_TEST_CASE(output_of_a_private_directory_is_delivered_from_there) {
  auto o = script(key, "echo inside");
  o.private_jobdir = "pbs.3.b.x8z";
  o.stdout_file = "3.b.OU";
  o.stderr_file = "3.b.ER";
  run(o);
  BOOST_TEST(deliver({{"3.b.OU", "here", work() + "/x", true}}).ok);
  BOOST_TEST(test::read_whole(work() + "/x") == "inside\n");
}

BOOST_AUTO_TEST_SUITE_END()
