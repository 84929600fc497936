// A run whose host is to checkpoint it and to end it.
#include <boost/test/unit_test.hpp>

#include "run_story.hpp"

using namespace annals;
using namespace annals::test;
using model::run_phase;

namespace {

model::tell_order tell_to_checkpoint() {
  return {schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    t.initRef().setJob("12.borg");
    t.initRequest().setId(1);
    t.getRequest().setCheckpoint();
  })};
}

template <class Effect>
bool owes(const run_story& s) {
  const auto owed = model::pending_effects(s.run, {});
  return std::ranges::any_of(owed, [](const auto& e) { return std::holds_alternative<Effect>(e); });
}

run_story asked() {
  auto s = given_run(run_phase::started);
  s.when(tell_to_checkpoint());
  return s;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_whose_script_succeeds_is_killed_and_says_so) {
  auto s = asked();
  BOOST_TEST(owes<model::carry_out>(s));
  BOOST_TEST(s.when(model::request_carried_out{1, true}) == "requestDone killRequested");
  BOOST_TEST(!owes<model::report_requests>(s));  // its end says it
  s.when(model::program_over{{265, {}}});
  BOOST_TEST(s.run.exit_status == -12);
}

BOOST_AUTO_TEST_CASE(a_run_that_its_script_ends_waits_for_the_script) {
  auto s = asked();
  s.when(model::program_over{{265, {}}});
  BOOST_TEST(owes<model::carry_out>(s));  // after a restart of the MoM, too
  BOOST_TEST(!owes<model::report_exited>(s));
  BOOST_TEST(!owes<model::place_output>(s));
  auto failed = s;
  BOOST_TEST(s.when(model::request_carried_out{1, true}) == "requestDone");
  BOOST_TEST(s.run.exit_status == -12);
  BOOST_TEST(owes<model::report_exited>(s));
  BOOST_TEST(failed.when(model::request_carried_out{1, false}) == "requestDone");
  BOOST_TEST(failed.run.exit_status == 265);
}

BOOST_AUTO_TEST_CASE(a_run_whose_script_fails_goes_on) {
  auto s = asked();
  BOOST_TEST(s.when(model::request_carried_out{1, false}) == "requestDone");
  BOOST_TEST(owes<model::report_requests>(s));
  BOOST_TEST((s.run.phase == run_phase::started && s.run.kill_signal.empty()));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_to_end_anyway_ends_as_it_was_told) {
  auto s = asked();
  s.when(kill(1));
  BOOST_TEST(s.when(model::request_carried_out{1, true}) == "requestDone");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == 271);
}
