// When the actor of a host takes a MoM that is back as up: when it is rid of what was given up meanwhile, whether or not the log says so
// already, and also in a server that has died since.
#include "actors/server/host_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include <utility>

#include "actors/link/wire/own_stop.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/server/order_keys.hpp"
#include "events/log/event_log.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

constexpr std::uint64_t serial = 95;
const actors::order_key order = actors::key_of(serial, model::discard_run{"n1", 1});  // as the job's actor names it

// Jobs that do not answer: what they are told is only counted.
struct told_jobs {
  int abandoned = 0, settled = 0, missing = 0;
};
caf::behavior deaf_gateway(caf::event_based_actor*, told_jobs* told) {
  return {
      [told](const actors::discard_settled& d) { ++(d.abandoned ? told->abandoned : told->settled); },
      [told](const actors::run_missing&) { ++told->missing; },
  };
}

struct fixture {
  fixture() {
    log::append a;
    a.events.push_back(model::make_event([](auto e) { e.initHost().initAdded().setName("n1"); }));
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    stream = std::get<log::staged>(staged).stream;
    writer = system->spawn(actors::log_writer, actors::log_writer_parts{&log, &reader, nullptr, {}, stop, [] { return true; }});
    gateway = system->spawn(deaf_gateway, &told);
    start();
  }
  ~fixture() { system.end({std::exchange(host, nullptr), std::exchange(gateway, nullptr), std::exchange(writer, nullptr)}); }

  void start() {
    host = system->spawn<actors::host_actor>(actors::event_sourced_actor_parts{writer, &reader, &clock, stop}, gateway, stream, settings);
    system.run();
  }
  void restart() {
    caf::anon_send_exit(host, caf::exit_reason::kill);
    start();
  }
  template <class Message>
  void tell(Message m) {
    caf::anon_send(host, std::move(m));
    system.run();
  }
  void owe_a_discard() { tell(actors::post_to_host{"n1", order, actors::discard_message({serial, 1, "7.borg"})}); }
  void is_back_with_the_run() {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    auto hello = schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
      m.initHello().setHost("n1");
      auto run = m.getHello().initRuns(1)[0];
      run.setJobSerial(serial);
      run.setRun(1);
    });
    tell(actors::mom_connected{peer, std::move(hello), {}, {}, {}});
  }
  void is_back(const std::vector<actors::run_name>& unwanted, const std::vector<actors::run_name>& kept) {
    peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    auto hello = schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello().setHost("n1"); });
    tell(actors::mom_connected{peer, std::move(hello), {}, unwanted, kept});
  }
  // Why it has gone down, each time, and when it came up.
  std::string told_of_it() const {
    std::string text;
    (void)reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      const auto event = r->event();
      if (schema::is(event, schema::HostEvent::CAME_UP)) text += "up; ";
      if (schema::is(event, schema::HostEvent::WENT_DOWN)) text += schema::str(event.getHost().getWentDown().getText()) + "; ";
      return true;
    });
    return text;
  }
  void is_rid() { tell(actors::withdraw_from_host{"n1", actors::discard_key(serial, 1)}); }
  bool is_up() const {
    bool up = false;
    (void)reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      up |= schema::is(r->event(), schema::HostEvent::CAME_UP);
      return true;
    });
    return up;
  }

  std::function<void(const std::string&)> stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
  log::memory_event_store store;
  test::still_clock clock;
  log::event_log log{store, clock};
  log::log_reader reader{store};
  test::stepped_system system;
  model::settings_ptr settings = std::make_shared<model::settings>(test::small_settings());
  std::uint64_t stream = 0;
  told_jobs told;
  std::shared_ptr<test::fake_peer> peer;  // of the last is_back
  caf::actor writer, gateway, host;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_actor, fixture)

BOOST_AUTO_TEST_CASE(a_run_that_was_given_up_is_not_forgotten_before_its_job_has_heard_of_it) {
  owe_a_discard();
  BOOST_TEST(told.abandoned == 1);
  is_back_with_the_run();
  BOOST_TEST(!is_up());
  is_back_with_the_run();  // over a new connection
  BOOST_TEST(!is_up());
  is_rid();
  BOOST_TEST(is_up());
}

BOOST_AUTO_TEST_CASE(a_server_that_has_died_is_owed_the_discard_by_the_job_and_takes_it_as_given_up) {
  owe_a_discard();
  restart();
  owe_a_discard();
  BOOST_TEST(told.abandoned == 2);
  is_back_with_the_run();
  BOOST_TEST(!is_up());
  is_rid();
  BOOST_TEST(is_up());
}

BOOST_AUTO_TEST_CASE(a_run_that_is_given_up_while_the_hello_is_held_is_waited_for_too) {
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  tell(actors::mom_connected{peer, schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
                               m.initHello().setHost("n1");
                               auto run = m.getHello().initRuns(1)[0];
                               run.setJobSerial(serial);
                               run.setRun(1);
                             }),
                             {},
                             {{serial + 1, 1, "8.borg"}},
                             {}});
  owe_a_discard();
  tell(actors::withdraw_from_host{"n1", actors::discard_key(serial + 1, 1)});
  BOOST_TEST(!is_up());
  is_rid();
  BOOST_TEST(is_up());
}

