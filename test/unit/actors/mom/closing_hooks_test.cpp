// A run's end is told when its last hooks are over, and with all that hooks have set (RU-19), whatever becomes of their word.
#include <boost/test/unit_test.hpp>

#include <caf/event_based_actor.hpp>

#include "actors/mom/runs/run_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "events/log/event_log.hpp"
#include "events/log/fault_store.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "test/support/stepped_system.hpp"
#include "test/unit/actors/mom/quiet_host.hpp"
#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;

namespace {

using release_atom = caf::atom_constant<caf::atom("release")>;

struct switches {
  bool refuse_closing = false, hold = false;
};

// The log's writer, which may hold back what it is given, and may refuse the word of the last hooks.
caf::behavior gate(caf::event_based_actor* self, caf::actor writer, switches* now) {
  const auto held = std::make_shared<std::vector<std::pair<actors::append_batch, caf::strong_actor_ptr>>>();
  const auto pass = [=](actors::append_batch b, const caf::strong_actor_ptr& from) {
    const auto e = b.appends.front().events.front().get();
    const bool closing = schema::is(e, schema::RunEvent::HOOK_USED) && e.getRun().getHookUsed().getClosing();
    if (!closing || !now->refuse_closing) return caf::send_as(caf::actor_cast<caf::actor>(from), writer, std::move(b));
    actors::append_results no{b.turn, {}};
    no.results.resize(b.appends.size());
    for (auto& r : no.results) {
      r.what = actors::append_result::kind::refused;
      r.why = {15201, "an event is too large"};
    }
    self->send(caf::actor_cast<caf::actor>(from), std::move(no));
  };
  return {[=](actors::append_batch& b) {
            if (now->hold) return void(held->emplace_back(std::move(b), self->current_sender()));
            pass(std::move(b), self->current_sender());
          },
          [=](release_atom) {
            for (auto& [b, from] : std::exchange(*held, {})) pass(std::move(b), from);
          }};
}

struct heard {
  std::vector<actors::at_hook_point> asked;
  std::vector<schema::sealed<schema::FromMom>> told;
};
caf::behavior playing_mom(caf::event_based_actor*, heard* all) {
  return {[=](actors::at_hook_point& at) { all->asked.push_back(std::move(at)); },
          [=](actors::to_server& t) { all->told.push_back(std::move(t.message)); }};
}

struct fixture {
  fixture() : log(store, clock), reader(store) {
    const auto stop = [](const std::string& why) { BOOST_ERROR("stopped: " + why); };
    actors::log_writer_parts writing;
    writing.log = &log;
    writing.reader = &reader;
    writing.stop_process = stop;
    writer = system->spawn(actors::log_writer, writing);
    door = system->spawn(gate, writer, &now);
    mom = system->spawn(playing_mom, &all);
    actors::mom_parts parts{{door, &reader, &clock, stop}, &host, std::make_shared<mom::mom_settings>()};
    parts.hooks = std::make_shared<actors::hook_bits>();
    parts.hooks->events = hooks::find_event("execjob_epilogue")->bit;
    run = system->spawn<actors::run_actor>(parts, mom, values::run_key{"12.borg", 1}, 0, std::make_shared<model::settings>());
    tell(model::take_order{test::order()});
    tell(model::program_began{{1, 1, 1, "/"}});
  }
  ~fixture() { system.end({run, mom, door, writer}); }

  void tell(model::run_command c) {
    caf::anon_send(run, actors::envelope<model::run_command>{std::move(c), test::the_server(), "", nullptr, nullptr, {}, 0, {}});
    system.run();
  }
  void program_ends() {
    tell(model::program_over{{0, {}}});
    BOOST_TEST_REQUIRE(all.asked.size() == 1u);
  }
  void hooks_end(std::vector<model::usage_change> set) {
    actors::hook_point_passed p;
    p.question = all.asked.front().question;
    p.used = std::move(set);
    caf::anon_send(run, std::move(p));
    system.run();
  }
  void a_periodic_hook_sets(const std::string& accelerators) {
    caf::anon_send(run, actors::hook_usage_set{{{"naccelerators", accelerators}}});
    system.run();
  }
  // What the server was told that the hooks of this host have set; "not told": not of the end.
  std::string told_at_the_end() {
    for (const auto& m : all.told)
      if (m.get().isRunExited()) {
        const auto used = model::read_usage(m.get().getRunExited().getHosts()[0].getUsage());
        return std::string(used.get("naccelerators").value_or("nothing"));
      }
    return "not told";
  }

  log::fault_store store{1};
  test::still_clock clock;
  log::event_log log;
  log::log_reader reader;
  test::stepped_system system;
  test::quiet_host host;
  switches now;
  heard all;
  caf::actor writer, door, mom, run;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(closing_hooks, fixture)

BOOST_AUTO_TEST_CASE(the_end_is_told_with_what_they_set) {
  program_ends();
  BOOST_TEST(told_at_the_end() == "not told");
  hooks_end({{"naccelerators", "7"}});
  BOOST_TEST(told_at_the_end() == "7");
}

BOOST_AUTO_TEST_CASE(the_end_is_told_also_if_what_they_set_can_not_be_kept) {
  a_periodic_hook_sets("3");
  now.refuse_closing = true;
  program_ends();
  hooks_end({{"naccelerators", "7"}});
  BOOST_TEST(told_at_the_end() == "3");
}

BOOST_AUTO_TEST_CASE(they_have_the_last_word_over_what_is_still_on_its_way_to_the_log) {
  a_periodic_hook_sets("3");
  program_ends();
  now.hold = true;
  a_periodic_hook_sets("4");
  hooks_end({{"naccelerators", "3"}});
  BOOST_TEST(told_at_the_end() == "not told");
  now.hold = false;
  caf::anon_send(door, release_atom::value);
  system.run();
  BOOST_TEST(told_at_the_end() == "3");
}

BOOST_AUTO_TEST_CASE(the_end_waits_for_what_is_still_on_its_way_to_the_log) {
  program_ends();
  now.hold = true;
  a_periodic_hook_sets("4");
  hooks_end({});
  BOOST_TEST(told_at_the_end() == "not told");
  now.hold = false;
  caf::anon_send(door, release_atom::value);
  system.run();
  BOOST_TEST(told_at_the_end() == "4");
}

BOOST_AUTO_TEST_SUITE_END()
