// Requests that are sound Cap'n Proto and no requests of ours (a number where a text is expected): whoever sends one loses his
// connection or is refused, and the server answers everybody else.
#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <capnp/any.h>

#include "actors/server/messages.hpp"
#include "actors/server/server_system.hpp"
#include "events/log/memory_event_store.hpp"

using namespace annals;

namespace {

struct still_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

struct client : wire::connection {
  explicit client(const std::string& name) {
    who.what = wire::identity::kind::local;
    who.name = name;
    who.uid = 1000;
  }
  std::uint64_t id() const override { return 1; }
  const wire::identity& peer() const override { return who; }
  void send(const schema::sealed_message& m) override { answers.emplace_back(m); }
  void close(const std::string& why) override { closed = why; }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override {}
  void resume_reading() override {}
  wire::identity who;
  std::vector<schema::sealed<schema::Reply>> answers;
  std::string closed;
};

struct server {
  server() {
    config.set("scheduler.policy", caf::atom("testing"));
    system = std::make_unique<caf::actor_system>(config);
    actors::server_system_parts parts;
    parts.store = &store;
    parts.clock = &clock;
    parts.self = {"test", "borg", "borg", "UTC", std::string(16, 'u')};
    parts.server_uid = 1000;
    parts.detached = false;
    parts.disk_writable = [] { return true; };
    parts.stop_process = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    parts.shut_down = [](const std::string&) {};
    whole = std::make_unique<actors::server_system>(*system, std::move(parts));
    scheduler().run();
  }
  ~server() {
    for (const auto& a : {whole->gateway(), whole->writer()}) caf::anon_send_exit(a, caf::exit_reason::kill);
    do scheduler().clock().cancel_all();
    while (scheduler().try_run_once());
    whole.reset();
  }
  caf::scheduler::test_coordinator& scheduler() { return dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler()); }
  template <class Fill>
  std::shared_ptr<client> ask(Fill fill, const std::string& name = "root") {
    auto peer = std::make_shared<client>(name);
    caf::anon_send(whole->gateway(), actors::peer_frame{peer, schema::make<schema::Request>(fill)});
    scheduler().run();
    return peer;
  }
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  still_clock clock;
  log::memory_event_store store;
  std::unique_ptr<actors::server_system> whole;
};

// A list of numbers in place of whatever the struct's n-th pointer is.
template <class Builder>
void spoil(Builder b, unsigned n = 0) {
  capnp::toAny(b).getPointerSection()[n].template initAs<capnp::List<std::uint64_t>>(3);
}

bool answers_others(server& s) {
  const auto peer = s.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
  return peer->closed.empty() && !peer->answers.empty();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_request_that_can_not_be_read_harms_nobody_else) {
  server s;
  const auto turned_away = [](const client& c) { return !c.closed.empty() || (c.answers.size() == 1 && c.answers[0].get().isRejected()); };
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initRunJob()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initOrderJobs()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initWaitJob()); })));
  BOOST_TEST(answers_others(s));
  BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initDeleteJob()); })));
  BOOST_TEST(answers_others(s));
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(turned_away(*s.ask([](schema::Request::Builder r) { spoil(r.initQueueJob()); })));
    BOOST_TEST(answers_others(s));
  }
}

BOOST_AUTO_TEST_CASE(an_object_is_not_blamed_for_requests_that_can_not_be_read) {
  server s;
  const auto submitter = s.ask([](schema::Request::Builder r) {
    r.initQueueJob().setSubmitHost("borg");
    auto list = r.getQueueJob().initAttributes(1);
    list[0].setName("Job_Name");
    list[0].setValue("one");
  }, "alice");
  const auto id = submitter->answers.at(0).get();
  BOOST_REQUIRE(id.isDone());
  for (int i = 0; i < 5; ++i) {
    const auto peer = s.ask([&](schema::Request::Builder r) {
      auto a = r.initAlterJob();
      a.setJob(id.getDone());
      spoil(a.initChanges(1)[0]);
    });
    BOOST_TEST((!peer->closed.empty() || peer->answers.at(0).get().isRejected()));
  }
  BOOST_TEST(answers_others(s));
}
