// A run that the server no longer wants is discarded by its MoM, and then nobody owes it anything: the server's and the
// MoM's side of it, each with a link that only keeps what it is sent.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <utility>

#include "actors/mom/mom_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

constexpr std::uint64_t serial = 999;

using peer_ptr = std::shared_ptr<test::fake_peer>;

template <class Ref>
void fill(Ref ref, std::uint64_t of = serial) {
  ref.setJobSerial(of);
  ref.setRun(1);
  ref.setJob("7.borg");
}

// A server with one node, n1.
struct server : test::whole_server {
  server() {
    ask([](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName("n1");
    });
  }
  std::shared_ptr<test::fake_peer> mom_comes(bool with_the_run) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost("n1");
           const std::string uuid(16, 'm');
           hello.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
           if (with_the_run) fill(hello.initRuns(1)[0]);
         }));
    return peer;
  }
  std::uint64_t last_stream() const {
    std::uint64_t last = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      last = std::max(last, r->get().getStream());
      return true;
    });
    return last;
  }
  bool n1_is_up() const {
    bool up = false;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::HostEvent::CAME_UP) || schema::is(r->event(), schema::HostEvent::WENT_DOWN))
        up = schema::is(r->event(), schema::HostEvent::CAME_UP);
      return true;
    });
    return up;
  }
};

// The same with a job whose run is on its way to n1.
struct server_with_a_run : server {
  std::shared_ptr<test::fake_peer> mom = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
  std::string job;

  server_with_a_run() {
    says(mom, schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
           auto vnode = m.initHello().initVnodes(1)[0];
           m.getHello().setHost("n1");
           vnode.setName("n1");
           auto cpus = vnode.initAttributes(1)[0];
           cpus.setName("resources_available");
           cpus.setResource("ncpus");
           cpus.setValue("1");
         }));
    const auto submitted = ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    job = schema::str(submitted->sent.at(0).root<schema::Reply>().getDone());
    const auto serial = last_stream();
    says(scheduler_comes("default"), schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           auto run = m.initRun();
           run.setJob(serial);
           run.setExecVnode("(n1:ncpus=1)");
           run.setExecHost("n1/0");
           run.initHosts(1).set(0, "n1");
         }));
  }
};

// A job with a run on two hosts. n2 is out of reach, and n1 says that the run may still be there: the job gives that up.
struct server_with_an_abandoned_run : server {
  std::uint64_t job = 0;

  static peer_ptr mom(const char* host) { return std::make_shared<test::fake_peer>(wire::identity::kind::mom, host); }
  server_with_an_abandoned_run() {
    ask([](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName("n2");
    });
    const auto n1 = mom("n1"), n2 = mom("n2");
    for (const auto& peer : {n1, n2}) comes(peer, false);
    ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    job = last_stream();
    says(scheduler_comes("default"),
         schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           auto run = m.initRun();
           run.setJob(job);
           run.setExecVnode("(n1:ncpus=1)+(n2:ncpus=1)");
           run.setExecHost("n1/0+n2/0");
           run.initHosts(2).set(0, "n1");
           run.getHosts().set(1, "n2");
         }));
    caf::anon_send(whole->gateway(), actors::peer_closed{n2, "lost"});
    system.run();
    says(n1, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           fill(m.initRunRefused().initRef(), job);
           m.getRunRefused().initAbandoned(1).set(0, "n2");
         }));
    BOOST_REQUIRE(is_released());
  }
  void comes(const peer_ptr& peer, bool with_the_run) {
    says(peer, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost(peer->who.name);
           auto vnode = hello.initVnodes(1)[0];
           vnode.setName(peer->who.name);
           auto cpus = vnode.initAttributes(1)[0];
           cpus.setName("resources_available");
           cpus.setResource("ncpus");
           cpus.setValue("1");
           if (with_the_run) fill(hello.initRuns(1)[0], job);
         }));
  }
  bool is_released() const {
    bool so = false;
    (void)log::log_reader(store).read_stream(job, 1, [&](const log::record_ptr& r) {
      so |= schema::is(r->event(), schema::JobEvent::VNODES_RELEASED) &&
            r->event().getJob().getVnodesReleased().getWhy() == schema::ReleaseReason::ABANDONED;
      return true;
    });
    return so;
  }
  // How often a host came up.
  int ups() const {
    int n = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      n += schema::is(r->event(), schema::HostEvent::CAME_UP) ? 1 : 0;
      return true;
    });
    return n;
  }
  // n2 is back and still has the run: it is up when it is rid of it.
  void n2_is_back() {
    const auto before = ups();
    const auto n2 = mom("n2");
    comes(n2, true);
    BOOST_TEST(ups() == before);
    comes(n2, true);  // asked anew, it says the same
    BOOST_TEST(ups() == before);
    says(n2, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { fill(m.initSignalDone().initRef(), job); }));
    BOOST_TEST(ups() == before + 1);
  }
};

