// The one thread of a host: what it learned of a descriptor is of no other that has its number later, and it ends when it is to.
#include "actors/mom/host/event_loop.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <future>
#include <string>
#include <thread>

using namespace annals;

namespace {

struct pipe_ends {
  int in = -1, out = -1;
  pipe_ends() {
    int ends[2];
    BOOST_REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    in = ends[0];
    out = ends[1];
  }
  ~pipe_ends() {
    close(in);
    close(out);
  }
  void write_one() const { BOOST_REQUIRE(write(out, "x", 1) == 1); }
};

// Whether a thread of this process waits in a call.
bool sleeps(pid_t thread) {
  std::string line;
  std::getline(std::ifstream("/proc/self/task/" + std::to_string(thread) + "/stat"), line);
  return line.find(") S ") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(event_loops)

// A shepherd that runs would be waited for as one that has ended, and nothing else be done meanwhile.
BOOST_AUTO_TEST_CASE(a_descriptor_that_takes_the_number_of_a_closed_one_is_not_ready_with_it) {
  const pipe_ends one, two, silent;
  one.write_one();
  two.write_one();
  bool silent_was_heard = false, replaced = false;  // of the loop's thread, until `over`
  std::promise<void> over, heard;
  mom::event_loop loop;
  // The loop hears of both at once. The first that runs puts the silent one in the place of the other.
  const auto replace = [&](int own, int other) {
    loop.unwatch(own);
    loop.unwatch(other);
    replaced = dup2(silent.in, other) == other;
    loop.watch(other, [&, other] {
      silent_was_heard = true;
      loop.unwatch(other);
      heard.set_value();
    });
    loop.post([&] { over.set_value(); });
  };
  loop.post([&] {
    loop.watch(one.in, [&] { replace(one.in, two.in); });
    loop.watch(two.in, [&] { replace(two.in, one.in); });
  });
  over.get_future().get();
  BOOST_TEST(replaced);
  BOOST_TEST(!silent_was_heard);
  silent.write_one();
  heard.get_future().get();
}

// Who ends the host would wait for ever.
BOOST_AUTO_TEST_CASE(a_stop_that_comes_while_it_hears_of_a_task_is_not_taken_for_that) {
  const pipe_ends busy;
  busy.write_one();
  std::promise<void> began;
  std::atomic<pid_t> stopper{0};
  int runs = 0;  // of the loop's thread alone
  mom::event_loop loop;
  loop.post([&] {
    loop.watch(busy.in, [&] {
      if (++runs == 1) return loop.post([] {});  // heard of together with the next run of this one, and after it
      began.set_value();
      while (stopper == 0 || !sleeps(stopper)) std::this_thread::yield();
      loop.unwatch(busy.in);
    });
  });
  began.get_future().get();
  std::thread stops([&] {
    stopper = gettid();
    loop.stop();
  });
  stops.join();
  BOOST_TEST(runs == 2);
}

BOOST_AUTO_TEST_SUITE_END()
