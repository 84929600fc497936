// Who may have a job run, asked of the whole server: schedulers over their links, people with qrun.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

kj::ArrayPtr<const kj::byte> data_of(const std::string& s) { return {reinterpret_cast<const kj::byte*>(s.data()), s.size()}; }

// A server with host n1 that is up, a queued job 0, and the schedulers "default" and "second".
struct cluster : test::whole_server {
  peer_ptr first = scheduler_comes("default"), second;
  std::uint64_t serial = 0;

  cluster() {
    create(schema::ObjectKind::NODE, "n1");
    create(schema::ObjectKind::SCHEDULER, "second");
    second = scheduler_comes("second");
    says(std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1"), schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost("n1");
           hello.setLogUuid(data_of(std::string(16, '1')));
           auto vnode = hello.initVnodes(1)[0];
           vnode.setName("n1");
           auto cpus = vnode.initAttributes(1)[0];
           cpus.setName("resources_available");
           cpus.setResource("ncpus");
           cpus.setValue("4");
         }));
    ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serial = r->get().getStream();
      return true;
    });
    BOOST_REQUIRE(serial != 0);
  }
  void create(schema::ObjectKind kind, const std::string& name) {
    ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(kind);
      m.setName(name);
    });
  }
  void propose(const peer_ptr& by) {
    by->sent.clear();
    says(by, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           auto run = m.initRun();
           run.setJob(serial);
           run.setExecVnode("(n1:ncpus=1)");
           run.setExecHost("n1/0");
           run.initHosts(1).set(0, "n1");
         }));
  }
  // What a scheduler was told of its proposal; empty: nothing.
  static std::string refusal(const peer_ptr& of) {
    for (const auto& m : of->sent)
      if (m.root<schema::ToScheduler>().isRefused()) return schema::str(m.root<schema::ToScheduler>().getRefused().getReason());
    return {};
  }
  std::size_t refusals_written() const {
    std::size_t count = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      count += schema::is(r->event(), schema::SchedulerEvent::PROPOSAL_REFUSED);
      return true;
    });
    return count;
  }
  bool runs() const {
    bool assigned = false;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      assigned |= schema::is(r->event(), schema::JobEvent::ASSIGNED);
      return true;
    });
    return assigned;
  }
  std::string qrun(const std::string& user, std::uint32_t uid) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = uid;
    says(peer, schema::make<schema::Request>([](schema::Request::Builder r) {
           r.initRunJob().setJob("0.borg");
           r.getRunJob().setExecVnode("(n1:ncpus=1)");
         }));
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    return reply.isDone() ? "done" : schema::str(reply.getRejected().getText());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(proposals)

BOOST_AUTO_TEST_CASE(a_scheduler_that_proposes_anothers_job_is_told_whose_it_is) {  // MS-36
  cluster c;
  c.propose(c.second);
  BOOST_TEST(cluster::refusal(c.second) == "Unauthorized Request: job 0.borg is scheduler default's to run, not second's");
  BOOST_TEST(!c.runs());
  BOOST_TEST(c.second->closed == "");
}

BOOST_AUTO_TEST_CASE(a_refusal_that_says_the_same_again_is_not_written_again) {
  cluster c;
  for (int i = 0; i < 3; ++i) {
    c.propose(c.second);
    BOOST_TEST(cluster::refusal(c.second) != "");
  }
  BOOST_TEST(c.refusals_written() == 1U);
  c.propose(c.first);
  BOOST_TEST(c.runs());
  c.propose(c.first);  // it runs already
  BOOST_TEST(c.refusals_written() == 2U);
}

BOOST_AUTO_TEST_CASE(the_default_scheduler_runs_it) {  // MS-38
  cluster c;
  c.propose(c.first);
  BOOST_TEST(cluster::refusal(c.first) == "");
  BOOST_TEST(c.runs());
}

BOOST_AUTO_TEST_CASE(who_has_no_scheduler_object_proposes_nothing) {
  cluster c;
  const auto stranger = c.scheduler_comes("nobody");
  BOOST_TEST(!stranger->closed.empty());
  BOOST_TEST(!c.runs());
}

BOOST_AUTO_TEST_CASE(qrun_is_for_operators) {
  cluster c;
  BOOST_TEST(c.qrun("alice", 2000) == "Unauthorized Request ");
  BOOST_TEST(!c.runs());
  BOOST_TEST(c.qrun("root", 0) == "done");
  BOOST_TEST(c.runs());
  BOOST_TEST(c.qrun("root", 0) == "Request invalid for state of job");
}

BOOST_AUTO_TEST_SUITE_END()
