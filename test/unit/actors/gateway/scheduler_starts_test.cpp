// The server starts its schedulers and ends them, here and through MoMs (docs/design/0041-running-schedulers.md).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "events/log/record.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/pbs_error.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
using outcome = ports::scheduler_start_result::outcome;

// Says what it is told to say, and keeps what it was asked for.
struct fake_processes final : ports::scheduler_processes {
  std::vector<ports::scheduler_start> starts;
  std::vector<std::pair<std::string, std::string>> stops;
  ports::scheduler_start_result next{outcome::started, {}};

  ports::scheduler_start_result start(const ports::scheduler_start& what) override {
    starts.push_back(what);
    return next;
  }
  void stop(const std::string& name, const std::string& priv) override { stops.emplace_back(name, priv); }
};

struct server {
  fake_processes processes;
  bool ended = false;
  std::vector<std::pair<std::string, std::uint16_t>> calls;
  test::whole_server whole;

  explicit server(bool starts_schedulers = true)
      : whole([this, starts_schedulers](actors::server_system_parts& p) {
          p.pbs_home = "/h";
          if (starts_schedulers) p.schedulers.processes = &processes;
          p.schedulers.call = [this](const std::string& host, std::uint16_t port) { calls.emplace_back(host, port); };
          p.schedulers.certificate = [](const std::string& name) { return "certificate of " + name; };
          p.shut_down = [this](const std::string&) { ended = true; };
        }) {}

  peer_ptr manage(schema::ManageVerb verb, const std::string& name, const std::vector<std::pair<const char*, const char*>>& set,
                  const std::string& user = "root") {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    if (user != "root") peer->who.uid = 1001;  // the server's own user is root to it
    whole.says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) {
                 auto m = r.initManage();
                 m.setVerb(verb);
                 m.setKind(schema::ObjectKind::SCHEDULER);
                 m.setName(name);
                 auto changes = m.initChanges(static_cast<unsigned>(set.size()));
                 for (unsigned i = 0; i < set.size(); ++i) {
                   changes[i].setName(set[i].first);
                   changes[i].setValue(set[i].second);
                 }
               }));
    return peer;
  }
  // With a partition, and to run.
  void second(const char* host = "borg") {
    manage(schema::ManageVerb::CREATE, "s1", {{"partition", "P1"}, {"sched_host", host}, {"scheduling", "True"}});
  }
  peer_ptr hello(const std::string& name, const char* host = "borg") {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::scheduler, name);
    whole.says(peer, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                 auto h = m.initHello();
                 h.setName(name);
                 h.setHost(host);
                 h.setPid(4711);
               }));
    return peer;
  }
  void closed(const peer_ptr& peer) {
    caf::anon_send(whole.whole->gateway(), actors::peer_closed{peer, "link lost"});
    whole.system.run();
  }
  void qterm(bool schedulers) {
    whole.ask([&](schema::Request::Builder r) {
      auto s = r.initShutdown();
      s.setHow("quick");
      s.setSchedulers(schedulers);
    });
  }
  // The events of the scheduler, in their order, without those of its making.
  std::vector<std::string> events_of(const std::string& name) {
    std::map<std::uint64_t, std::string> names;
    std::vector<std::string> found;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      if (!r->event().isScheduler()) return true;
      const auto e = r->event().getScheduler();
      if (e.isCreated()) names[r->get().getStream()] = schema::str(e.getCreated().getName());
      if (names[r->get().getStream()] == name && !e.isCreated() && !e.isChanged()) found.push_back(schema::event_name(r->event()));
      return true;
    });
    return found;
  }
  static bool was_told_to_end(const peer_ptr& scheduler) {
    return std::ranges::any_of(scheduler->sent, [](const auto& m) {
      const auto said = m.template root<schema::ToScheduler>();
      return said.isStop() || (said.isRefused() && said.getRefused().getJob() == 0);
    });
  }
  // Of the messages to this MoM those that are about schedulers.
  static std::vector<schema::sealed_message> orders_to(const peer_ptr& mom) {
    std::vector<schema::sealed_message> found;
    for (const auto& m : mom->sent)
      if (const auto what = m.root<schema::ToMom>(); what.isStartScheduler() || what.isStopScheduler()) found.push_back(m);
    return found;
  }
  void says_failed(const peer_ptr& mom, const std::string& name) {
    whole.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto f = m.initSchedulerFailed();
                 f.setName(name);
                 f.setText("no such file");
               }));
  }
};

using names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(starts_of_schedulers)