BOOST_AUTO_TEST_CASE(a_host_that_comes_without_the_run_is_up_at_once) {
  owe_a_discard();
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  tell(actors::mom_connected{
      peer, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello().setHost("n1"); }), {}, {}, {}});
  BOOST_TEST(is_up());
}

BOOST_AUTO_TEST_CASE(a_host_that_is_kept_down_says_what_for) {
  const actors::run_name lost{serial, 1, "7.borg"}, other{serial + 1, 1, "8.borg"};
  const auto ends = [&](const actors::run_name& run) {
    tell(actors::withdraw_from_host{"n1", actors::discard_key(run.serial, run.run)});
  };
  is_back({other}, {lost});
  BOOST_TEST(told_of_it() == "it runs jobs of which the log knows nothing; ");
  ends(lost);
  BOOST_TEST(told_of_it() == "it runs jobs of which the log knows nothing; it has yet to end runs that nobody wants; ");
  ends(other);
  BOOST_TEST(told_of_it().ends_with("wants; up; "));
  tell(actors::mom_gone{peer, std::string(wire::own_stop)});
  BOOST_TEST(told_of_it().ends_with("up; the server has stopped; "));
  is_back({}, {lost});
  tell(actors::mom_gone{peer, "link lost"});
  BOOST_TEST(told_of_it().ends_with("the server has stopped; it runs jobs of which the log knows nothing; link lost; "));
}

BOOST_AUTO_TEST_CASE(a_host_that_the_log_has_as_up_goes_down_for_a_run_that_may_be_of_a_lost_part_and_for_no_other) {
  is_back({}, {});
  is_back({{serial, 1, "7.borg"}}, {});
  BOOST_TEST(told_of_it() == "up; ");
  is_back({}, {{serial, 1, "7.borg"}});
  BOOST_TEST(told_of_it() == "up; it runs jobs of which the log knows nothing; ");
  is_rid();
  BOOST_TEST(told_of_it().ends_with("nothing; up; "));
}

// At HUP a MoM says hello over the connection that it has: its order, or a discard, may be on its way to it.
BOOST_AUTO_TEST_CASE(a_run_that_is_not_in_a_second_hello_of_the_same_connection_is_not_missing) {
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  const auto hello = schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello().setHost("n1"); });
  tell(actors::mom_connected{peer, hello, {{serial, 7, 1, 0}}, {}, {}});
  BOOST_TEST(told.missing == 1);
  owe_a_discard();
  tell(actors::mom_connected{peer, hello, {{serial, 7, 1, 0}}, {}, {}});
  BOOST_TEST(told.missing == 1);
  BOOST_TEST(told.settled == 0);
  const auto anew = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  tell(actors::mom_connected{anew, hello, {{serial, 7, 1, 0}}, {}, {}});
  BOOST_TEST(told.missing == 2);
  BOOST_TEST(told.settled == 1);
}

BOOST_AUTO_TEST_CASE(a_second_hello_of_the_same_connection_does_not_bring_a_host_up_before_it_is_rid) {
  owe_a_discard();
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  for (int i = 0; i < 2; ++i) {
    tell(actors::mom_connected{peer, schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
                                 m.initHello().setHost("n1");
                                 auto run = m.getHello().initRuns(1)[0];
                                 run.setJobSerial(serial);
                                 run.setRun(1);
                               }),
                               {},
                               {},
                               {}});
    BOOST_TEST(!is_up());
  }
  is_rid();
  BOOST_TEST(is_up());
}

// In the alphabet 10 comes before 2, and a signal before the start that it is for.
BOOST_AUTO_TEST_CASE(what_is_owed_is_sent_over_a_new_connection_in_the_order_in_which_it_was_ordered) {
  const auto request = [](std::uint64_t job, std::uint64_t id) {
    return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      m.initTellRun().initRef().setJobSerial(job);
      m.getTellRun().initRequest().setId(id);
    });
  };
  const auto post = [&](std::uint64_t job, const model::job_effect& effect, schema::sealed<schema::ToMom> message) {
    tell(actors::post_to_host{"n1", actors::key_of(job, effect), std::move(message)});
  };
  const auto effect = [](std::uint64_t id) {
    model::tell_run e{"n1", 1, {}};
    e.request.id = id;
    return e;
  };
  const auto tell_run = [&](std::uint64_t job, std::uint64_t id) { post(job, effect(id), request(job, id)); };
  post(2, model::start_run{"n1", 1}, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initStartRun(); }));
  tell_run(2, 2);
  tell_run(2, 10);
  tell_run(10, 1);
  post(2, model::signal_run{"n1", 1, 1, "SIGTERM", 10, 271, true},
       schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initSignalRun(); }));
  tell_run(1, 1);
  tell_run(2, 2);  // a repeat
  tell(actors::withdraw_from_host{"n1", actors::key_of(1, effect(1))});
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  tell(actors::mom_connected{
      peer, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { m.initHello().setHost("n1"); }), {}, {}, {}});
  std::string sent;
  for (const auto& m : peer->sent) {
    const auto to = m.root<schema::ToMom>();
    if (to.isStartRun()) sent += "start ";
    if (to.isSignalRun()) sent += "signal ";
    if (to.isTellRun())
      sent += std::to_string(to.getTellRun().getRef().getJobSerial()) + "/" + std::to_string(to.getTellRun().getRequest().getId()) + " ";
  }
  BOOST_TEST(sent == "start 2/2 2/10 10/1 signal ");
}

BOOST_AUTO_TEST_SUITE_END()
