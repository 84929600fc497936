// Output of several runs is brought by one process, and what befalls one of them is no matter of the others.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;

namespace {

// No process that acts as the user begins before go().
struct shared_delivery_fixture : host_fixture {
  shared_delivery_fixture() {
    const std::string program = work() + "/pbs_shepherd";
    test::write_whole(program,
                      "#!/bin/sh\necho >> " + started() + "\nwhile [ ! -e " + work() + "/go ]; do sleep 0.01; done\nexec " +
                          options.shepherd + " \"$@\"\n",
                      0755);
    options.shepherd = program;
    restart_mom();
  }
  // What was asked of the host before has been begun by then.
  void go() {
    host->confirm(test::run_of("0.b.1"));
    wait("0.b.1", [](const test::told& t) { return t.acted > 0; });
    test::write_whole(work() + "/go", "");
  }
  std::string started() const { return work() + "/started"; }
  long processes() const { return std::ranges::count(test::read_whole(started()), '\n'); }

  static values::run_key key(int n) { return {std::to_string(n) + ".b", 1}; }
  std::string target(int n) const { return work() + "/x." + std::to_string(n); }
  void deliver(int n, const std::string& to) {
    const std::string from = home() + "/spool/" + std::to_string(n) + ".b.OU";
    test::write_whole(from, "of " + std::to_string(n));
    host->deliver(key(n), {test::own_user(), {{from, "here", to, true}}});
  }
  ports::delivery_result delivered(int n) {
    return wait(key(n), [](const test::told& t) { return !t.delivered.empty(); }).delivered.back();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_deliveries, shared_delivery_fixture)

BOOST_AUTO_TEST_CASE(what_comes_while_a_process_works_shares_the_next_one) {
  constexpr int runs = 20;
  const auto begun = std::chrono::steady_clock::now();
  for (int n = 1; n <= runs; ++n) deliver(n, target(n));
  go();
  for (int n = 1; n <= runs; ++n) {
    BOOST_TEST(delivered(n).ok);
    BOOST_TEST(test::read_whole(target(n)) == "of " + std::to_string(n));
  }
  // Who waits longer than a tenth of a second gets a process: no slow machine has more of them than its slowness explains.
  const auto tenths = (std::chrono::steady_clock::now() - begun) / std::chrono::milliseconds(100);
  BOOST_TEST(processes() < std::max<long>(runs / 2, tenths + 3));
}

BOOST_AUTO_TEST_CASE(a_process_that_takes_long_is_not_waited_for) {
  deliver(1, target(1));
  deliver(2, target(2));
  test::wait_until([&] { return processes() == 2; }, "a second process");
  go();
  BOOST_TEST(delivered(1).ok);
  BOOST_TEST(delivered(2).ok);
}

BOOST_AUTO_TEST_CASE(output_that_finds_no_place_is_tried_again_alone) {
  for (int n = 1; n <= 4; ++n) deliver(n, n == 3 ? work() + "/nodir/x" : target(n));
  go();
  for (const int n : {1, 2, 4}) BOOST_TEST(delivered(n).ok);
  const auto result = delivered(3);
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.delivered == 0u);
  BOOST_TEST(result.tries.size() == options.delivery_pauses_s.size());
  BOOST_TEST(result.text.find("Output retained on that host in: " + home() + "/undelivered/3.b.OU") != std::string::npos);
  BOOST_TEST(test::read_whole(home() + "/undelivered/3.b.OU") == "of 3");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_forgotten_takes_no_output_of_others_with_it) {
  for (int n = 1; n <= 4; ++n) deliver(n, target(n));
  test::wait_until([&] { return processes() >= 2; }, "a process of 2, 3 and 4");
  host->forget(key(3));
  go();
  for (const int n : {1, 2, 4}) {
    BOOST_TEST(delivered(n).ok);
    BOOST_TEST(test::read_whole(target(n)) == "of " + std::to_string(n));
  }
  BOOST_TEST(so_far(key(3)).delivered.empty());
  BOOST_TEST(access(target(3).c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_forgotten_while_it_waits_is_not_delivered) {
  deliver(1, target(1));
  deliver(2, target(2));
  host->forget(key(2));
  deliver(3, target(3));
  go();
  for (const int n : {1, 3}) BOOST_TEST(delivered(n).ok);
  BOOST_TEST(so_far(key(2)).delivered.empty());
  BOOST_TEST(access(target(2).c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_SUITE_END()
