// The end of a worker whose guard, played by a shell, takes its time.
#include "hooks-runtime/pool/worker_process.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "test/support/temporary_directory.hpp"

using namespace annals;

namespace {

struct late_guard {
  test::temporary_directory dir;

  // It says that it stands, and when it is told to end; then it stands still until it may.
  std::string program() const {
    const auto path = dir.at("guard");
    std::ofstream(path) << "#!/bin/sh\ncd " << dir.path << "\ntrap ': > told; until [ -e go ]; do :; done; : > removed; exit 7' TERM\n"
                        << ": > stands\nwhile :; do :; done\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  bool comes(const char* file) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!std::filesystem::exists(dir.at(file)) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return std::filesystem::exists(dir.at(file));
  }
  void make(const char* file) const { std::ofstream(dir.at(file)) << ""; }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_guard_that_is_late_still_does_its_last_deeds, late_guard) {
  hooks::worker_process worker(program(), "");
  BOOST_REQUIRE(worker.is_running());
  BOOST_REQUIRE(comes("stands"));
  worker.ask_to_end();
  BOOST_REQUIRE(comes("told"));
  worker.insist();  // as after guard_patience_ms
  make("go");
  BOOST_TEST(worker.reaped() == "the hook's process ended itself with exit status 7");
  BOOST_TEST(comes("removed"));
}

BOOST_FIXTURE_TEST_CASE(a_guard_that_hangs_is_killed_in_the_end, late_guard) {
  hooks::worker_process worker(program(), "");
  BOOST_REQUIRE(comes("stands"));
  worker.ask_to_end();
  BOOST_REQUIRE(comes("told"));
  for (int i = 0; i <= hooks::worker_process::insisted_max; ++i) worker.insist();
  BOOST_TEST(worker.reaped() == "the hook's process was killed by signal 9 (Killed)");
}
