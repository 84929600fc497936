// Jobs at rest are told what another one means to them without an actor of their own, and whatever else comes to them meanwhile is decided
// over what they are then (docs/design/0054-dependencies.md).
#include <boost/test/unit_test.hpp>

#include <caf/actor_registry.hpp>
#include <caf/send.hpp>

#include <memory>
#include <string>

#include "events/log/log_reader.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

constexpr int waiting = 5;

// Job 0, and five that wait for it to begin; the server has come up again since, so that all of them rest.
struct site : test::whole_server {
  site() {
    create_node("n1");
    submit("");
    for (int i = 0; i < waiting; ++i) submit("after:0");
    restart();
    hello_of("n1");
    system.run();
  }
  void submit(const std::string& depend) {
    ask([&](schema::Request::Builder r) {
      auto q = r.initQueueJob();
      q.setSubmitHost("borg");
      if (depend.empty()) return;
      auto a = q.initAttributes(1)[0];
      a.setName("depend");
      a.setValue(depend);
    },
        "alice");
  }
  std::uint64_t stream_of(std::uint64_t number) const {
    std::uint64_t stream = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED) && r->event().getJob().getQueued().getNumber() == number)
        stream = r->get().getStream();
      return true;
    });
    BOOST_REQUIRE(stream != 0);
    return stream;
  }
  // "queued altered"
  std::string events_of(std::uint64_t number) const {
    std::string names;
    (void)log::log_reader(store).read_stream(stream_of(number), 1, [&](const log::record_ptr& r) {
      names += (names.empty() ? "" : " ") + test::name_of(r->event().getJob().which());
      return true;
    });
    return names;
  }
  static void hold(schema::Request::Builder r) {
    auto h = r.initHoldJob();
    h.setJob("1");
    h.initHolds(1).set(0, schema::HoldType::USER);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(resting_jobs, site)

BOOST_AUTO_TEST_CASE(many_are_told_without_actors) {
  ask(hold);  // the first one has an actor
  const auto before = system.actors().registry().running();
  run_on(stream_of(0), "n1");
  BOOST_TEST(events_of(1) == "queued held altered");
  for (int i = 2; i <= waiting; ++i) BOOST_TEST(events_of(i) == "queued altered", i);
  BOOST_TEST(system.actors().registry().running() == before + 2);  // those of the job that runs, and of the scheduler
  run_on(stream_of(2), "n1");
  BOOST_TEST(events_of(2) == "queued altered assigned");
}

BOOST_AUTO_TEST_CASE(what_comes_meanwhile_is_decided_after_it) {
  bool before = false, after = false;
  for (std::size_t steps = 0; !after; ++steps) {
    site s;
    const auto scheduler = s.scheduler_comes("default");
    caf::anon_send(s.whole->gateway(),
                   actors::peer_frame{scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                                        auto run = m.initRun();
                                        run.setJob(s.stream_of(0));
                                        run.setExecVnode("(n1:ncpus=1)");
                                        run.setExecHost("n1/0");
                                        run.initHosts(1).set(0, "n1");
                                      })});
    for (std::size_t i = 0; i < steps; ++i) (void)s.system.scheduler().try_run_once();
    after = s.events_of(1) == "queued altered";
    const auto peer = s.ask(hold);
    BOOST_TEST(peer->sent.back().root<schema::Reply>().isDone());
    const auto events = s.events_of(1);
    BOOST_TEST((events == "queued held altered" || events == "queued altered held"), steps << " steps: " << events);
    before |= events == "queued held altered";
    for (int i = 2; i <= waiting; ++i) BOOST_TEST(s.events_of(i) == "queued altered");
    BOOST_REQUIRE(steps < 1000);
  }
  BOOST_TEST(before);
}

BOOST_AUTO_TEST_SUITE_END()
