// X connections side by side, between two ends whose connection is lost whenever it likes.
#include <boost/test/unit_test.hpp>

#include <deque>
#include <map>
#include <random>

#include "test/unit/tools/terminal/some_bytes.hpp"
#include "tools/terminal/display_channels.hpp"

using namespace annals;
using namespace annals::terminal;
using annals::test::some_bytes;

namespace {

struct pair {
  display_channels job, user;
  std::deque<schema::sealed_message> to_job, to_user;
  bool good = true;

  static bool hear(display_channels& at, const schema::sealed_message& m) {
    const auto w = m.root<schema::Request>().getTerminal();
    return w.isDisplay() ? at.hear(w.getDisplay()) : at.taken(w.getDisplayTaken());
  }
  static void say(display_channels& from, std::deque<schema::sealed_message>& to) {
    for (auto& m : from.say()) to.push_back(std::move(m));
  }
  void step_job() {
    say(job, to_user);
    if (to_job.empty()) return;
    good = hear(job, to_job.front()) && good;
    to_job.pop_front();
  }
  void step_user() {
    say(user, to_job);
    if (to_user.empty()) return;
    good = hear(user, to_user.front()) && good;
    to_user.pop_front();
  }
  void run() {
    do {
      step_job();
      step_user();
    } while (!to_job.empty() || !to_user.empty());
  }
  void part_and_join() {
    to_job.clear();
    to_user.clear();
    good = job.again_from(user.position()) && user.again_from(job.position()) && good;
  }
};

template <class Fill>
bool takes(display_channels& at, Fill fill) {
  const schema::sealed_message m = word([&](auto w) { fill(w.initDisplay()); });
  return at.hear(m.root<schema::Request>().getTerminal().getDisplay());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(channels)

BOOST_AUTO_TEST_CASE(a_connection_is_opened_carries_bytes_both_ways_and_is_closed) {
  pair p;
  const auto id = p.job.open();
  p.job.received(id, "hello");
  p.run();
  BOOST_TEST(p.user.opened() == std::vector{id});
  BOOST_TEST(p.user.for_socket(id) == "hello");
  p.user.wrote(id, 5);
  p.user.received(id, "welcome");
  p.run();
  BOOST_TEST(p.job.for_socket(id) == "welcome");
  p.job.closed(id);
  p.run();
  BOOST_TEST(p.user.is_over(id));
  p.user.closed(id);
  p.run();
  BOOST_TEST(p.job.room(id) == 0u);
  BOOST_TEST(p.user.room(id) == 0u);
  BOOST_TEST(p.good);
}

BOOST_AUTO_TEST_CASE(a_socket_gets_what_came_before_its_connection_was_closed) {
  pair p;
  const auto id = p.job.open();
  p.job.received(id, "last words");
  p.job.closed(id);
  p.run();
  BOOST_TEST(!p.user.is_over(id));
  p.user.wrote(id, 10);
  BOOST_TEST(p.user.is_over(id));
}

BOOST_AUTO_TEST_CASE(one_that_nobody_reads_does_not_stop_the_others) {
  pair p;
  const auto slow = p.job.open(), fast = p.job.open();
  while (const auto room = p.job.room(slow)) {
    p.job.received(slow, std::string(room, 's'));
    p.run();
  }
  BOOST_TEST(p.user.for_socket(slow).size() == limits::display_window_bytes);
  BOOST_TEST(p.job.room(fast) == limits::display_piece_bytes);
  p.job.received(fast, "f");
  p.run();
  BOOST_TEST(p.user.for_socket(fast) == "f");
  p.user.wrote(slow, 1);
  p.run();
  BOOST_TEST(p.job.room(slow) == 1u);
}

BOOST_AUTO_TEST_CASE(no_more_is_kept_for_who_is_away) {
  display_channels job;
  std::vector<display_channels::channel_id> ids;
  while (job.may_open()) ids.push_back(job.open());
  BOOST_TEST(ids.size() == limits::display_connections);
  BOOST_TEST(job.room(ids[0]) == 0u);  // each of them is a word
}

BOOST_AUTO_TEST_CASE(who_breaks_the_rules_is_found) {
  using word_builder = schema::DisplayWord::Builder;
  const auto opened = [](word_builder w) {
    w.setChannel(1);
    w.setOpened();
  };
  const auto second = [](auto fill) {
    return [fill](word_builder w) {
      w.setAt(1);
      w.setChannel(1);
      fill(w);
    };
  };
  const auto after_opened = [&](auto fill) {
    display_channels user;
    return takes(user, opened) && takes(user, fill);
  };
  BOOST_TEST(after_opened(second([](word_builder w) { w.initBytes(limits::display_window_bytes); })));
  BOOST_TEST(!after_opened(second([](word_builder w) { w.initBytes(limits::display_window_bytes + 1); })));
  BOOST_TEST(!after_opened(second([](word_builder w) { w.setTaken(1); })));
  BOOST_TEST(!after_opened(second([](word_builder w) { w.setOpened(); })));
  BOOST_TEST(after_opened(opened));  // once more, over another connection
  BOOST_TEST(!after_opened([](word_builder w) { w.setAt(2); }));
  BOOST_TEST(!after_opened([](word_builder w) {
    w.setAt(1);
    w.setChannel(2);
    w.setClosed();
  }));
  display_channels user;
  BOOST_TEST(!user.taken(1));
  BOOST_TEST(!user.again_from(1));
}

// Whatever is lost on the way, the bytes of each connection arrive whole and once.
BOOST_AUTO_TEST_CASE(nothing_is_lost_and_nothing_comes_twice) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 chance(seed);
    const auto one_of = [&](unsigned n) { return chance() % n == 0; };
    pair p;
    std::map<display_channels::channel_id, std::string> sent_up, sent_down, got_up, got_down;
    const auto send = [&](display_channels& from, display_channels::channel_id id, std::string& sent) {
      const auto bytes = some_bytes(chance, std::min<std::size_t>(from.room(id), chance() % 20'000));
      if (bytes.empty()) return;
      from.received(id, bytes);
      sent += bytes;
    };
    const auto take = [&](display_channels& at, display_channels::channel_id id, std::string& got) {
      const auto bytes = std::string(at.for_socket(id).substr(0, chance() % 30'000));
      if (bytes.empty()) return;
      at.wrote(id, bytes.size());
      got += bytes;
    };
    for (int step = 0; step < 2000; ++step) {
      if (one_of(60)) p.part_and_join();
      if (one_of(30) && p.job.may_open()) sent_up[p.job.open()];
      for (const auto id : p.user.opened()) sent_down[id];
      for (auto& [id, sent] : sent_up) {
        if (one_of(4)) send(p.job, id, sent);
        if (one_of(3)) take(p.job, id, got_down[id]);
      }
      for (auto& [id, sent] : sent_down) {
        if (one_of(4)) send(p.user, id, sent);
        if (one_of(3)) take(p.user, id, got_up[id]);
      }
      if (one_of(2)) p.step_job();
      if (one_of(2)) p.step_user();
    }
    for (int i = 0; i < 200; ++i) {
      p.run();
      for (auto& [id, sent] : sent_up) take(p.job, id, got_down[id]);
      for (auto& [id, sent] : sent_up) take(p.user, id, got_up[id]);
    }
    BOOST_TEST(p.good, "seed " << seed);
    BOOST_TEST((got_up == sent_up), "seed " << seed);
    for (const auto& [id, sent] : sent_down) BOOST_TEST((got_down[id] == sent), "seed " << seed << ", connection " << id);
  }
}

BOOST_AUTO_TEST_SUITE_END()
