// The one thread of a host: what it learned of a descriptor is of no other that has its number later, and it ends when it is to.
#include "actors/mom/host/event_loop.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

using namespace annals;

namespace {

std::atomic<bool> kernel_is_full{false};

}  // namespace

// The kernel's, in place of the library's: it has a limit for all processes of a user, which a test can't reach.
extern "C" int epoll_ctl(int epoll, int what, int fd, epoll_event* e) noexcept {
  if (what == EPOLL_CTL_ADD && kernel_is_full) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int>(syscall(SYS_epoll_ctl, epoll, what, fd, e));
}

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

struct loop_fixture {
  std::vector<std::string> complaints;  // of the loop's thread, until it has stopped
  mom::event_loop loop{"loop.test", [this](const std::string& text) { complaints.push_back(text); }};

  // What its tasks use outlives it then.
  std::string complained() {
    loop.stop();
    std::string all;
    for (const auto& c : complaints) all += c + '\n';
    return all;
  }
};

BOOST_FIXTURE_TEST_SUITE(event_loops, loop_fixture)

// A shepherd that runs would be waited for as one that has ended, and nothing else be done meanwhile.
BOOST_AUTO_TEST_CASE(a_descriptor_that_takes_the_number_of_a_closed_one_is_not_ready_with_it) {
  const pipe_ends one, two, silent;
  one.write_one();
  two.write_one();
  bool silent_was_heard = false, replaced = false;  // of the loop's thread, until `over`
  std::promise<void> over, heard;
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
  loop.stop();
}

// Who ends the host would wait for ever.
BOOST_AUTO_TEST_CASE(a_stop_that_comes_while_it_hears_of_a_task_is_not_taken_for_that) {
  const pipe_ends busy;
  busy.write_one();
  std::promise<void> began;
  std::atomic<pid_t> stopper{0};
  int runs = 0;  // of the loop's thread alone
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

// What is said of the first watch would go nowhere, and be said again at once.
BOOST_AUTO_TEST_CASE(a_descriptor_that_is_watched_twice_is_complained_of_and_runs_the_later_task) {
  const pipe_ends one;
  std::promise<std::string> ran;
  loop.post([&] {
    loop.watch(one.in, [&] { ran.set_value("the first"); });
    loop.watch(one.in, [&] {
      loop.unwatch(one.in);
      ran.set_value("the second");
    });
  });
  one.write_one();
  BOOST_TEST(ran.get_future().get() == "the second");
  BOOST_TEST(complained() == "descriptor " + std::to_string(one.in) + " is watched already\n");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_watched_or_was_not_is_complained_of) {
  const pipe_ends silent;
  const int plain = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::promise<void> over;
  loop.post([&] {
    loop.watch(plain, [] {});
    loop.unwatch(silent.in);
    over.set_value();
  });
  over.get_future().get();
  BOOST_TEST(complained() == "descriptor " + std::to_string(plain) + " can't be watched: Operation not permitted\ndescriptor " +
                                 std::to_string(silent.in) + " was not watched: No such file or directory\n");
  close(plain);
}

BOOST_AUTO_TEST_CASE(what_the_kernel_has_no_room_for_is_watched_when_it_has) {
  const pipe_ends one, two;
  std::promise<void> over, heard;
  kernel_is_full = true;
  loop.post([&] {
    loop.watch(one.in, [&] {
      loop.unwatch(one.in);
      heard.set_value();
    });
    loop.watch(two.in, [] {});
    loop.unwatch(two.in);
    over.set_value();
  });
  one.write_one();
  over.get_future().get();
  kernel_is_full = false;
  heard.get_future().get();
  BOOST_TEST(complained() == "descriptor " + std::to_string(one.in) + " can't be watched: No space left on device\ndescriptor " +
                                 std::to_string(two.in) + " can't be watched: No space left on device\n");
}

BOOST_AUTO_TEST_SUITE_END()
