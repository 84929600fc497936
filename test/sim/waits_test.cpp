// How long a MoM waits for others, when it dies meanwhile: a restart neither shortens nor lengthens it (issue 13, point 2).
#include <boost/test/unit_test.hpp>

#include <set>

#include "events/model/limits.hpp"
#include "test/sim/lone_mom_words.hpp"

using namespace annals;
using namespace annals::sim;

namespace {

struct death {
  std::int64_t at_s, back_after_s;
};  // at 0: it lives

// A MoM whose wait began a moment ago, with the server and a sister that it lost if it died.
struct waiting {
  explicit waiting(options o, const std::vector<std::string>& hosts) : n1("n1", o), server(n1.server_connects()) {
    server->say(order(hosts, n1.around.clock.now));
    begins();
    n1.pass(2);  // it has begun to look for its sister
  }
  void begins() { began = n1.around.clock.now; }
  std::int64_t since_s() const { return (n1.around.clock.now - began) / 1'000'000'000; }
  void until(std::int64_t seconds) {
    if (since_s() < seconds) n1.pass(seconds - since_s());
  }
  void dies(const death& d, bool n2_is_there = true) {
    if (d.at_s == 0) return;
    until(d.at_s);
    n1.restart(d.back_after_s);
    server = n1.server_connects();
    if (n2_is_there) n2 = n1.sister_answers("n2");
  }
  // What it has told the server, whatever else.
  bool told(schema::RunEvent::Which step) {
    for (const auto& m : server->heard<schema::FromMom>()) {
      if (!m.get().isRunSteps()) continue;
      for (auto s : m.get().getRunSteps().getSteps()) steps.insert(s.getStep().which());
    }
    return steps.contains(step);
  }

  lone_mom n1;
  std::shared_ptr<played> server, n2;
  std::set<schema::RunEvent::Which> steps;
  std::int64_t began = 0;
};

using step = schema::RunEvent::Which;

}  // namespace

BOOST_AUTO_TEST_SUITE(waits)

BOOST_AUTO_TEST_CASE(sisters_may_take_as_long_to_join_as_if_the_primary_had_not_died) {  // RS-45, RS-47: without hooks
  for (const auto& d : {death{0, 0}, death{4, 0}, death{20, 0}, death{6, 12}}) {
    waiting w({}, {"n1", "n2"});
    w.n2 = w.n1.sister_answers("n2");  // and says nothing
    BOOST_TEST(only(w.n2->heard<schema::ToSister>(), schema::ToSister::JOIN).size() == 1u);
    w.dies(d);
    w.until(29);
    BOOST_TEST(!w.told(step::JOIN_WAIT_ENDED), "died at " << d.at_s);
    w.until(32);
    BOOST_TEST(w.told(step::JOIN_WAIT_ENDED), "died at " << d.at_s);
  }
}

// A MoM that stands still: nothing of it ever comes. The job may do without it when the alarm rings, or is queued again.
BOOST_AUTO_TEST_CASE(the_alarm_decides_on_a_host_that_says_nothing_if_the_job_bears_failures) {  // RS-45, RS-47, RS-51
  for (const std::string tolerates : {"all", "job_start", "none"}) {
    lone_mom n1("n1");
    const auto server = n1.server_connects();
    server->say(order({"n1", "n2"}, n1.around.clock.now, false, 1, tolerates));
    std::set<schema::RunEvent::Which> told;
    const auto after = [&](std::int64_t seconds) {
      n1.pass(seconds);
      for (const auto& m : server->heard<schema::FromMom>())
        if (m.get().isRunSteps())
          for (auto s : m.get().getRunSteps().getSteps()) told.insert(s.getStep().which());
      return told;
    };
    BOOST_TEST(after(limits::sister_silence_s + 2).contains(step::SISTER_FAILED) == (tolerates == "none"), tolerates);
    BOOST_TEST(!after(16).contains(step::JOIN_WAIT_ENDED), tolerates);
    BOOST_TEST(after(4).contains(step::JOIN_WAIT_ENDED) == (tolerates != "none"), tolerates);
    BOOST_TEST(told.contains(step::SISTER_FAILED), tolerates);
  }
}

BOOST_AUTO_TEST_CASE(a_wait_that_was_over_while_the_primary_was_dead_is_over_when_sisters_had_time_to_answer) {
  waiting w({}, {"n1", "n2"});
  w.n2 = w.n1.sister_answers("n2");
  w.dies({10, 100});
  BOOST_TEST(!w.told(step::JOIN_WAIT_ENDED));
  w.n1.pass(limits::sister_silence_s + 2);
  BOOST_TEST(w.told(step::JOIN_WAIT_ENDED));
}

BOOST_AUTO_TEST_CASE(a_sister_that_joins_after_a_restart_is_in_time) {
  waiting w({.program_s = 1000}, {"n1", "n2"});
  w.n2 = w.n1.sister_answers("n2");
  w.dies({20, 0});
  w.n2->say(from_sister([](auto m) { name(m.initJoined()); }));
  w.until(60);
  BOOST_TEST(!w.told(step::JOIN_WAIT_ENDED));
  BOOST_TEST(w.told(step::SISTER_JOINED));
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_fresh_ticket_goes_on_waiting_after_a_restart) {
  lone_mom n1("n1", {.staging_s = limits::ticket_life_s + 100});
  auto server = n1.server_connects();
  server->say(order({"n1", "n2"}, n1.around.clock.now, true));
  n1.pass(limits::ticket_life_s + 104);
  auto n2 = n1.sister_answers("n2");
  n1.pass(20);
  n1.restart(60);  // longer than sisters may take to join
  server = n1.server_connects();
  n1.pass(40);
  const auto asked = server->heard<schema::FromMom>();
  BOOST_TEST(only(asked, schema::FromMom::WANT_TICKET).size() > 1u);
  BOOST_TEST(only(asked, schema::FromMom::RUN_REFUSED).empty());
  server->say(order({"n1", "n2"}, n1.around.clock.now, true));
  n1.pass(3);
  n2 = n1.sister_answers("n2");
  BOOST_TEST(only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN).size() == 1u);
  n1.restart();
  n2 = n1.sister_answers("n2");  // asked again, with the fresh one
  const auto joins = only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN);
  BOOST_TEST_REQUIRE(joins.size() == 1u);
  BOOST_TEST(model::ticket_good_until_ns(joins[0].get().getJoin().getTicket()) > n1.around.clock.now);
}