BOOST_AUTO_TEST_CASE(a_server_starts_its_schedulers_on_its_host) {  // MS-20, MS-86
  server s;
  BOOST_REQUIRE(s.processes.starts.size() == 1u);
  BOOST_TEST(s.processes.starts[0].name == "default");
  BOOST_TEST(s.processes.starts[0].host == "borg");
  BOOST_TEST(s.processes.starts[0].priv == "/h/sched_priv");
  BOOST_TEST(s.processes.starts[0].certificate == "certificate of default");
  BOOST_TEST(s.processes.starts[0].own_directories);
  s.hello("default");
  s.manage(schema::ManageVerb::CREATE, "s1", {{"partition", "P1"}});
  BOOST_TEST(s.processes.starts.size() == 1u);
  s.manage(schema::ManageVerb::SET, "s1", {{"scheduling", "1"}});
  BOOST_REQUIRE(s.processes.starts.size() == 2u);
  BOOST_TEST(s.processes.starts[1].name == "s1");
  BOOST_TEST(s.processes.starts[1].priv == "/h/sched_priv_s1");
  BOOST_TEST(s.processes.starts[1].own_directories);
  s.manage(schema::ManageVerb::SET, "s1", {{"sched_priv", "/etc/other"}});
  BOOST_REQUIRE(s.processes.starts.size() == 3u);
  BOOST_TEST(!s.processes.starts[2].own_directories);  // an administrator makes it
}

BOOST_AUTO_TEST_CASE(an_ordinary_user_starts_nothing) {  // MS-02
  server s;
  s.hello("default");
  s.manage(schema::ManageVerb::CREATE, "s1", {{"partition", "P1"}, {"scheduling", "True"}}, "alice");
  BOOST_TEST(s.processes.starts.size() == 1u);
}

BOOST_AUTO_TEST_CASE(one_that_is_gone_is_down_and_started_again) {  // MS-42, MS-86
  server s;
  const auto first = s.hello("default");
  BOOST_TEST(s.processes.starts.size() == 1u);
  s.closed(first);
  BOOST_TEST(s.processes.starts.size() == 2u);
  BOOST_TEST(s.events_of("default") == (names{"started", "stopped"}));
  s.hello("default");
  BOOST_TEST(s.events_of("default") == (names{"started", "stopped", "started"}));
}

BOOST_AUTO_TEST_CASE(after_a_restart_the_server_starts_only_who_is_to_run) {
  server s;
  s.hello("default");
  s.second();
  s.hello("s1");
  s.manage(schema::ManageVerb::SET, "s1", {{"scheduling", "False"}});
  s.processes.starts.clear();
  s.whole.restart();
  BOOST_REQUIRE(s.processes.starts.size() == 1u);  // harmless if it lives: its lock says so
  BOOST_TEST(s.processes.starts[0].name == "default");
}

BOOST_AUTO_TEST_CASE(a_server_calls_at_the_ports_of_its_schedulers) {  // MS-88
  server s;
  s.hello("default");
  s.whole.create_node("n1");
  s.whole.hello_of("n1");
  s.second();
  BOOST_TEST(s.calls.empty());  // it has none yet
  s.manage(schema::ManageVerb::SET, "s1", {{"sched_port", "15077"}});
  BOOST_TEST((s.calls == std::vector<std::pair<std::string, std::uint16_t>>{{"borg", 15077}}));
  s.hello("s1");
  s.manage(schema::ManageVerb::SET, "s1", {{"sched_port", "15078"}});
  BOOST_TEST(s.calls.size() == 1u);  // it is here
  s.whole.restart();
  BOOST_REQUIRE(s.calls.size() == 2u);
  BOOST_TEST(s.calls[1].second == 15078);
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_is_written_down) {
  server s;
  s.hello("default");
  s.processes.next = {outcome::failed, "pbs_sched: cannot read"};
  s.second();
  BOOST_TEST(s.events_of("s1") == names{"startFailed"});
  s.processes.next = {outcome::runs_already, ""};
  s.manage(schema::ManageVerb::SET, "s1", {{"partition", "P2"}});
  BOOST_TEST(s.processes.starts.size() == 3u);
  BOOST_TEST(s.events_of("s1") == names{"startFailed"});
  s.processes.next = {outcome::no_priv, "/h/sched_priv_s1: No such file or directory"};
  s.manage(schema::ManageVerb::SET, "s1", {{"partition", "P3"}});
  const auto before = s.processes.starts.size();
  BOOST_TEST(s.events_of("s1") == (names{"startFailed", "startFailed"}));
  s.manage(schema::ManageVerb::SET, "s1", {{"sched_priv", "/etc/other"}});
  BOOST_TEST(s.processes.starts.size() == before);  // it was turned off (MS-14)
}

BOOST_AUTO_TEST_CASE(a_server_that_was_told_to_starts_none) {
  server s(false);
  BOOST_TEST(s.processes.starts.empty());
  const auto first = s.hello("default");
  s.closed(first);
  BOOST_TEST(s.processes.starts.empty());
}

