// The times a run counts: since when, how long, and that a restart of its MoM changes nothing of it (issue 13, point 2).
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"
#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

using timer = model::run_timer;

constexpr std::int64_t second_ns = 1'000'000'000;

// How long after the story began the timer fires; -1: it does not run.
std::int64_t fires_after_s(const run_story& s, timer what, const std::string& host = {}) {
  const auto w = s.timer(what, host);
  return w ? (w->at_ns - story_start_ns) / second_ns : -1;
}

model::hooks_done hooks_of(const char* event) {
  return {{schema::make<schema::HookRun>([&](auto h) { h.setEvent(event); })}, std::nullopt};
}

to_mom order_with_ticket(std::int64_t now_ns) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    o.getRef().setRun(1);
    o.initSisters(1)[0].setHost("n2");
    const auto ticket = model::make_ticket(o.asReader(), {"n1", "n2"}, now_ns);
    o.initTicket().setTicket({reinterpret_cast<const kj::byte*>(ticket.bytes().data()), ticket.bytes().size()});
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_timers)

BOOST_AUTO_TEST_CASE(sisters_are_waited_for_since_they_could_be_asked) {  // RS-45
  auto s = given_asked();
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == 30);
  s.pass(7);
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == 30);  // whoever looks, and whenever
  s.when(hooks_of("execjob_begin"));
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == 37);
  s.when(model::sister_joined{"n2"});
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == 37);
  s.when(model::sister_joined{"n3"});
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == -1);
  BOOST_TEST(fires_after_s(given_run(run_phase::starting), timer::join_alarm) == -1);
}

BOOST_AUTO_TEST_CASE(a_timer_that_was_stopped_began_anew_or_is_early_changes_nothing) {
  auto s = given_asked();
  const auto first = *s.timer(timer::join_alarm);
  BOOST_TEST(s.when(model::timer_fired{first, {}}) == "");
  s.pass(20);
  s.when(hooks_of("execjob_begin"));
  s.pass(15);
  BOOST_TEST(s.when(model::timer_fired{first, {}}) == "");
  BOOST_TEST(s.rings(timer::join_alarm) == "joinWaitEnded sisterFailed sisterFailed refused");
  BOOST_TEST(s.when(model::timer_fired{first, {}}) == "");
}

