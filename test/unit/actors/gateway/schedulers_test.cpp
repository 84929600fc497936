// Several schedulers at one server: one of each name, each with the cycles of its own partition, none that another has to wait for.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
using changes = std::vector<std::pair<std::string, std::string>>;

// Host n1 is nobody's, n2 is in P1 with queue q1 and scheduler s1.
struct cluster : test::whole_server {
  cluster() {
    for (const char* host : {"n1", "n2"}) {
      create_node(host);
      hello_of(host);
    }
    manage(schema::ManageVerb::CREATE, schema::ObjectKind::SCHEDULER, "s1", {{"partition", "P1"}, {"scheduling", "True"}});
    manage(schema::ManageVerb::CREATE, schema::ObjectKind::QUEUE, "q1",
           {{"queue_type", "e"}, {"enabled", "True"}, {"started", "True"}, {"partition", "P1"}});
    manage(schema::ManageVerb::SET, schema::ObjectKind::NODE, "n2", {{"partition", "P1"}});
  }

  // The position of the log that the answer speaks of.
  std::uint64_t manage(schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name, const changes& to = {}) {
    const auto peer = ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(kind);
      m.setName(name);
      auto list = m.initChanges(static_cast<unsigned>(to.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setName(to[i].first);
        list[i].setValue(to[i].second);
      }
    });
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    BOOST_REQUIRE_MESSAGE(reply.isDone(), name << ": " << (reply.isDone() ? "" : schema::str(reply.getRejected().getText())));
    return reply.getSequence();
  }
  // Where the log has the last change of this attribute of the server or of a scheduler.
  std::uint64_t changed(schema::StreamKind of, const std::string& attribute) {
    std::uint64_t at = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      const auto e = r->event();
      const auto look = [&](capnp::List<schema::Attribute>::Reader all) {
        for (auto c : all)
          if (r->kind() == of && schema::text(c.getName()) == attribute) at = r->sequence();
      };
      if (e.isServer() && e.getServer().isChanged()) look(e.getServer().getChanged().getChanges());
      if (e.isScheduler() && e.getScheduler().isChanged()) look(e.getScheduler().getChanged().getChanges());
      return true;
    });
    return at;
  }
  std::string submit(const std::string& queue = "") {
    const auto peer = ask([&](schema::Request::Builder r) {
      r.initQueueJob().setSubmitHost("borg");
      r.getQueueJob().setQueue(queue);
    },
                          "alice");
    return schema::str(peer->sent.at(0).root<schema::Reply>().getDone());
  }
  std::string qrun(const std::string& job) {
    const auto peer = ask([&](schema::Request::Builder r) { r.initRunJob().setJob(job); });
    if (peer->sent.empty()) return "no answer";
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    return reply.isDone() ? "done" : std::to_string(reply.getRejected().getCode());
  }
  void goes(const peer_ptr& peer) {
    caf::anon_send(whole->gateway(), actors::peer_closed{peer, "gone"});
    system.run();
  }
  void cycle_ends(const peer_ptr& of, std::uint64_t number) {
    says(of, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) { m.initCycleEnded().setNumber(number); }));
  }
  // The number of the cycle that it was told to begin since the last look, and forgets what it was told. 0: none.
  static std::uint64_t cycle(const peer_ptr& of) {
    std::uint64_t number = 0;
    for (const auto& m : of->sent)
      if (m.root<schema::ToScheduler>().isCycle()) number = m.root<schema::ToScheduler>().getCycle().getNumber();
    of->sent.clear();
    return number;
  }
  static std::string refusal(const peer_ptr& of) {
    for (const auto& m : of->sent)
      if (m.root<schema::ToScheduler>().isRefused()) return schema::str(m.root<schema::ToScheduler>().getRefused().getReason());
    return {};
  }
  // Of the scheduler object, by the log.
  std::string last_word_of(const std::string& scheduler) {
    std::string word;
    std::uint64_t stream = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      const auto e = r->event();
      if (!e.isScheduler()) return true;
      if (e.getScheduler().isCreated() && schema::str(e.getScheduler().getCreated().getName()) == scheduler) stream = r->get().getStream();
      if (r->get().getStream() != stream) return true;
      if (e.getScheduler().isStarted()) word = "started";
      if (e.getScheduler().isStopped()) word = "stopped";
      return true;
    });
    return word;
  }
  // Brings it to rest.
  peer_ptr comes(const std::string& name) {
    const auto peer = scheduler_comes(name);
    for (int i = 0; i < 10; ++i)
      if (const auto number = cycle(peer)) cycle_ends(peer, number);
    return peer;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(schedulers)

BOOST_AUTO_TEST_CASE(a_cycle_begins_where_something_happened) {  // MS-89, MS-90
  cluster c;
  const auto all = c.comes("default"), s1 = c.comes("s1");
  c.submit("q1");
  BOOST_TEST(cluster::cycle(all) == 0u);
  const auto number = cluster::cycle(s1);
  BOOST_TEST(number != 0u);
  c.submit("workq");
  BOOST_TEST(cluster::cycle(all) != 0u);
  // Another one of its own waits for the end of the first (MS-91); that of the other does not.
  c.submit("q1");
  BOOST_TEST(cluster::cycle(s1) == 0u);
  c.cycle_ends(s1, number);
  BOOST_TEST(cluster::cycle(s1) == number + 1);
}

BOOST_AUTO_TEST_CASE(who_sets_scheduling_is_answered_when_the_server_and_the_scheduler_have_it) {  // MS-26, MS-66
  using schema::StreamKind;
  cluster c;
  const auto on_server = c.manage(schema::ManageVerb::SET, schema::ObjectKind::SERVER, "", {{"scheduler_iteration", "60"}});
  BOOST_TEST(c.changed(StreamKind::SERVER, "scheduler_iteration") != 0u);
  BOOST_TEST(c.changed(StreamKind::SCHEDULER, "scheduler_iteration") > c.changed(StreamKind::SERVER, "scheduler_iteration"));
  BOOST_TEST(on_server >= c.changed(StreamKind::SCHEDULER, "scheduler_iteration"));
  const auto on_scheduler = c.manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "default", {{"scheduling", "False"}});
  BOOST_TEST(on_scheduler >= c.changed(StreamKind::SERVER, "scheduling"));
  BOOST_TEST(c.changed(StreamKind::SERVER, "scheduling") > c.changed(StreamKind::SCHEDULER, "scheduling"));
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_does_not_answer_keeps_nobody_waiting) {  // MS-91
  cluster c;
  const auto all = c.comes("default"), s1 = c.comes("s1");
  c.submit("q1");
  BOOST_TEST(cluster::cycle(s1) != 0u);  // and is silent from now on
  for (int i = 0; i < 3; ++i) {
    c.submit("workq");
    const auto number = cluster::cycle(all);
    BOOST_TEST(number != 0u);
    c.cycle_ends(all, number);
  }
}

