// pbs_hostn, pbs_iff, pbs_rcp and pbs_sleep as programs: commands that need no server.
#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "actors/link/wire/socket_path.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::ran;

namespace {

ran run(std::vector<std::string> words, const test::run_options& how = {}) {
  words[0] = annals::test::stage_dir() + "/bin/" + words[0];
  return test::run(words, how);
}

constexpr const char* hostn_usage =
    "Usage: pbs_hostn [-v] hostname\n"
    "\t -v turns on verbose output\n"
    "       pbs_hostn --version\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(host_commands)

BOOST_AUTO_TEST_CASE(a_host_s_primary_name_is_printed) {
  const ran r = run({"pbs_hostn", "127.0.0.1"});
  BOOST_TEST(r.out == "127.0.0.1\n");
  BOOST_TEST(r.err == "");
  BOOST_TEST(r.status == 0);
}

BOOST_AUTO_TEST_CASE(verbose_tells_its_addresses_too) {
  const ran r = run({"pbs_hostn", "-v", "127.0.0.1"});
  BOOST_TEST(r.out.starts_with(
      "primary name: 127.0.0.1 (from gethostbyname())\n"
      "aliases:            -none-\n"
      "     address length:  4 bytes\n"
      "     address:            127.0.0.1   (16777343 dec)  name:  "));
  BOOST_TEST(r.status == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_host_is_no_failure) {
  for (const auto& words : {std::vector<std::string>{"pbs_hostn", "nosuchhost.invalid"}, {"pbs_hostn", "-v", "nosuchhost.invalid"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err.starts_with("no name entry found for nosuchhost.invalid\n ** h_errno is "));
    BOOST_TEST(r.out == "");
    BOOST_TEST(r.status == 0);
  }
}

BOOST_AUTO_TEST_CASE(wrong_uses_of_pbs_hostn) {
  for (const auto& words : {std::vector<std::string>{"pbs_hostn"}, {"pbs_hostn", "a", "b"}, {"pbs_hostn", "-v"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == hostn_usage);
    BOOST_TEST(r.status == 1);
  }
  const ran r = run({"pbs_hostn", "-x"});
  BOOST_TEST(r.err == std::string("pbs_hostn: invalid option -- 'x'\n") + hostn_usage);
  BOOST_TEST(r.status == 1);
  BOOST_TEST(run({"pbs_hostn", "--version"}).out.starts_with("pbs_version = "));
}

BOOST_AUTO_TEST_CASE(the_version_is_that_of_the_pbs_that_is_spoken_or_the_one_that_is_set) {
  const test::temporary_directory home;
  test::run_options how;
  how.environment = {{"PBS_CONF_FILE", "/dev/null"}, {"PBS_HOME", home.path}};
  const auto version_of = [&](const std::string& command) {
    return test::run({test::stage_dir() + "/bin/" + command, "--version"}, how).out;
  };
  for (const char* command : {"pbs_hostn", "qstat", "qsub", "pbs_tmrsh"}) BOOST_TEST(version_of(command) == "pbs_version = 23.06.06\n");
  std::ofstream(home.path + "/annals.conf") << "# for an old tool\npbs_version = 20.0.1\n";
  for (const char* command : {"pbs_hostn", "qstat", "qsub", "pbs_tmrsh"}) BOOST_TEST(version_of(command) == "pbs_version = 20.0.1\n");
}

// Texts and exit statuses as PBS printed them.
BOOST_AUTO_TEST_CASE(pbs_iff_tries_whether_a_server_can_be_reached) {
  const auto iff = [](std::vector<std::string> words) {
    words.insert(words.begin(), test::stage_dir() + "/sbin/pbs_iff");
    return test::run(words);
  };
  const wire::unique_fd door(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), wall(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto port_of = [](const wire::unique_fd& bound) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    BOOST_REQUIRE((bind(bound.get(), address, size) == 0 && getsockname(bound.get(), address, &size) == 0));
    return std::to_string(ntohs(here.sin_port));
  };
  const auto port = port_of(door), closed = port_of(wall);  // held, so that nobody else listens there
  BOOST_REQUIRE(listen(door.get(), 1) == 0);
  const ran reached = iff({"-t", "127.0.0.1", port});
  BOOST_TEST(reached.status == 0);
  BOOST_TEST(reached.out + reached.err == "");
  const ran gone = iff({"-t", "127.0.0.1", closed});
  BOOST_TEST(gone.status == 4);
  BOOST_TEST(gone.err == "pbs_iff: cannot connect to host\n");
  const ran unknown = iff({"-t", "nosuchhost.invalid", port});
  BOOST_TEST(unknown.status == 1);
  BOOST_TEST(unknown.err == "pbs_iff: unknown host nosuchhost.invalid\n");
  BOOST_TEST(iff({"-t", "127.0.0.1", "x"}).err == "pbs_iff: illegal port x\n");
  const ran vouching = iff({"127.0.0.1", port, "9", "9"});
  BOOST_TEST(vouching.status == 1);
  BOOST_TEST(vouching.err == "pbs_iff: No support for requested service: the server hears who calls from the connection itself\n");
  for (const auto& words : {std::vector<std::string>{}, {"a"}, {"a", "1"}, {"-t", "a"}, {"-i", "127.0.0.1", "-t", "a", "1"}}) {
    const ran r = iff(words);
    BOOST_TEST(r.status == 1);
    BOOST_TEST(r.err == "Usage: pbs_iff [-t] host port [parent_sock][parent_port]\n       pbs_iff --version\n");
  }
  BOOST_TEST(iff({"--version"}).out.starts_with("pbs_version = "));
}

BOOST_AUTO_TEST_CASE(pbs_rcp_copies_here_and_with_the_programs_of_pbs_conf) {
  const test::temporary_directory own;
  const auto rcp = [&](std::vector<std::string> words) {
    words.insert(words.begin(), test::stage_dir() + "/sbin/pbs_rcp");
    return test::run(words,
                     {.input = {}, .environment = {{"PBS_CONF_FILE", own.path + "/pbs.conf"}}, .directory = own.path, .meanwhile = {}});
  };
  std::ofstream(own.path + "/a") << "text\n";
  BOOST_TEST(rcp({"a", "b"}).status == 0);
  BOOST_TEST(test::slurp(own.path + "/b") == "text\n");
  const ran missing = rcp({"/nosuch", "c"});
  BOOST_TEST(missing.err == "/bin/cp: cannot stat '/nosuch': No such file or directory\n");
  BOOST_TEST(missing.status == 1);
  std::filesystem::create_directory(own.path + "/d");
  BOOST_TEST(rcp({"-pr", "d", "./e:f"}).status == 0);
  BOOST_TEST(std::filesystem::is_directory(own.path + "/e:f"));
  std::ofstream(own.path + "/pbs.conf") << "PBS_SCP=/bin/echo\nPBS_SCP_ARGS=-l 8\nPBS_CP=/nosuch/cp\n";
  BOOST_TEST(rcp({"-r", "a", "-b", "me@host:/tmp"}).out == "-Bq -l 8 -r -- a -b me@host:/tmp\n");
  BOOST_TEST(rcp({"host:a", "b"}).out == "-Bq -l 8 -- host:a b\n");
  BOOST_TEST(rcp({"a", "b"}).err == "pbs_rcp: /nosuch/cp: No such file or directory\n");
  BOOST_TEST(rcp({"a", "b"}).status == 1);
}

BOOST_AUTO_TEST_CASE(wrong_uses_of_pbs_rcp) {
  const std::string usage =
      "usage: pbs_rcp [-E] [-p] f1 f2; or: pbs_rcp [-pr] f1 ... fn directory\n"
      "       pbs_rcp --version\n";
  for (const auto& [words, said] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{{}, ""},
                                                                     {{"a"}, ""},
                                                                     {{"-x", "a", "b"}, "pbs_rcp: invalid option -- 'x'\n"},
                                                                     {{"-E", "a", "b"}, "pbs_rcp: -E: not served\n"}}) {
    auto command = words;
    command.insert(command.begin(), test::stage_dir() + "/sbin/pbs_rcp");
    const ran r = test::run(command, {});
    BOOST_TEST(r.err == said + usage);
    BOOST_TEST(r.status == 1);
  }
}

BOOST_AUTO_TEST_CASE(pbs_sleep_sleeps_for_whole_seconds) {
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST(run({"pbs_sleep", "1"}).status == 0);
  BOOST_TEST((std::chrono::steady_clock::now() - begun >= std::chrono::seconds(1)));
}

BOOST_AUTO_TEST_CASE(a_word_that_is_no_second_ends_at_once) {
  for (const char* word : {"0.2", "x", "0", "", "--version"}) {
    const ran r = run({"pbs_sleep", word});
    BOOST_TEST(r.out + r.err == "");
    BOOST_TEST(r.status == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_number_below_0_sleeps_until_it_is_ended) {
  BOOST_TEST(run({"pbs_sleep", "-1"}, {{}, {}, {}, [](pid_t pid) { kill(pid, SIGTERM); }}).status == -SIGTERM);
}

BOOST_AUTO_TEST_CASE(wrong_uses_of_pbs_sleep) {
  for (const auto& words : {std::vector<std::string>{"pbs_sleep"}, {"pbs_sleep", "1", "2"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == "pbs_sleep secs\n");
    BOOST_TEST(r.status == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