BOOST_AUTO_TEST_CASE(the_mom_of_its_host_starts_a_scheduler_and_may_fail) {  // MS-30, MS-60
  server s;
  s.hello("default");
  s.whole.create_node("n1");
  s.whole.create_node("n2");
  const auto n1 = s.whole.hello_of("n1"), n2 = s.whole.hello_of("n2");
  s.second("n1");
  BOOST_TEST(s.processes.starts.size() == 1u);
  BOOST_REQUIRE(s.orders_to(n1).size() == 1u);
  const auto order = s.orders_to(n1)[0].root<schema::ToMom>().getStartScheduler();
  BOOST_TEST(schema::str(order.getName()) == "s1");
  BOOST_TEST(schema::str(order.getPriv()) == "/h/sched_priv_s1");
  const auto pem = schema::bytes_of(order.getCertificate());
  BOOST_TEST(std::string(reinterpret_cast<const char*>(pem.data()), pem.size()) == "certificate of s1");
  BOOST_TEST(s.orders_to(n2).empty());  // nobody else gets its certificate
  s.says_failed(n2, "s1");
  BOOST_TEST(s.events_of("s1").empty());
  s.says_failed(n1, "s1");
  BOOST_TEST(s.events_of("s1") == names{"startFailed"});
  s.says_failed(n1, "default");
  BOOST_TEST(s.events_of("default") == names{"started"});
}

BOOST_AUTO_TEST_CASE(one_whose_host_is_lost_runs_on_the_servers_host_and_comes_back_when_it_is_asked_to) {  // MS-59, MS-60
  server s;
  s.hello("default");
  s.whole.create_node("n1");
  auto n1 = s.whole.hello_of("n1");
  s.second("n1");
  const auto there = s.hello("s1", "n1");
  s.closed(n1);
  BOOST_TEST(s.processes.starts.size() == 1u);
  s.closed(there);
  BOOST_REQUIRE(s.processes.starts.size() == 2u);
  BOOST_TEST(s.processes.starts[1].name == "s1");
  const auto here = s.hello("s1");
  const auto old = s.hello("s1", "n1");  // it lived on behind a broken link
  BOOST_TEST(s.was_told_to_end(old));
  BOOST_TEST(!old->closed.empty());
  s.closed(old);
  BOOST_TEST(s.events_of("s1") == (names{"started", "stopped", "started"}));
  n1 = s.whole.hello_of("n1");
  BOOST_TEST(s.orders_to(n1).empty());
  s.manage(schema::ManageVerb::SET, "s1", {{"sched_host", "n1"}});
  BOOST_TEST(s.was_told_to_end(here));
  s.closed(here);
  BOOST_TEST(s.orders_to(n1).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_host_that_nobody_knows_is_refused) {
  server s;
  s.whole.create_node("n1");
  const auto answer = [&](const char* host) {
    const auto peer = s.manage(schema::ManageVerb::SET, "s1", {{"sched_host", host}});
    const auto said = peer->sent.back().root<schema::Reply>();
    return said.isRejected() ? schema::str(said.getRejected().getText()) : std::string();
  };
  s.second();
  BOOST_TEST(answer("nosuchhost").ends_with("unknown host: nosuchhost is neither a node nor the server's host"));
  for (const char* host : {"n1", "n1.example.com", "borg"}) BOOST_TEST(answer(host) == "", host);
}

BOOST_AUTO_TEST_CASE(one_whose_object_is_deleted_ends) {
  server s;
  s.hello("default");
  s.second();
  const auto running = s.hello("s1");
  s.manage(schema::ManageVerb::DELETE, "s1", {});
  BOOST_TEST(s.was_told_to_end(running));
  BOOST_REQUIRE(s.processes.stops.size() == 1u);
  BOOST_TEST(s.processes.stops[0].second == "/h/sched_priv_s1");
  s.closed(running);
  const auto again = s.hello("s1");
  BOOST_TEST(s.was_told_to_end(again));
  BOOST_TEST(!again->closed.empty());
}

BOOST_AUTO_TEST_CASE(qterm_leaves_schedulers_and_qterm_s_ends_them_before_the_server) {  // MS-96
  {
    server s;
    const auto first = s.hello("default");
    s.qterm(false);
    BOOST_TEST(s.ended);
    BOOST_TEST(!s.was_told_to_end(first));
  }
  server s;
  const auto first = s.hello("default");
  s.whole.create_node("n1");
  const auto n1 = s.whole.hello_of("n1");
  s.second("n1");
  const auto second = s.hello("s1", "n1");
  s.manage(schema::ManageVerb::CREATE, "s2", {{"partition", "P2"}, {"sched_host", "n1"}, {"scheduling", "True"}});
  const auto starts = s.processes.starts.size();
  s.qterm(true);
  BOOST_TEST(s.was_told_to_end(first));
  BOOST_TEST(s.was_told_to_end(second));
  BOOST_TEST(s.orders_to(n1).back().root<schema::ToMom>().isStopScheduler());  // s2 did not come
  BOOST_TEST(!s.ended);
  s.closed(first);
  BOOST_TEST(!s.ended);
  s.closed(second);
  BOOST_TEST(s.ended);
  BOOST_TEST(s.processes.starts.size() == starts);  // nobody starts them again
}

BOOST_AUTO_TEST_SUITE_END()