BOOST_AUTO_TEST_CASE(its_going_is_nothing_to_the_others) {
  cluster c;
  const auto all = c.comes("default"), s1 = c.comes("s1");
  c.goes(s1);
  BOOST_TEST(c.last_word_of("s1") == "stopped");
  BOOST_TEST(c.last_word_of("default") == "started");
  c.submit("workq");
  BOOST_TEST(cluster::cycle(all) != 0u);
}

BOOST_AUTO_TEST_CASE(one_of_each_name_is_connected) {  // 15230
  cluster c;
  const auto first = c.comes("s1"), second = c.scheduler_comes("s1");
  BOOST_TEST(cluster::refusal(second) == "Scheduler already connected (15230)");
  BOOST_TEST(second->closed == "Scheduler already connected (15230)");
  // What it says all the same is not heard, and its going is nothing to the first.
  c.submit("q1");
  const auto number = cluster::cycle(first);
  c.cycle_ends(second, number);
  c.goes(second);
  BOOST_TEST(c.last_word_of("s1") == "started");
  c.submit("q1");
  BOOST_TEST(cluster::cycle(first) == 0u);
  c.cycle_ends(first, number);
  BOOST_TEST(cluster::cycle(first) != 0u);
}

BOOST_AUTO_TEST_CASE(the_next_one_comes_when_the_first_is_gone) {
  cluster c;
  const auto first = c.comes("s1");
  c.goes(first);
  const auto second = c.comes("s1");
  c.goes(first);  // told late, or twice
  BOOST_TEST(c.last_word_of("s1") == "started");
  BOOST_TEST(second->closed == "");
  c.submit("q1");
  BOOST_TEST(cluster::cycle(second) != 0u);
}

BOOST_AUTO_TEST_CASE(a_scheduler_is_who_its_certificate_says) {
  cluster c;
  const auto all = c.comes("default");
  const auto pretender = std::make_shared<test::fake_peer>(wire::identity::kind::scheduler, "default");
  c.says(pretender, schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initHello().setName("s1"); }));
  BOOST_TEST(pretender->closed == "the certificate is that of scheduler default, not of s1");
  const auto nobody = c.scheduler_comes("s9");
  BOOST_TEST(nobody->closed == "Unknown Scheduler s9");
  c.goes(pretender);
  c.goes(nobody);
  c.submit("workq");
  BOOST_TEST(cluster::cycle(all) != 0u);
}

BOOST_AUTO_TEST_CASE(one_without_a_partition_or_with_scheduling_off_gets_no_cycle) {  // MS-36
  cluster c;
  c.manage(schema::ManageVerb::CREATE, schema::ObjectKind::SCHEDULER, "s2", {{"scheduling", "True"}});
  const auto s1 = c.comes("s1"), s2 = c.comes("s2");
  c.manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "s1", {{"scheduling", "False"}});
  (void)cluster::cycle(s1);
  c.submit("q1");
  c.submit("workq");
  BOOST_TEST(cluster::cycle(s1) == 0u);
  BOOST_TEST(cluster::cycle(s2) == 0u);
  c.manage(schema::ManageVerb::SET, schema::ObjectKind::SCHEDULER, "s1", {{"scheduling", "True"}});
  BOOST_TEST(cluster::cycle(s1) != 0u);  // MS-89
}

BOOST_AUTO_TEST_CASE(a_job_whose_scheduler_is_not_there_is_not_run_by_hand) {  // MS-68
  cluster c;
  const auto all = c.comes("default");
  const auto mine = c.submit("workq"), other = c.submit("q1");
  BOOST_TEST(c.qrun(other) == std::to_string(values::pbs_error::no_scheduler));
  BOOST_TEST(c.qrun(mine) == "no answer");  // the scheduler was asked
  c.manage(schema::ManageVerb::SET, schema::ObjectKind::QUEUE, "q1", {{"partition", "P9"}});
  BOOST_TEST(c.qrun(other) == std::to_string(values::pbs_error::no_scheduler));  // nobody's
}

BOOST_AUTO_TEST_CASE(who_is_deleted_is_let_go) {
  cluster c;
  const auto s1 = c.comes("s1");
  c.manage(schema::ManageVerb::DELETE, schema::ObjectKind::SCHEDULER, "s1");
  BOOST_TEST(s1->closed == "its scheduler object was deleted");
}

BOOST_AUTO_TEST_SUITE_END()
