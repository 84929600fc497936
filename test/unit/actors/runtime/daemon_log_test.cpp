#include <boost/test/unit_test.hpp>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <thread>

#include "actors/runtime/daemon_log.hpp"
#include "test/support/temporary_directory.hpp"

using annals::actors::daemon_log;
namespace log_event = annals::actors::log_event;

namespace {

struct log_directory : annals::test::temporary_directory {
  std::string text() const {
    std::string all;
    for (const auto& f : std::filesystem::directory_iterator(path)) {
      std::ifstream in(f.path());
      all += std::string(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(lines_that_may_wait_come_in_their_order) {
  log_directory dir;
  daemon_log log(dir.path, "pbs_sched", 511, false);
  log.write_soon(log_event::debug2, "Req", "", "one");
  log.write_soon(log_event::debug3, "Req", "", "not in the mask");
  log.write(log_event::debug, "Req", "", "two");
  const auto both = dir.text();
  BOOST_TEST(both.find(";one\n") < both.find(";two\n"));
  BOOST_TEST(both.find("not in the mask") == std::string::npos);
  log.write_soon(log_event::debug2, "Req", "", "three");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto is_there = [&] { return dir.text().find(";three\n") != std::string::npos; };
  while (!is_there() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  BOOST_TEST(is_there());
}

BOOST_AUTO_TEST_CASE(a_log_that_ends_has_lines_that_waited) {
  log_directory dir;
  { daemon_log(dir.path, "pbs_sched", 511, false).write_soon(log_event::debug2, "Req", "", "last"); }
  BOOST_TEST(dir.text().find(";last\n") < dir.text().find("Log closed"));
}

BOOST_AUTO_TEST_CASE(a_line_has_pbs_form_and_is_there_at_once) {
  log_directory dir;
  daemon_log log(dir.path, "pbs_sched", log_event::sched, true);
  log.write(log_event::sched, "Job", "1.p1", "Job run");
  log.write(log_event::debug, "Job", "1.p1", "not in the mask");
  const std::string time = "\\d\\d/\\d\\d/\\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{6};";
  const std::regex lines(time + "0002;pbs_sched;Svr;Log;Log opened\n" + time + "0040;pbs_sched;Job;1\\.p1;Job run\n");
  BOOST_TEST(std::regex_match(dir.text(), lines), dir.text());
}

BOOST_AUTO_TEST_CASE(a_log_may_be_one_file) {
  log_directory dir;
  const auto path = dir.path + "/the_log";
  {
    daemon_log log(path, "pbs_mom", 511, false, true);
    log.write(log_event::system, "Svr", "pbs_mom", "before");
    std::filesystem::rename(path, path + ".old");
    log.reopen();
    log.write(log_event::system, "Svr", "pbs_mom", "behind");
  }
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  BOOST_TEST(text.find(";before\n") == std::string::npos);
  BOOST_TEST(text.find(";behind\n") != std::string::npos);
  BOOST_CHECK_THROW(daemon_log(dir.path, "pbs_mom", 511, false, true), std::runtime_error);  // a directory
}

BOOST_AUTO_TEST_CASE(gathered_lines_are_written_in_order_at_the_end) {
  log_directory dir;
  daemon_log log(dir.path, "pbs_sched", log_event::sched, false);
  {
    const daemon_log::gathering lines(log);
    log.write(log_event::sched, "Job", "1.p1", "first");
    log.write(log_event::sched, "Job", "2.p1", "second");
    BOOST_TEST(dir.text().find("first") == std::string::npos);
  }
  const auto text = dir.text();
  BOOST_TEST(text.find("Log opened") < text.find("first"));
  BOOST_TEST(text.find("first") < text.find("second"));
  BOOST_TEST(text.back() == '\n');
  BOOST_TEST(text.find("\n\n") == std::string::npos);
}

// A job's name or a hook's text is any bytes of a user.
BOOST_AUTO_TEST_CASE(what_users_say_forges_no_line_and_steers_no_terminal) {
  using namespace std::string_view_literals;
  log_directory dir;
  {
    daemon_log log(dir.path, "Server@p1", log_event::job, false);
    log.write(log_event::job, "Job", "1.p1", "named \033[2Jx\0y\n01/01/2026 00:00:00;0008;Server@p1;Job;2.p1;gone\n"sv);
    log.write(log_event::job, "Job", "3\n.p1", "");
  }
  const auto text = dir.text();
  BOOST_TEST(text.find(";0008;Server@p1;Job;1.p1;named ^[[2Jx^@y\n") != std::string::npos, text);
  BOOST_TEST(text.find(";0008;Server@p1;Job;1.p1;01/01/2026 00:00:00;0008;Server@p1;Job;2.p1;gone\n") != std::string::npos, text);
  BOOST_TEST(text.find(";0008;Server@p1;Job;3^J.p1;\n") != std::string::npos, text);
  BOOST_TEST(std::ranges::count(text, '\n') == 5, text);
}
