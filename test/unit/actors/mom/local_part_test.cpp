// Tasks beside a run's program, on its first host: what their hooks set of resources_used is the run's (RU-04, RU-10).
#include <boost/test/unit_test.hpp>

#include <caf/event_based_actor.hpp>

#include "actors/mom/part_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "events/log/event_log.hpp"
#include "events/log/fault_store.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"
#include "test/unit/actors/mom/quiet_host.hpp"

using namespace annals;

namespace {

struct heard {
  std::vector<actors::at_hook_point> asked;
  std::vector<actors::hook_usage_of_run> of_run;
};
caf::behavior playing_mom(caf::event_based_actor*, heard* all) {
  return {[=](actors::at_hook_point& at) { all->asked.push_back(std::move(at)); },
          [=](actors::hook_usage_of_run& u) { all->of_run.push_back(std::move(u)); },
          [](const actors::to_primary&) {},
          [](const actors::to_server&) {}};
}

schema::sealed<schema::ToSister> join() {
  return schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
    auto order = m.initJoin().initOrder();
    order.initRef().setJob("12.borg");
    order.setExecVnode("(n1:ncpus=1)");
    order.setExecHost("n1/0");
  });
}

schema::sealed<schema::ToSister> spawn() {
  return schema::make<schema::ToSister>([](schema::ToSister::Builder m) {
    m.initSpawn().initTask().setTask(2);
    m.getSpawn().initArgv(1).set(0, "/bin/date");
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parts_beside_the_program)

BOOST_AUTO_TEST_CASE(what_hooks_of_their_tasks_set_goes_to_the_run_and_is_not_added_to_it) {
  log::fault_store store{1};
  test::still_clock clock;
  log::event_log log(store, clock);
  log::log_reader reader(store);
  test::stepped_system system;
  test::quiet_host host;
  heard all;
  const auto stop = [](const std::string& why) { BOOST_ERROR("stopped: " + why); };
  actors::log_writer_parts writing;
  writing.log = &log;
  writing.reader = &reader;
  writing.stop_process = stop;
  const auto writer = system->spawn(actors::log_writer, writing);
  const auto mom = system->spawn(playing_mom, &all);
  auto settings = std::make_shared<mom::mom_settings>();
  settings->host = "n1";
  actors::mom_parts parts{{writer, &reader, &clock, stop}, &host, settings};
  parts.hooks = std::make_shared<actors::hook_bits>();
  parts.hooks->events = hooks::find_event("execjob_launch")->bit;
  const auto part = system->spawn<actors::part_actor>(parts, mom, "key", 0, std::make_shared<model::settings>());
  caf::anon_send(
      part, actors::envelope<model::part_command>{model::join_asked{join(), "n1"}, test::the_server(), "", nullptr, nullptr, {}, 0, {}});
  system.run();
  caf::anon_send(part, actors::primary_said{spawn()});
  system.run();
  BOOST_TEST_REQUIRE(all.asked.size() == 1u);
  actors::hook_point_passed p;
  p.question = all.asked.front().question;
  p.used = {{"naccelerators", "7"}};
  const auto written = log.last_sequence();
  caf::anon_send(part, std::move(p));
  system.run();
  BOOST_TEST_REQUIRE(all.of_run.size() == 1u);
  BOOST_TEST(all.of_run.front().key == "key");
  BOOST_TEST((all.of_run.front().set.changes == std::vector<model::usage_change>{{"naccelerators", "7"}}));
  BOOST_TEST(log.last_sequence() == written);
  system.end({part, mom, writer});
}

BOOST_AUTO_TEST_SUITE_END()