long discards(const test::fake_peer& peer) {
  return std::count_if(peer.sent.begin(), peer.sent.end(), [](const auto& m) { return m.template root<schema::ToMom>().isDiscardRun(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_is_owed_a_discard_until_it_says_that_the_run_is_gone) {
  server s;
  auto mom = s.mom_comes(false);
  s.says(mom, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initRunUsage().initRef()); }));
  BOOST_TEST(discards(*mom) == 1);

  auto again = s.mom_comes(true);  // still there: owed
  BOOST_TEST(discards(*again) == 1);
  s.says(again, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initSignalDone().initRef()); }));
  BOOST_TEST(discards(*s.mom_comes(false)) == 0);  // no longer owed
}

BOOST_AUTO_TEST_CASE(a_host_is_up_when_it_is_rid_of_what_the_server_does_not_want) {
  server s;
  auto mom = s.mom_comes(true);
  BOOST_TEST(!s.n1_is_up());
  s.says(mom, schema::make<schema::FromMom>([](schema::FromMom::Builder m) { fill(m.initSignalDone().initRef()); }));
  BOOST_TEST(s.n1_is_up());
}

// No history is kept: the job is forgotten in the same breath.
BOOST_AUTO_TEST_CASE(a_host_is_told_to_end_a_run_that_was_deleted_by_force) {
  server_with_a_run s;
  const auto started =
      std::count_if(s.mom->sent.begin(), s.mom->sent.end(), [](const auto& m) { return m.template root<schema::ToMom>().isStartRun(); });
  BOOST_REQUIRE(started == 1);
  s.ask([&](schema::Request::Builder r) {
    r.initDeleteJob().setJob(s.job);
    r.getDeleteJob().setForce(true);
  });
  BOOST_REQUIRE(discards(*s.mom) == 1);
  BOOST_TEST(schema::str(s.mom->sent.back().root<schema::ToMom>().getDiscardRun().getJob()) == s.job);
}

BOOST_AUTO_TEST_CASE(a_host_that_comes_back_with_a_run_that_was_given_up_is_up_when_it_is_rid_of_it) {
  server_with_an_abandoned_run s;
  s.n2_is_back();
}

BOOST_AUTO_TEST_CASE(a_server_that_dies_forgets_no_run_that_was_given_up) {
  server_with_an_abandoned_run s;
  s.restart();
  s.n2_is_back();
}

BOOST_AUTO_TEST_CASE(a_mom_says_of_a_run_it_does_not_have_that_it_is_gone) {
  test::stepped_system system;
  const test::still_clock clock;
  log::memory_event_store store;
  log::event_log event_log(store, clock);
  const log::log_reader reader(store);
  const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
  auto writer = system->spawn(actors::log_writer, actors::log_writer_parts{&event_log, &reader, nullptr, {}, stop, [] { return true; }});
  actors::mom_actor_parts parts;
  parts.runs = {{writer, &reader, &clock, stop}, nullptr, std::make_shared<mom::mom_settings>()};
  parts.host = "n1";
  parts.log_uuid = std::string(16, 'm');
  parts.describe = [](schema::MomHello::Builder) {};
  auto mom = system->spawn(actors::mom_actor, std::move(parts));
  const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::server, "borg");
  caf::anon_send(mom, actors::peer_opened{peer});
  caf::anon_send(mom, actors::peer_frame{peer, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { fill(m.initDiscardRun()); })});
  system.run();
  BOOST_REQUIRE(peer->sent.size() == 2u);  // hello, and this
  const auto said = peer->sent.back().root<schema::FromMom>();
  BOOST_REQUIRE(said.isSignalDone());
  BOOST_TEST(said.getSignalDone().getId() == 0u);
  BOOST_TEST(said.getSignalDone().getRef().getJobSerial() == serial);
  system.end({std::exchange(mom, nullptr), std::exchange(writer, nullptr)});
}
