// While there are runjob hooks, runs are decided one after the other: each hook is shown what became of those before it.
#include <boost/test/unit_test.hpp>

#include <caf/send.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
namespace protocol = hooks::protocol;

namespace {

// Host n1 with four cpus is up, four jobs wait, and a runjob hook looks at each run.
struct site {
  hooks::fake_hook_runner runner;
  test::whole_server server{[this](actors::server_system_parts& p) { p.runner = &runner; }};
  std::shared_ptr<test::fake_peer> scheduler;
  std::vector<std::uint64_t> serials;

  site() {
    server.create_node("n1");
    server.hello_of("n1");
    for (int i = 0; i < 4; ++i) server.ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    serials = streams_of(schema::JobEvent::QUEUED);
    BOOST_REQUIRE(serials.size() == 4U);
    scheduler = server.scheduler_comes("default");
    add_hook();
  }
  void settle() {
    do server.system.run();
    while (runner.step());
  }
  template <class Fill>
  void manage(schema::ManageVerb verb, Fill fill) {
    server.ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName("looks");
      fill(m);
    });
    settle();
  }
  void add_hook() {
    manage(schema::ManageVerb::CREATE, [](auto) {});
    manage(schema::ManageVerb::IMPORT, [](auto m) {
      const std::string code = "import pbs";
      m.setContentType("application/x-python");
      m.setContent({reinterpret_cast<const kj::byte*>(code.data()), code.size()});
    });
    set("event", "runjob");
  }
  void set(const char* name, const char* value) {
    manage(schema::ManageVerb::SET, [&](auto m) {
      auto change = m.initChanges(1)[0];
      change.setName(name);
      change.setValue(value);
    });
  }
  // victim: a serial that is to make room for it; 0: none.
  void propose(std::uint64_t serial, unsigned slot, std::uint64_t victim = 0) {
    server.says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                  auto run = m.initRun();
                  run.setJob(serial);
                  run.setExecVnode("(n1:ncpus=1)");
                  run.setExecHost("n1/" + std::to_string(slot));
                  run.initHosts(1).set(0, "n1");
                  if (victim == 0) return;
                  auto v = run.initVictims(1)[0];
                  v.setJob(victim);
                  v.setHow(schema::PreemptVictim::How::DELETE);
                }));
  }
  void propose_all() {
    for (unsigned i = 0; i < serials.size(); ++i) propose(serials[i], i);
  }
  std::shared_ptr<test::fake_peer> qrun(const std::string& job) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, "root");
    peer->who.uid = 0;
    server.says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) {
                  r.initRunJob().setJob(job);
                  r.getRunJob().setExecVnode("(n1:ncpus=1)");
                }));
    return peer;
  }
  // Jobs that had such an event, in the order of the log up to this position.
  std::vector<std::uint64_t> streams_of(schema::JobEvent::Which which, std::uint64_t to = UINT64_MAX) const {
    std::vector<std::uint64_t> streams;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (r->sequence() <= to && schema::is(r->event(), which)) streams.push_back(r->get().getStream());
      return true;
    });
    return streams;
  }
  std::vector<std::uint64_t> started() const { return streams_of(schema::JobEvent::ASSIGNED); }
  // Serials, in the order in which the scheduler was told.
  std::vector<std::uint64_t> refused() const {
    std::vector<std::uint64_t> jobs;
    for (const auto& m : scheduler->sent)
      if (const auto to = m.root<schema::ToScheduler>(); to.isRefused()) jobs.push_back(to.getRefused().getJob());
    return jobs;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(runs_in_turn)

BOOST_AUTO_TEST_CASE(a_hook_that_lets_one_job_run_lets_one_of_four_run) {
  site s;
  s.runner.when("looks", [&s](protocol::Request::Reader r, protocol::Reply::Builder reply) {
    // Its questions are answered at this position.
    if (!s.streams_of(schema::JobEvent::ASSIGNED, r.getSequence()).empty()) reply.setVerdict(protocol::Verdict::REJECT);
  });
  s.propose_all();
  BOOST_TEST(s.runner.runs() == 1U);  // the others wait
  s.settle();
  BOOST_TEST(s.runner.runs() == 4U);
  BOOST_TEST(s.started() == std::vector<std::uint64_t>{s.serials[0]}, boost::test_tools::per_element());
  const std::vector<std::uint64_t> others(s.serials.begin() + 1, s.serials.end());
  BOOST_TEST(s.refused() == others, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_hook_sees_what_the_refusals_before_it_have_set) {
  site s;
  std::vector<std::size_t> altered;  // that each could see
  s.runner.when("looks", [&](protocol::Request::Reader r, protocol::Reply::Builder reply) {
    altered.push_back(s.streams_of(schema::JobEvent::ALTERED, r.getSequence()).size());
    reply.setVerdict(protocol::Verdict::REJECT);
  });
  s.propose_all();
  s.settle();
  BOOST_TEST(altered == (std::vector<std::size_t>{0, 1, 2, 3}), boost::test_tools::per_element());  // comments
}

BOOST_AUTO_TEST_CASE(jobs_start_in_the_order_in_which_they_were_proposed) {
  site s;
  s.propose_all();
  s.settle();
  BOOST_TEST(s.started() == s.serials, boost::test_tools::per_element());
  BOOST_TEST(s.refused().empty());
}

BOOST_AUTO_TEST_CASE(runs_that_wait_go_on_in_their_order_when_the_hook_is_turned_off) {
  site s;
  s.propose(s.serials[0], 0);
  s.propose(s.serials[1], 1);
  s.server.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::SET);
    m.setKind(schema::ObjectKind::HOOK);
    m.setName("looks");
    auto change = m.initChanges(1)[0];
    change.setName("enabled");
    change.setValue("false");
  });
  s.propose(s.serials[2], 2);
  BOOST_TEST(s.started().empty());
  s.settle();
  BOOST_TEST(s.runner.runs() == 1U);
  BOOST_TEST(s.started() == std::vector<std::uint64_t>(s.serials.begin(), s.serials.begin() + 3), boost::test_tools::per_element());
  s.propose(s.serials[3], 3);  // nobody is before it
  BOOST_TEST(s.started() == s.serials, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_that_nobody_waits_for_any_more_lets_others_go_on) {
  site s;
  s.propose(s.serials[0], 0);
  s.settle();
  bool gone = false;
  s.runner.when("looks", [&](protocol::Request::Reader, protocol::Reply::Builder) {
    if (std::exchange(gone, true)) return;
    caf::anon_send(s.server.whole->gateway(), actors::peer_closed{s.scheduler, "lost"});
    s.server.system.run();
  });
  s.propose(s.serials[1], 1, s.serials[0]);  // its scheduler goes while the hook runs
  const auto asked = s.qrun("2.borg");
  s.settle();
  BOOST_REQUIRE(asked->sent.size() == 1U);
  BOOST_TEST(asked->sent[0].root<schema::Reply>().isDone());
  BOOST_TEST(s.started() == (std::vector<std::uint64_t>{s.serials[0], s.serials[2]}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
