// A run that the server no longer wants is discarded by its MoM, and then nobody owes it anything: the server's and the
// MoM's side of it, each with a link that only keeps what it is sent.
#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

#include "actors/mom/mom_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "actors/server/server_system.hpp"
#include "events/log/memory_event_store.hpp"

using namespace annals;

namespace {

struct still_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

struct fake_peer : wire::connection {
  explicit fake_peer(wire::identity who) : who_(std::move(who)) {}
  std::uint64_t id() const override { return 1; }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& m) override { sent.push_back(m); }
  void close(const std::string& why) override { closed = why; }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override {}
  void resume_reading() override {}

  wire::identity who_;
  std::vector<schema::sealed_message> sent;
  std::string closed;
};

wire::identity identity(wire::identity::kind what, const std::string& name) {
  wire::identity who;
  who.what = what;
  who.name = name;
  who.uid = 1000;
  return who;
}

constexpr std::uint64_t serial = 999;

template <class Ref>
void fill(Ref ref) {
  ref.setJobSerial(serial);
  ref.setRun(1);
  ref.setJob("7.borg");
}

struct testing_system {
  testing_system() {
    config.set("scheduler.policy", caf::atom("testing"));
    system = std::make_unique<caf::actor_system>(config);
  }
  caf::scheduler::test_coordinator& scheduler() { return dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler()); }
  void run() { scheduler().run(); }
  // A message that waits for its time holds its actor, and the system waits for its actors.
  void end(const std::vector<caf::actor>& actors) {
    for (const auto& a : actors) caf::anon_send_exit(a, caf::exit_reason::kill);
    scheduler().clock().cancel_all();
    while (scheduler().has_job()) {
      scheduler().run_once();
      scheduler().clock().cancel_all();
    }
  }
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  still_clock clock;
  log::memory_event_store store;
};

// A server with one node, n1.
struct server : testing_system {
  server() {
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
    run();
    says(std::make_shared<fake_peer>(identity(wire::identity::kind::local, "root")), schema::make<schema::Request>([](schema::Request::Builder r) {
           auto m = r.initManage();
           m.setVerb(schema::ManageVerb::CREATE);
           m.setKind(schema::ObjectKind::NODE);
           m.setName("n1");
         }));
  }
  ~server() {
    end({whole->gateway(), whole->writer()});
    whole.reset();
  }
  void says(const wire::connection_ptr& peer, schema::sealed_message m) {
    caf::anon_send(whole->gateway(), actors::peer_frame{peer, std::move(m)});
    run();
  }
  std::shared_ptr<fake_peer> mom_comes(bool with_the_run) {
    auto peer = std::make_shared<fake_peer>(identity(wire::identity::kind::mom, "n1"));
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost("n1");
           const std::string uuid(16, 'm');
           hello.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
           if (with_the_run) fill(hello.initRuns(1)[0]);
         }));
    return peer;
  }
  bool n1_is_up() const {
    bool up = false;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (r->event().isHostCameUp() || r->event().isHostWentDown()) up = r->event().isHostCameUp();
      return true;
    });
    return up;
  }
  std::unique_ptr<actors::server_system> whole;
};

long discards(const fake_peer& peer) {
  return std::count_if(peer.sent.begin(), peer.sent.end(), [](const auto& m) { return m.template root<schema::ToMom>().isDiscardRun(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_is_owed_a_discard_until_it_says_that_the_run_is_gone) {
  server s;
  auto mom = s.mom_comes(false);
  s.says(mom, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initRunUsage().initRef()); }));
  BOOST_TEST(discards(*mom) == 1);

  auto again = s.mom_comes(true);           // still there: owed
  BOOST_TEST(discards(*again) == 1);
  s.says(again, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initSignalDone().initRef()); }));
  BOOST_TEST(discards(*s.mom_comes(false)) == 0);     // no longer owed
}

BOOST_AUTO_TEST_CASE(a_host_is_up_when_it_is_rid_of_what_the_server_does_not_want) {
  server s;
  auto mom = s.mom_comes(true);
  BOOST_TEST(!s.n1_is_up());
  s.says(mom, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initSignalDone().initRef()); }));
  BOOST_TEST(s.n1_is_up());
}

BOOST_AUTO_TEST_CASE(a_mom_says_of_a_run_it_does_not_have_that_it_is_gone) {
  testing_system t;
  log::event_log event_log(t.store, t.clock);
  const log::log_reader reader(t.store);
  const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
  auto writer = t.system->spawn(actors::log_writer, actors::log_writer_parts{&event_log, &reader, nullptr, {}, stop, [] { return true; }});
  actors::mom_actor_parts parts;
  parts.runs = {{writer, &reader, &t.clock, stop}, nullptr, std::make_shared<mom::mom_settings>()};
  parts.host = "n1";
  parts.log_uuid = std::string(16, 'm');
  parts.describe = [](schema::MomHello::Builder) {};
  auto mom = t.system->spawn(actors::mom_actor, std::move(parts));
  const auto peer = std::make_shared<fake_peer>(identity(wire::identity::kind::server, "borg"));
  caf::anon_send(mom, actors::peer_opened{peer});
  caf::anon_send(mom, actors::peer_frame{peer, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { fill(m.initDiscardRun()); })});
  t.run();
  BOOST_REQUIRE(peer->sent.size() == 2u);   // hello, and this
  const auto said = peer->sent.back().root<schema::FromMom>();
  BOOST_REQUIRE(said.isSignalDone());
  BOOST_TEST(said.getSignalDone().getId() == 0u);
  BOOST_TEST(said.getSignalDone().getRef().getJobSerial() == serial);
  t.end({std::exchange(mom, nullptr), std::exchange(writer, nullptr)});
}
