// A host with a run is not deleted, whether the job runs or is suspended. Logs from before that have hosts that were: when such a host is
// created again it is told what its jobs were asked meanwhile.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// A job of alice is suspended on n1.
struct site {
  test::whole_server server;
  std::uint64_t host = 0, job = 0;  // streams
  std::string id;

  site() {
    server.create_node("n1");
    host = stream_of([](schema::Event::Reader e) { return schema::is(e, schema::HostEvent::ADDED); });
    auto mom = server.hello_of("n1");
    const auto submitted = server.ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    id = schema::str(submitted->sent.at(0).root<schema::Reply>().getDone());
    job = stream_of([](schema::Event::Reader e) { return schema::is(e, schema::JobEvent::QUEUED); });
    server.run_on(job, "n1");
    server.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { name_run(m.initRunStarted().initRef()); }));
    BOOST_REQUIRE_EQUAL(ask([&](schema::Request::Builder r) {
                          r.initSignalJob().setJob(id);
                          r.getSignalJob().setSignal("suspend");
                        }),
                        "");
    BOOST_REQUIRE(happened([](schema::Event::Reader e) { return schema::is(e, schema::JobEvent::SUSPENDED); }));
  }

  template <class Ref>
  void name_run(Ref ref) const {
    ref.setJobSerial(job);
    ref.setRun(1);
    ref.setJob(id);
  }
  template <class Which>
  std::uint64_t stream_of(Which&& which) const {
    std::uint64_t stream = 0;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (which(r->event())) stream = r->get().getStream();
      return true;
    });
    return stream;
  }
  template <class Which>
  bool happened(Which&& which) const { return stream_of(std::forward<Which>(which)) != 0; }
  // "" or the refusal.
  template <class Fill>
  std::string ask(Fill&& fill) {
    const peer_ptr peer = server.ask(std::forward<Fill>(fill));
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    if (reply.isDone()) return "";
    return std::to_string(reply.getRejected().getCode()) + " " + schema::str(reply.getRejected().getText());
  }
  std::string delete_node() {
    return ask([](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::DELETE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName("n1");
    });
  }
  std::string delete_job(bool force = false) {
    return ask([&](schema::Request::Builder r) {
      r.initDeleteJob().setJob(id);
      r.getDeleteJob().setForce(force);
    });
  }
  bool job_has_ended() const {
    return happened([](schema::Event::Reader e) { return schema::is(e, schema::JobEvent::ENDED); });
  }
  // As a server once let it be.
  void lose_host() {
    server.kill();
    {
      log::event_log log(server.store, server.clock);
      log::append a;
      a.stream = host;
      a.expected_version = log.last_version(host);
      a.events.push_back(model::make_event([](auto e) { e.initHost().initVnodeDeleted().setName("n1"); }));
      a.events.push_back(model::make_event([](auto e) { e.initHost().initRemoved().setName("n1"); }));
      (void)log.stage(std::move(a));
      std::vector<log::record_ptr> records;
      BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    }
    server.start();
  }
  // Its MoM says hello with the run.
  peer_ptr mom_comes() {
    const auto mom = std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1");
    server.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                  auto hello = m.initHello();
                  hello.setHost("n1");
                  hello.initVnodes(1)[0].setName("n1");
                  name_run(hello.initRuns(1)[0]);
                }));
    return mom;
  }
};

template <class Which>
long orders(const test::fake_peer& mom, Which which) {
  return std::count_if(mom.sent.begin(), mom.sent.end(), [&](const auto& m) { return which(m.template root<schema::ToMom>()); });
}
bool is_kill(schema::ToMom::Reader m) { return m.isSignalRun() && schema::text(m.getSignalRun().getSignal()) == "SIGTERM"; }
bool is_discard(schema::ToMom::Reader m) { return m.isDiscardRun(); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(created_hosts, site)

BOOST_AUTO_TEST_CASE(a_host_with_a_suspended_job_is_not_deleted) {
  const auto number = id.substr(0, id.find('.'));
  BOOST_TEST(delete_node() == "15027 Cannot delete busy object: job " + number + " is suspended there");
  BOOST_TEST(delete_job(true) == "");
  BOOST_TEST(delete_node() == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_deleted_while_its_host_was_no_node_ends_when_it_is_one_again) {
  lose_host();
  BOOST_TEST(delete_job() == "");
  BOOST_TEST(!job_has_ended());
  server.create_node("n1");
  const auto mom = mom_comes();
  BOOST_TEST(orders(*mom, is_kill) == 1);
  BOOST_TEST(orders(*mom, is_discard) == 0);
}

BOOST_AUTO_TEST_CASE(a_job_is_deleted_by_force_though_its_host_is_no_node) {
  lose_host();
  BOOST_TEST(delete_job(true) == "");
  BOOST_TEST(job_has_ended());
  server.create_node("n1");
  const auto mom = mom_comes();
  BOOST_TEST(orders(*mom, is_discard) >= 1);
}

BOOST_AUTO_TEST_SUITE_END()