BOOST_AUTO_TEST_CASE(a_ticket_that_lapsed_stops_the_wait_until_a_fresh_one_comes) {
  run_story s;
  s.when(model::take_order{order_with_ticket(s.now_ns)});
  BOOST_TEST(s.when(model::ticket_lapsed{}) == "");  // it has not
  BOOST_TEST(owed(s.run) == "say-steps, ask n2");
  s.pass(limits::ticket_life_s - limits::ticket_rest_s);
  BOOST_TEST(s.when(model::ticket_lapsed{}) == "ticketLapsed");
  BOOST_TEST(s.when(model::ticket_lapsed{}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, want-ticket");
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == -1);
  BOOST_TEST(s.when(model::take_order{order_with_ticket(story_start_ns)}) == "");  // the old one once more
  s.pass(100);
  BOOST_TEST(s.when(model::take_order{order_with_ticket(s.now_ns)}) == "ticketRenewed");
  BOOST_TEST(model::ticket_good_until_ns(s.run.ticket()) > s.now_ns);
  BOOST_TEST(owed(s.run) == "say-steps, ask n2");
  BOOST_TEST(fires_after_s(s, timer::join_alarm) == limits::ticket_life_s - limits::ticket_rest_s + 100 + 30);
}

BOOST_AUTO_TEST_CASE(a_sister_out_of_reach_is_waited_for_as_long_as_the_phase_allows) {
  auto s = given_asked();
  BOOST_TEST(fires_after_s(s, timer::sister_silence, "n2") == -1);
  s.pass(5);
  BOOST_TEST(s.when(model::sister_away{"n2", story_start_ns + 2 * second_ns}) == "sisterAway");
  BOOST_TEST(s.when(model::sister_away{"n2", s.now_ns}) == "");
  BOOST_TEST(fires_after_s(s, timer::sister_silence, "n2") == 2 + limits::sister_silence_s);
  BOOST_TEST(s.when(model::sister_back{"n2", s.now_ns}) == "sisterBack");
  BOOST_TEST(s.when(model::sister_back{"n2", s.now_ns}) == "");
  BOOST_TEST(fires_after_s(s, timer::sister_silence, "n2") == -1);

  auto started = given_all_started();
  started.when(model::sister_away{"n2", story_start_ns});
  BOOST_TEST(fires_after_s(started, timer::sister_silence, "n2") == 120);
  const auto steps = started.run.steps.size();
  started.when(model::sister_back{"n2", started.now_ns});
  BOOST_TEST(started.run.steps.size() == steps);  // no news for the server
}

// RS-45: the alarm counts for one that can't be reached as for one that is slow.
BOOST_AUTO_TEST_CASE(the_alarm_says_how_long_a_silent_host_may_take_to_join_a_job_that_bears_failures) {
  for (const char* value : {"all", "job_start", "none"}) {
    run_story s;
    s.when(model::take_order{order({{"tolerate_node_failures", "", value}}, {"n2", "n3"})});
    s.when(model::sister_joined{"n3"});
    for (const char* host : {"n2", "n3"}) s.when(model::sister_away{host, story_start_ns});
    const bool bears = s.run.bears_failures();
    BOOST_TEST(fires_after_s(s, timer::sister_silence, "n2") == (bears ? -1 : limits::sister_silence_s), value);
    BOOST_TEST(fires_after_s(s, timer::sister_silence, "n3") == limits::sister_silence_s, value);  // it has joined
    BOOST_TEST(fires_after_s(s, timer::join_alarm) == 30, value);
    if (bears) BOOST_TEST(s.rings(timer::join_alarm) == "joinWaitEnded sisterFailed", value);
  }
}

BOOST_AUTO_TEST_CASE(a_sister_that_is_there_may_take_its_time_to_leave) {
  auto s = given_all_ended();
  BOOST_TEST(fires_after_s(s, timer::leave_wait, "n2") == limits::leave_wait_s);
  s.when(model::sister_away{"n2", s.now_ns});
  BOOST_TEST(fires_after_s(s, timer::leave_wait, "n2") == -1);
  s.pass(9);
  s.when(model::sister_back{"n2", s.now_ns});
  BOOST_TEST(fires_after_s(s, timer::leave_wait, "n2") == limits::leave_wait_s);
  BOOST_TEST(fires_after_s(s, timer::leave_wait, "n3") == limits::leave_wait_s);
  BOOST_TEST(s.rings(timer::leave_wait, {"n3", {}, 0}) == "sisterLeft");
  BOOST_TEST(s.run.abandoned_hosts() == std::vector<std::string>{"n3"}, boost::test_tools::per_element());
  BOOST_TEST(fires_after_s(s, timer::leave_wait, "n3") == -1);
}

BOOST_AUTO_TEST_CASE(the_kill_delay_begins_when_the_signal_was_sent) {
  auto s = given_all_started();
  s.when(kill(1));
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3, kill SIGTERM");
  s.pass(5);  // hooks are asked; those that refuse it keep it so
  BOOST_TEST(fires_after_s(s, timer::kill_delay) == -1);
  BOOST_TEST(s.when(model::kill_sent{2, "SIGTERM"}) == "");
  BOOST_TEST(s.when(model::kill_sent{1, "SIGTERM"}) == "killSent");
  BOOST_TEST(s.when(model::kill_sent{1, "SIGTERM"}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3, kill-on n2 SIGTERM, kill-on n3 SIGTERM");
  BOOST_TEST(fires_after_s(s, timer::kill_delay) == 15);
  BOOST_TEST(s.rings(timer::kill_delay) == "killDelayEnded");
  BOOST_TEST(fires_after_s(s, timer::kill_delay) == -1);
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3, kill-harder, kill-on n2 SIGTERM, kill-on n3 SIGTERM");
}

// pbs guide: resend_term_delay.
BOOST_AUTO_TEST_CASE(what_is_still_there_after_the_term_delay_gets_sigterm_again) {
  auto s = given_all_started();
  s.when(kill(1, "SIGTERM", 271, 4));
  s.pass(5);
  BOOST_TEST(fires_after_s(s, timer::term_delay) == -1);  // from when it was sent
  s.when(model::kill_sent{1, "SIGTERM"});
  BOOST_TEST(fires_after_s(s, timer::term_delay) == 9);
  BOOST_TEST(fires_after_s(s, timer::kill_delay) == 15);
  BOOST_TEST(s.rings(timer::term_delay) == "termDelayEnded");
  BOOST_TEST(fires_after_s(s, timer::term_delay) == -1);
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3, term-again, kill-on n2 SIGTERM, kill-on n3 SIGTERM");
  s.rings(timer::kill_delay);
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3, kill-harder, kill-on n2 SIGTERM, kill-on n3 SIGTERM");
}

BOOST_AUTO_TEST_CASE(sigterm_comes_once_where_that_was_not_asked_for_or_something_stronger_was) {
  auto once = given_run(run_phase::started);
  once.when(kill(1));
  once.when(model::kill_sent{1, "SIGTERM"});
  BOOST_TEST(fires_after_s(once, timer::term_delay) == -1);
  auto forced = given_run(run_phase::started);
  forced.when(kill(1, "SIGTERM", 271, 4));
  forced.when(model::kill_sent{1, "SIGTERM"});
  const auto first = *forced.timer(timer::term_delay);
  forced.when(kill(2, "SIGKILL", 265));
  forced.pass(20);
  BOOST_TEST(forced.when(model::timer_fired{first, {}}) == "");
  forced.when(model::kill_sent{2, "SIGKILL"});
  BOOST_TEST(fires_after_s(forced, timer::term_delay) == -1);
}

BOOST_AUTO_TEST_CASE(a_stronger_request_to_kill_counts_from_its_own_signal) {
  auto s = given_run(run_phase::started);
  s.when(kill(1));
  s.when(model::kill_sent{1, "SIGTERM"});
  const auto first = *s.timer(timer::kill_delay);
  s.when(kill(2, "SIGKILL", 265));
  BOOST_TEST(owed(s.run) == "watch, say-started, kill SIGKILL");
  s.pass(20);
  BOOST_TEST(s.when(model::timer_fired{first, {}}) == "");
  BOOST_TEST(s.when(model::kill_sent{1, "SIGTERM"}) == "");  // hooks of the first were slow
  BOOST_TEST(s.when(model::kill_sent{2, "SIGKILL"}) == "killSent");
}

BOOST_AUTO_TEST_CASE(whoever_started_a_program_watches_it_and_every_other_effect_has_a_name_of_its_own) {
  BOOST_TEST((id_of(model::run_effect(model::start_program{})) == id_of(model::run_effect(model::watch_program{}))));
  for (const auto& s : {given_asked(), given_all_started(), given_all_ended(), given_all_placed()}) {
    std::set<model::effect_id> names;
    const auto all = model::pending_effects(s.run, {});
    for (const auto& e : all) names.insert(id_of(e));
    BOOST_TEST(names.size() == all.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