BOOST_AUTO_TEST_CASE(a_silent_sister_is_given_up_when_it_would_have_been_and_not_before_it_was_looked_for) {
  for (const auto& d : {death{0, 0}, death{5, 0}, death{60, 0}, death{60, 30}}) {
    waiting w({.program_s = 10'000}, {"n1", "n2"});
    w.n1.pass(3);
    w.n2 = joined_sister(w.n1);
    w.n2->hang_up();
    w.begins();
    w.dies(d, false);
    w.until(119);
    BOOST_TEST(!w.told(step::SISTER_FAILED), "died at " << d.at_s);
    w.until(123);
    BOOST_TEST(w.told(step::SISTER_FAILED), "died at " << d.at_s);
  }
  waiting w({.program_s = 10'000}, {"n1", "n2"});
  w.n1.pass(3);
  w.n2 = joined_sister(w.n1);
  w.n2->hang_up();
  w.begins();
  w.dies({10, 500});  // and both are back: nobody had the time to look
  w.n1.pass(30);
  BOOST_TEST(!w.told(step::SISTER_FAILED));
}

BOOST_AUTO_TEST_CASE(a_sister_may_take_as_long_to_leave_as_if_the_primary_had_not_died) {
  for (const auto& d : {death{0, 0}, death{300, 0}, death{300, 100}}) {
    waiting w({.program_s = 10}, {"n1", "n2"});
    w.n1.pass(3);
    w.n2 = joined_sister(w.n1);  // the program runs now, and ends 10 s after it began
    w.n1.pass(10);
    w.begins();
    w.dies(d);
    w.until(limits::leave_wait_s - 15);
    BOOST_TEST(!w.told(step::SISTER_LEFT), "died at " << d.at_s);
    w.until(limits::leave_wait_s + 5);
    BOOST_TEST(w.told(step::SISTER_LEFT), "died at " << d.at_s);
  }
}

BOOST_AUTO_TEST_CASE(a_program_that_catches_sigterm_is_killed_when_its_delay_is_over) {
  for (const auto& d : {death{0, 0}, death{2, 0}, death{9, 0}, death{3, 9}}) {
    waiting w({.program_s = 1000, .stubborn = true}, {"n1"});
    w.n1.pass(3);
    w.server->say(kill_order(15));
    w.begins();
    w.dies(d, false);
    const auto over = [&] { return !only(w.server->heard<schema::FromMom>(), schema::FromMom::RUN_EXITED).empty(); };
    w.until(14);
    BOOST_TEST(!over(), "died at " << d.at_s);
    w.until(17);
    BOOST_TEST(over(), "died at " << d.at_s);
  }
}

BOOST_AUTO_TEST_SUITE_END()
