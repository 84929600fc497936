// Both ends of an interactive job's terminal, with a server between them that loses connections whenever it likes.
#include <boost/test/unit_test.hpp>

#include <deque>
#include <random>

#include "test/unit/tools/terminal/some_bytes.hpp"
#include "tools/terminal/job_end.hpp"
#include "tools/terminal/user_end.hpp"

using namespace annals;
using namespace annals::terminal;
using annals::test::some_bytes;

namespace {

const moment start{};
const user_terminal xterm{"xterm", "\x03\x1c\x7f\x15\x04\x1a", {}, 30, 100};

struct talk {
  job_end job{start};
  user_end user;
  user_terminal terminal = xterm;
  moment now = start;
  std::deque<schema::sealed_message> to_job, to_user;
  std::vector<job_end::orders> done;
  std::string screen;
  bool good = true;

  template <class Fill>
  static schema::sealed_message say(Fill fill) { return word(fill); }
  static schema::TerminalWord::Reader read(const schema::sealed_message& m) { return m.root<schema::Request>().getTerminal(); }

  void join() {
    to_job.clear();
    to_user.clear();
    to_job.push_back(say([](auto w) { w.setJoined(); }));
    to_user.push_back(say([](auto w) { w.setJoined(); }));
  }
  void part() {
    to_job.clear();
    to_user.clear();
    job.lost(now);
    user.lost();
  }
  // False: nothing was said, and nothing heard.
  bool step_job() {
    auto words = job.say();
    for (auto& w : words) to_user.push_back(std::move(w));
    if (to_job.empty()) return !words.empty();
    done.push_back(job.hear(read(to_job.front()), now));
    to_job.pop_front();
    return true;
  }
  bool step_user() {
    screen += user.printed();
    auto words = user.say(terminal);
    for (auto& w : words) to_job.push_back(std::move(w));
    if (to_user.empty()) return !words.empty();
    good = user.hear(read(to_user.front())) && good;
    to_user.pop_front();
    return true;
  }
  void run() {
    while (step_job() | step_user()) {}
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(ends)

BOOST_AUTO_TEST_CASE(the_job_begins_with_what_the_users_terminal_is) {
  talk t;
  t.join();
  t.run();
  BOOST_TEST((t.user.now() == user_end::state::ready));
  BOOST_REQUIRE(t.done.size() == 2u);
  BOOST_REQUIRE(t.done[1].begin);
  BOOST_TEST(t.done[1].begin->term == "xterm");
  BOOST_TEST(t.done[1].begin->keys == xterm.keys);
  BOOST_TEST(t.done[1].size->rows == 30);
  BOOST_TEST(t.done[1].size->columns == 100);
  t.part();
  t.join();
  t.run();
  BOOST_TEST((t.user.now() == user_end::state::ready));
  BOOST_TEST(!t.done.back().begin);  // it has begun
  BOOST_TEST(t.done.back().size.has_value());
}

BOOST_AUTO_TEST_CASE(what_is_typed_reaches_the_job_and_what_it_prints_the_user) {
  talk t;
  t.join();
  t.run();
  t.user.typed("ls\r");
  t.job.printed("prompt$ ");
  t.run();
  BOOST_TEST(t.job.typed() == "ls\r");
  BOOST_TEST(t.screen == "prompt$ ");
  t.job.gave(3);
  t.run();
  BOOST_TEST(t.user.room() == limits::terminal_input_bytes);
  BOOST_TEST(t.job.room() == limits::terminal_output_bytes);
}

BOOST_AUTO_TEST_CASE(x_connections_reach_the_user_who_forwards_x) {
  talk t;
  t.terminal.cookie = "made";
  t.join();
  t.run();
  BOOST_REQUIRE(t.done[1].begin);
  BOOST_TEST(t.done[1].begin->cookie == "made");
  const auto id = t.job.display().open();
  t.job.display().received(id, "hello");
  t.run();
  t.part();
  t.job.display().received(id, " again");
  t.join();
  t.run();
  BOOST_TEST(t.user.display().for_socket(id) == "hello again");
  BOOST_TEST(t.good);
}

BOOST_AUTO_TEST_CASE(a_user_who_does_not_forward_x_hears_of_none) {
  talk t;
  t.join();
  t.run();
  (void)t.job.display().open();
  t.run();
  BOOST_TEST(!t.good);
}

BOOST_AUTO_TEST_CASE(the_session_is_over_when_the_user_has_all_that_was_printed) {
  talk t;
  t.join();
  t.run();
  t.job.printed("logout");
  t.job.all_printed();
  BOOST_TEST(!t.job.over(t.now));
  t.run();
  BOOST_TEST((t.user.now() == user_end::state::ended));
  BOOST_TEST(t.screen == "logout");
  BOOST_TEST(t.job.over(t.now));
}

BOOST_AUTO_TEST_CASE(a_job_waits_only_so_long_for_its_user) {
  talk t;
  BOOST_TEST(!t.job.over(start + std::chrono::seconds(limits::terminal_join_s - 1)));
  BOOST_TEST(t.job.over(start + std::chrono::seconds(limits::terminal_join_s)));
  t.join();
  t.run();
  t.now += std::chrono::hours(5);
  BOOST_TEST(!t.job.over(t.now));
  t.part();
  BOOST_TEST(!t.job.over(t.now + std::chrono::seconds(limits::terminal_grace_s - 1)));
  BOOST_TEST(t.job.over(t.now + std::chrono::seconds(limits::terminal_grace_s)));
  t.now += std::chrono::seconds(5);
  t.part();  // seen once more
  BOOST_TEST(t.job.over(t.now + std::chrono::seconds(limits::terminal_grace_s - 5)));
}

BOOST_AUTO_TEST_CASE(who_is_gone_for_good_is_not_waited_for) {
  talk t;
  t.join();
  t.run();
  (void)t.job.hear(talk::read(talk::say([](auto w) { w.initLeft(); })), t.now);
  BOOST_TEST(!t.job.over(t.now));
  (void)t.job.hear(talk::read(talk::say([](auto w) { w.initLeft().setForGood(true); })), t.now);
  BOOST_TEST(t.job.over(t.now));
}

BOOST_AUTO_TEST_CASE(a_job_that_has_ended_and_is_known_to_nobody_has_nobody_to_wait_for) {
  talk t;
  t.join();
  t.run();
  t.part();
  t.job.lost(t.now, true);
  BOOST_TEST(!t.job.over(t.now));
  t.job.all_printed();
  BOOST_TEST(t.job.over(t.now));
}

BOOST_AUTO_TEST_CASE(a_job_that_ended_before_its_user_came_has_nothing_to_tell_him) {
  talk t;
  t.job.printed("Could not run prolog");
  BOOST_TEST(!t.job.over(start));
  t.job.all_printed();
  BOOST_TEST(t.job.over(start));
}

BOOST_AUTO_TEST_CASE(a_jobs_end_that_is_there_may_take_its_time_with_the_last_words) {
  const auto ended = start + std::chrono::minutes(1);
  BOOST_TEST((last_words_by(ended, std::nullopt) >= ended + std::chrono::seconds(30)));
  const auto soon = std::chrono::milliseconds(limits::terminal_last_words_ms);
  BOOST_TEST((last_words_by(ended, start) == ended + soon));
  // It was there when the job ended, and has not said that this was all.
  BOOST_TEST((last_words_by(ended, ended + std::chrono::seconds(5)) == ended + std::chrono::seconds(5) + soon));
}

BOOST_AUTO_TEST_CASE(who_breaks_the_rules_ends_the_session) {
  const auto breaks = [](auto fill) {
    talk t;
    t.join();
    t.run();
    (void)t.job.hear(talk::read(word(fill)), t.now);
    return t.job.over(t.now);
  };
  BOOST_TEST(breaks([](auto w) { w.setTaken(1); }));
  BOOST_TEST(breaks([](auto w) { w.initInput().setAt(1); }));
  BOOST_TEST(breaks([](auto w) { w.setEnded(); }));
  BOOST_TEST(breaks([](auto w) { w.setHangUp(); }));
  BOOST_TEST(breaks([](auto w) { w.initBegin().setTerm("x term"); }));
  BOOST_TEST(breaks([](auto w) { w.initBegin().setTaken(1); }));
  BOOST_TEST(breaks([](auto w) { w.initBegin().setDisplayTaken(1); }));
  BOOST_TEST(breaks([](auto w) { w.initBegin().initCookie(limits::display_cookie_bytes + 1); }));
  BOOST_TEST(breaks([](auto w) { w.initDisplay().setOpened(); }));  // X is not forwarded
  BOOST_TEST(!breaks([](auto w) { w.initResize().setRows(3); }));
  BOOST_TEST(!breaks([](auto w) { w.setTaken(0); }));
}

// Whatever is lost on the way, both streams arrive whole and once.
BOOST_AUTO_TEST_CASE(nothing_is_lost_and_nothing_comes_twice) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 chance(seed);
    const auto one_of = [&](unsigned n) { return chance() % n == 0; };
    talk t;
    std::string printed, typed, got;
    const auto more = [&](std::size_t room) { return some_bytes(chance, std::min<std::size_t>(room, chance() % 50'000)); };
    for (int step = 0; step < 400; ++step) {
      if (one_of(40)) t.part();
      if (one_of(20)) t.join();
      if (one_of(8) && printed.size() < 1'000'000) {
        const auto bytes = more(t.job.room());
        t.job.printed(bytes);
        printed += bytes;
      }
      if (one_of(8)) {
        const auto bytes = more(t.user.room());
        t.user.typed(bytes);
        typed += bytes;
      }
      if (one_of(4)) {
        const auto size = t.job.typed().size() / 2;
        got += t.job.typed().substr(0, size);
        t.job.gave(size);
      }
      if (one_of(2)) t.step_job();
      if (one_of(2)) t.step_user();
    }
    t.join();
    for (int i = 0; i < 3; ++i) {
      t.run();
      got += t.job.typed();
      t.job.gave(t.job.typed().size());
    }
    t.run();
    BOOST_TEST(t.good);
    BOOST_TEST((t.screen == printed), "seed " << seed << ": " << t.screen.size() << " of " << printed.size());
    BOOST_TEST((got == typed), "seed " << seed << ": " << got.size() << " of " << typed.size());
    BOOST_TEST(!t.job.over(t.now));
  }
}

BOOST_AUTO_TEST_SUITE_END()
