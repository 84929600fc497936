// The exporter and the database die at any moment: rows are those of an export from nothing.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "test/support/skip.hpp"
#include "test/unit/tools/export/export_fixture.hpp"

using namespace annals;
using namespace annals::test;
using exporting::target_place;

namespace {

// Another process exports until it is killed, or there is no more; true: there was no more.
template <class Open>
bool export_until_killed(const exported_log& log, Open&& open, std::chrono::microseconds life,
                         const std::function<void()>& meanwhile = {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const auto to = open();
      log.write_all(*to, {.records = 5});
      ::_exit(0);
    } catch (const std::exception&) {
      ::_exit(1);
    }
  }
  BOOST_REQUIRE(child > 0);
  const auto end = std::chrono::steady_clock::now() + life;
  int status = 0;
  while (std::chrono::steady_clock::now() < end)
    if (::waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (meanwhile) meanwhile();
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return false;
}

struct killing {
  int kills_max;
  std::chrono::microseconds life_max;
};

template <class Open, class Read>
int kill_again_and_again(exported_log& log, const killing& how, Open&& open, Read&& read, const std::function<void()>& also = {}) {
  std::mt19937 random(42);
  int kills = 0;
  while (kills < how.kills_max) {
    const std::chrono::microseconds life(random() % how.life_max.count());
    if (!export_until_killed(log, open, life, random() % 3 == 0 ? also : std::function<void()>())) {
      ++kills;
      continue;
    }
    for (int n = 0; n < 300; ++n) log.history->step();
  }
  {
    const auto to = open();
    log.write_all(*to);
  }
  BOOST_TEST(texts_differ(log.expected(), read()) == "");
  return kills;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(export_crashes)

BOOST_AUTO_TEST_CASE(rows_in_sqlite_are_whole_after_200_kills) {
  exported_log log(11, 600);
  BOOST_TEST(kill_again_and_again(
                 log, {200, std::chrono::microseconds(40'000)}, [&] { return log.sqlite(); },
                 [&] { return sqlite_texts(log.files.at("db")); }) == 200);
}

BOOST_AUTO_TEST_CASE(rows_in_postgres_are_whole_after_kills_of_both_sides) {
  if (!server_of_tests()) return skip("no PostgreSQL server is installed");
  auto& server = *server_of_tests();
  exported_log log(12, 600);
  const auto open = [&] {
    return exporting::open_postgres(server.url(), "killed", target_place::proper, exports::current_tables(), exported_log::drop);
  };
  int restarts = 0;
  kill_again_and_again(
      log, {60, std::chrono::microseconds(400'000)}, open, [&] { return postgres_texts(server.url(), "killed"); },
      [&] {
        if (++restarts > 12) return;
        server.kill();
        server.start();
      });
  BOOST_TEST(restarts > 5);
}

BOOST_AUTO_TEST_SUITE_END()
