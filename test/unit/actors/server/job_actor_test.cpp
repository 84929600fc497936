// When a job's actor leaves memory: it says that it is idle until the gateway lets it go, whatever comes in between.
#include "actors/server/job_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include "actors/runtime/log_writer.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;

namespace {

struct heard {
  int idle = 0;
  std::vector<std::uint64_t> may_leave;
};

caf::behavior fake_gateway(caf::event_based_actor*, heard* h) {
  return {
      [h](const actors::job_idle&) { ++h->idle; },
      [h](const actors::i_may_leave& m) { h->may_leave.push_back(m.sent); },
      [](const actors::post_to_host&) {},
      [](const actors::withdraw_from_host&) {},
  };
}

struct fixture {
  fixture() : log(store, clock), reader(store) {
    const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    writer = system->spawn(actors::log_writer, actors::log_writer_parts{&log, &reader, nullptr, {}, stop, [] { return true; }});
    gateway = system->spawn(fake_gateway, &said);
    job = system->spawn<actors::job_actor>(actors::job_parts{{writer, &reader, &clock, stop}, gateway}, 12, 0, settings);
    tell(test::submission(12));
    run();
  }
  ~fixture() { system.end({job, gateway, writer}); }
  void tell(model::job_command c) {
    caf::anon_send(job, actors::envelope<model::job_command>{std::move(c), test::manager(), "", nullptr, settings, {}, 0, {}});
  }
  void ask(std::uint64_t sent) { caf::anon_send(job, actors::may_you_leave{sent}); }
  void run() { system.run(); }

  log::memory_event_store store;
  test::still_clock clock;
  log::event_log log;
  log::log_reader reader;
  test::stepped_system system;
  model::settings_ptr settings = std::make_shared<model::settings>(test::small_settings());
  heard said;
  caf::actor writer, gateway, job;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(leaving, fixture)

BOOST_AUTO_TEST_CASE(a_job_that_owes_nothing_may_leave) {
  BOOST_TEST(said.idle == 1);
  ask(1);
  run();
  BOOST_TEST(said.may_leave == std::vector<std::uint64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_asked_in_the_middle_of_a_command_says_later_that_it_is_idle) {
  tell(test::alter({{"Priority", "", "5"}}));
  ask(1);  // the command is on its way to the disk
  run();
  BOOST_TEST(said.may_leave.empty());
  BOOST_TEST(said.idle == 2);
}

BOOST_AUTO_TEST_CASE(a_job_that_might_have_left_and_got_a_command_says_again_that_it_is_idle) {
  ask(1);
  tell(test::alter({{"Priority", "", "5"}}));
  run();
  BOOST_TEST(said.may_leave.size() == 1u);  // the gateway knows of the command and lets it stay
  BOOST_TEST(said.idle == 2);
}

BOOST_AUTO_TEST_CASE(a_job_that_stays_idle_is_not_announced_with_every_command) {
  tell(test::alter({{"Priority", "", "5"}}));
  run();
  tell(test::alter({{"Priority", "", "6"}}));
  run();
  BOOST_TEST(said.idle == 1);
}

BOOST_AUTO_TEST_SUITE_END()
