// Programs that tell an amount (server_dyn_res).
#include "tools/daemons/amount_script.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace annals;
using kind = actors::script_answer::kind;

namespace {

struct directory {
  std::filesystem::path path;
  directory() {
    std::string name = (std::filesystem::temp_directory_path() / "amount_XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~directory() { std::filesystem::remove_all(path); }

  std::string script(const std::string& body, mode_t mode = 0755) const {
    const auto file = (path / "lic.sh").string();
    std::ofstream(file) << "#!/bin/sh\n"
                        << body << "\n";
    BOOST_REQUIRE(chmod(file.c_str(), mode) == 0);
    return file;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_line_is_the_answer) {
  const directory d;
  const auto told = daemons::run_amount_script(d.script("echo 3; echo 4; sleep 600"), 30);  // the rest is not waited for
  BOOST_TEST((told.what == kind::told));
  BOOST_TEST(told.line == "3");
  BOOST_TEST(daemons::run_amount_script(d.script("printf 5"), 30).line == "5");
  BOOST_TEST(daemons::run_amount_script(d.script("echo $1-$2") + " a b", 30).line == "a-b");
  const auto nothing = daemons::run_amount_script(d.script("exit 1"), 0);
  BOOST_TEST((nothing.what == kind::told));
  BOOST_TEST(nothing.line == "");
}

BOOST_AUTO_TEST_CASE(one_that_says_nothing_is_killed_with_what_it_started) {
  const directory d;
  const auto pid_file = (d.path / "pid").string();
  pid_t pid = 0;
  for (int alarm = 1; pid == 0; alarm *= 2) {  // a busy machine may not come so far in a second
    const auto answer = daemons::run_amount_script(d.script("sleep 600 & echo $! > " + pid_file + "; wait"), alarm);
    BOOST_TEST((answer.what == kind::timed_out));
    std::ifstream(pid_file) >> pid;
  }
  const auto is_gone = [&] {  // an orphan that was killed may wait for somebody to ask after it
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    return !std::getline(in, line) || line.substr(line.rfind(')') + 2, 1) == "Z";
  };
  while (!is_gone()) std::this_thread::yield();
}

BOOST_AUTO_TEST_CASE(one_that_others_may_change_is_not_run) {
  const directory d;
  const auto mark = (d.path / "ran").string();
  BOOST_TEST((daemons::run_amount_script(d.script("touch " + mark, 0777), 30).what == kind::unsafe));
  BOOST_TEST(!std::filesystem::exists(mark));
}

BOOST_AUTO_TEST_CASE(one_that_is_not_there_is_missing) {
  BOOST_TEST(!daemons::has_program("/nosuch -a"));
  BOOST_TEST(daemons::has_program("/bin/sh -c true"));
  BOOST_TEST((daemons::run_amount_script("/nosuch -a", 30).what == kind::missing));
}

BOOST_AUTO_TEST_CASE(one_that_prints_without_end_is_cut) {
  const directory d;
  BOOST_TEST(daemons::run_amount_script(d.script("exec yes | tr -d '\\n'"), 30).line.size() < 10000u);
}
