// What a runner begins, repeats and withdraws, with effects that are nothing but names (issue 13, point 2).
#include "actors/runtime/effect_runner.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace {

struct effect {
  std::string name;
  std::int64_t at_ns = 0, repeat_ns = 0;
  std::string detail = {};
  std::int64_t since_ns = 0;
};
std::string id_of(const effect& e) { return e.name; }

using annals::actors::begun;
using annals::actors::effect_runner;

struct fixture {
  // What happened since it was asked last.
  std::string happened() { return std::exchange(log, {}); }
  std::string reconcile(std::vector<effect> owed, std::int64_t now = 0) {
    runner.reconcile(std::move(owed), now);
    return happened();
  }

  std::string log;
  bool open = true;  // whether anything can be begun
  effect_runner<effect> runner{{
      [this](const effect& e) {
        log += (open ? "+" : "?") + e.name + e.detail + " ";
        return open ? begun::yes : begun::not_yet;
      },
      [this](const effect& e) { log += "-" + e.name + " "; },
      [](const effect& e) { return annals::actors::effect_time{e.at_ns, e.repeat_ns, e.since_ns}; },
  }};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(effect_runners, fixture)

BOOST_AUTO_TEST_CASE(what_is_owed_is_begun_once_and_in_the_order_it_is_owed) {
  BOOST_TEST(reconcile({{"b"}, {"a"}}) == "+b +a ");
  BOOST_TEST(reconcile({{"a"}, {"b"}}) == "");
  BOOST_TEST(reconcile({{"c"}, {"a"}, {"b"}}) == "+c ");
  BOOST_TEST(!runner.due_ns().has_value());
}

BOOST_AUTO_TEST_CASE(what_is_owed_no_more_is_withdrawn_before_anything_new_begins) {
  reconcile({{"a"}, {"b"}});
  BOOST_TEST(reconcile({{"c"}, {"b"}}) == "-a +c ");
  BOOST_TEST(reconcile({}) == "-c -b ");
  BOOST_TEST(runner.empty());
  BOOST_TEST(reconcile({{"a"}}) == "+a ");  // owed again: another debt
}

// "order 10" sorts before "order 2".
BOOST_AUTO_TEST_CASE(the_order_is_that_in_which_it_is_owed_and_not_that_of_the_names) {
  BOOST_TEST(reconcile({{"order 2"}, {"order 10"}, {"order 1"}}) == "+order 2 +order 10 +order 1 ");
  runner.again([](const effect&) { return true; });
  BOOST_TEST(reconcile({{"order 2"}, {"order 10"}, {"order 1"}}) == "+order 2 +order 10 +order 1 ");
  BOOST_TEST(reconcile({}) == "-order 2 -order 10 -order 1 ");
}

BOOST_AUTO_TEST_CASE(two_of_one_name_are_one) {
  open = false;
  BOOST_TEST(reconcile({{"a", 0, 0, "1"}, {"b"}, {"a", 0, 0, "2"}}) == "?a2 ?b ");
  open = true;
  BOOST_TEST(reconcile({{"a"}, {"a"}}) == "+a ");
  BOOST_TEST(reconcile({}) == "-a ");
}

BOOST_AUTO_TEST_CASE(the_same_name_is_the_same_effect_whatever_else_changed) {
  reconcile({{"a", 0, 0, "1"}});
  BOOST_TEST(reconcile({{"a", 0, 0, "2"}}) == "");
  runner.again([](const effect&) { return true; });
  BOOST_TEST(reconcile({{"a", 0, 0, "3"}}) == "+a3 ");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_begun_is_tried_each_time_and_never_withdrawn) {
  open = false;
  BOOST_TEST(reconcile({{"a"}}) == "?a ");
  BOOST_TEST(reconcile({{"a"}}) == "?a ");
  BOOST_TEST(reconcile({}) == "");
  open = true;
  BOOST_TEST(reconcile({{"a"}}) == "+a ");
  BOOST_TEST(reconcile({{"a"}}) == "");
}

BOOST_AUTO_TEST_CASE(what_is_unanswered_is_repeated_after_its_time) {
  BOOST_TEST(reconcile({{"a", 0, 5}}, 100) == "+a ");
  BOOST_TEST(runner.due_ns().value() == 105);
  BOOST_TEST(reconcile({{"a", 0, 5}}, 104) == "");
  BOOST_TEST(reconcile({{"a", 0, 5}}, 106) == "+a ");
  BOOST_TEST(runner.due_ns().value() == 111);
}

BOOST_AUTO_TEST_CASE(what_is_answered_is_neither_repeated_nor_begun_over_a_new_link) {
  reconcile({{"a", 0, 5}, {"b", 0, 5}}, 100);
  runner.answered("a");
  BOOST_TEST(reconcile({{"a", 0, 5}, {"b", 0, 5}}, 110) == "+b ");
  runner.again([](const effect&) { return true; });
  BOOST_TEST(reconcile({{"a", 0, 5}, {"b", 0, 5}}, 111) == "+b ");
  runner.again_one("a");  // somebody asks for it by name
  BOOST_TEST(reconcile({{"a", 0, 5}, {"b", 0, 5}}, 112) == "+a ");
  runner.answered("a");
  reconcile({});
  BOOST_TEST(happened() == "");
  BOOST_TEST(reconcile({{"a"}}) == "+a ");  // a new debt has no answer yet
}

BOOST_AUTO_TEST_CASE(what_a_peer_may_have_missed_is_begun_again) {
  reconcile({{"n1/a"}, {"n2/a"}});
  runner.again([](const effect& e) { return e.name.starts_with("n2/"); });
  BOOST_TEST(reconcile({{"n1/a"}, {"n2/a"}}) == "+n2/a ");
}

BOOST_AUTO_TEST_CASE(what_has_a_time_is_begun_when_it_has_come) {
  BOOST_TEST(reconcile({{"late", 300}, {"early", 200}}, 100) == "");
  BOOST_TEST(runner.due_ns().value() == 200);
  BOOST_TEST(reconcile({{"late", 300}, {"early", 200}}, 200) == "+early ");
  BOOST_TEST(runner.due_ns().value() == 300);
  BOOST_TEST(reconcile({{"late", 300}}, 250) == "-early ");
  BOOST_TEST(reconcile({{"late", 300}}, 1000) == "+late ");  // whoever asks late does not lose it
  BOOST_TEST(!runner.due_ns().has_value());
}

BOOST_AUTO_TEST_CASE(a_time_that_moves_is_kept) {
  reconcile({{"a", 200}}, 100);
  reconcile({{"a", 500}}, 150);
  BOOST_TEST(runner.due_ns().value() == 500);
  BOOST_TEST(reconcile({{"a", 500}}, 300) == "");
  BOOST_TEST(reconcile({{"a", 500}}, 500) == "+a ");
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_makes_a_time_come_twice) {
  BOOST_TEST(reconcile({{"a", 200}}, 200) == "+a ");
  BOOST_TEST(reconcile({{"a", 200}}, 150) == "");
  BOOST_TEST(runner.due_ns().value() == 200);
  BOOST_TEST(reconcile({{"a", 200}}, 200) == "+a ");
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_delays_no_repeat) {
  BOOST_TEST(reconcile({{"a", 0, 5}}, 100) == "+a ");
  BOOST_TEST(reconcile({{"a", 0, 5}}, 50) == "+a ");
  BOOST_TEST(runner.due_ns().value() == 55);
}

BOOST_AUTO_TEST_CASE(what_throws_was_not_begun) {
  bool throws = true;
  effect_runner<effect> r{{[&](const effect&) { return throws ? throw 1 : begun::yes; }}};
  BOOST_CHECK_THROW(r.reconcile({{"a"}}, 0), int);
  throws = false;
  r.reconcile({{"a"}}, 0);
  throws = true;
  BOOST_CHECK_NO_THROW(r.reconcile({{"a"}}, 0));
}

// A wait of ten seconds that began when the clock was a thousand ahead.
BOOST_AUTO_TEST_CASE(a_wait_that_began_while_the_clock_was_ahead_is_begun_anew) {
  constexpr std::int64_t s = 1'000'000'000;
  const effect waits{"a", 2010 * s, 0, "", 2000 * s};
  BOOST_TEST(reconcile({waits}, 2000 * s) == "");
  BOOST_TEST(runner.due_ns().value() == 2010 * s);
  BOOST_TEST(reconcile({waits}, 1000 * s) == "");
  BOOST_TEST(runner.due_ns().value() == 1010 * s);
  BOOST_TEST(reconcile({waits}, 1009 * s) == "");
  BOOST_TEST(runner.due_ns().value() == 1010 * s);
  BOOST_TEST(reconcile({waits}, 1010 * s) == "+a ");
}

BOOST_AUTO_TEST_CASE(a_wait_keeps_its_end_while_the_clock_is_held_and_a_moment_keeps_its_time) {
  constexpr std::int64_t s = 1'000'000'000;
  const effect waits{"a", 2010 * s, 0, "", 2000 * s}, moment{"b", 2010 * s};
  BOOST_TEST(reconcile({waits, moment}, 1999 * s) == "");
  BOOST_TEST(runner.due_ns().value() == 2010 * s);
  BOOST_TEST(reconcile({moment}, 1000 * s) == "");
  BOOST_TEST(runner.due_ns().value() == 2010 * s);
}

BOOST_AUTO_TEST_SUITE_END()
