// A proposal with victims: who is asked before they are told to go.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
namespace protocol = hooks::protocol;

namespace {

// Host n1 is up, job 0 has a cpu of it, job 1 waits, and a runjob hook looks at each run.
struct site {
  hooks::fake_hook_runner runner;
  bool rejects = false;
  int asked = 0;
  test::temporary_directory logs;
  actors::daemon_log notes{logs.path, "Server@borg", 0x80, false};
  test::whole_server server{[this](actors::server_system_parts& p) {
    p.runner = &runner;
    p.notes = &notes;
  }};
  std::shared_ptr<test::fake_peer> scheduler;
  std::vector<std::uint64_t> serials;

  site() {
    server.create_node("n1");
    server.hello_of("n1");
    for (int i = 0; i < 2; ++i) server.ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serials.push_back(r->get().getStream());
      return true;
    });
    BOOST_REQUIRE(serials.size() == 2U);
    scheduler = server.scheduler_comes("default");
    propose(serials[0], 0);
    add_hook();
    settle();
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
    runner.when("looks", [this](protocol::Request::Reader, protocol::Reply::Builder reply) {
      ++asked;
      if (rejects) reply.setVerdict(protocol::Verdict::REJECT);
    });
    manage(schema::ManageVerb::CREATE, [](auto) {});
    manage(schema::ManageVerb::IMPORT, [](auto m) {
      const std::string code = "import pbs";
      m.setContentType("application/x-python");
      m.setContent({reinterpret_cast<const kj::byte*>(code.data()), code.size()});
    });
    manage(schema::ManageVerb::SET, [](auto m) {
      auto change = m.initChanges(1)[0];
      change.setName("event");
      change.setValue("runjob");
    });
  }
  // victim: a serial that is to make room for it; 0: none.
  using how = schema::PreemptVictim::How;
  void propose(std::uint64_t serial, std::uint64_t victim, how what = how::DELETE) {
    scheduler->sent.clear();
    server.says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                  auto run = m.initRun();
                  run.setJob(serial);
                  run.setExecVnode("(n1:ncpus=1)");
                  run.setExecHost("n1/0");
                  run.initHosts(1).set(0, "n1");
                  if (victim == 0) return;
                  auto v = run.initVictims(1)[0];
                  v.setJob(victim);
                  v.setHow(what);
                }));
    settle();
  }
  bool refused() const {
    for (const auto& m : scheduler->sent)
      if (m.root<schema::ToScheduler>().isRefused()) return true;
    return false;
  }
  std::string logged() const {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(logs.path)) {
      std::ifstream in(file.path());
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    return text;
  }
  bool told_to_go(std::uint64_t serial) const {
    bool told = false;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      told |= r->get().getStream() == serial && schema::is(r->event(), schema::JobEvent::DELETE_REQUESTED);
      return true;
    });
    return told;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(preemption_routes)

BOOST_AUTO_TEST_CASE(a_runjob_hook_that_rejects_costs_no_victim) {
  site s;
  s.rejects = true;
  s.propose(s.serials[1], s.serials[0]);
  BOOST_TEST(s.asked == 1);
  BOOST_TEST(s.refused());
  BOOST_TEST(!s.told_to_go(s.serials[0]));
}

BOOST_AUTO_TEST_CASE(once_hooks_accept_the_victims_are_told) {
  site s;
  s.propose(s.serials[1], s.serials[0]);
  BOOST_TEST(s.asked == 1);
  BOOST_TEST(!s.refused());
  BOOST_TEST(s.told_to_go(s.serials[0]));
}

BOOST_AUTO_TEST_CASE(the_log_says_that_a_victim_did_not_make_room) {  // policy2 of the transcripts, Y1C
  site s;
  s.propose(s.serials[1], s.serials[0], site::how::CHECKPOINT);
  BOOST_TEST(s.refused());
  const auto log = s.logged();
  BOOST_TEST(log.find(";0080;Server@borg;Job;0.borg;preemption method checkpoint failed for job (15029)\n") != std::string::npos, log);
  BOOST_TEST(log.find(";0080;Server@borg;Job;0.borg;Job failed to be preempted\n") != std::string::npos, log);
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_went_while_hooks_ran_costs_no_victim) {
  site s;
  s.runner.when("looks", [&s](protocol::Request::Reader, protocol::Reply::Builder) {
    ++s.asked;
    caf::anon_send(s.server.whole->gateway(), actors::peer_closed{s.scheduler, "lost"});
    s.server.system.run();
  });
  s.propose(s.serials[1], s.serials[0]);
  BOOST_TEST(s.asked == 1);
  BOOST_TEST(!s.told_to_go(s.serials[0]));
}

BOOST_AUTO_TEST_SUITE_END()
