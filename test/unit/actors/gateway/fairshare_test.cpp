// pbsfs at the server: who looks, who changes, and what a restart leaves.
#include <boost/test/unit_test.hpp>

#include <map>

#include "events/model/scheduler/fairshare.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct pbsfs {
  whole_server server;

  schema::sealed_message ask(const std::function<void(schema::Fairshare::Builder)>& fill, const std::string& user = "root",
                             const std::string& scheduler = "default") {
    const auto peer = server.ask(
        [&](schema::Request::Builder r) {
          r.setId(1);
          auto f = r.initFairshare();
          f.setScheduler(scheduler);
          fill(f);
        },
        user);
    BOOST_REQUIRE(peer->sent.size() == 1u);
    return peer->sent[0];
  }
  static std::uint32_t code(const schema::sealed_message& m) {
    const auto r = m.root<schema::Reply>();
    return r.isRejected() ? r.getRejected().getCode() : 0;
  }
  std::uint32_t set(const std::string& entity, double usage, const std::string& user = "root", const std::string& scheduler = "default") {
    return code(ask(
        [&](schema::Fairshare::Builder f) {
          auto s = f.initSet();
          s.setEntity(entity);
          s.setUsage(usage);
        },
        user, scheduler));
  }
  std::map<std::string, double> shown(const std::string& scheduler = "default") {
    const auto reply = ask([](schema::Fairshare::Builder f) { f.setShow(); }, "root", scheduler);
    std::map<std::string, double> all;
    for (auto u : reply.root<schema::Reply>().getFairshare().getUsages()) all[schema::str(u.getEntity())] = u.getUsage();
    return all;
  }
};

using usages = std::map<std::string, double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(fairshare_requests)

BOOST_AUTO_TEST_CASE(usage_is_set_shown_decayed_and_trimmed) {  // MS-108, MS-113
  pbsfs p;
  BOOST_TEST(p.shown().empty());
  BOOST_TEST(p.set("user1", 100) == 0u);
  BOOST_TEST(p.set("user2", 30) == 0u);
  BOOST_TEST((p.shown() == usages{{"user1", 100}, {"user2", 30}}));
  BOOST_TEST(p.code(p.ask([](schema::Fairshare::Builder f) { f.setDecay(); })) == 0u);
  BOOST_TEST((p.shown() == usages{{"user1", 50}, {"user2", 15}}));
  BOOST_TEST(p.code(p.ask([](schema::Fairshare::Builder f) { f.initTrim(1).set(0, "user2"); })) == 0u);
  BOOST_TEST((p.shown() == usages{{"user2", 15}}));
  p.server.restart();
  BOOST_TEST((p.shown() == usages{{"user2", 15}}));
}

BOOST_AUTO_TEST_CASE(why_is_answered_from_the_log) {
  pbsfs p;
  p.set("user1", 100);
  const auto reply = p.ask([](schema::Fairshare::Builder f) { f.setWhy("user1"); });
  const auto jobs = reply.root<schema::Reply>().getFairshare().getJobs();
  BOOST_REQUIRE(jobs.size() == 1u);
  BOOST_TEST(schema::str(jobs[0].getJob()) == "set by root@borg");
  BOOST_TEST(jobs[0].getCounts() == 100);
}

BOOST_AUTO_TEST_CASE(each_scheduler_has_its_own) {  // MS-107, MS-108, MS-111
  pbsfs p;
  p.server.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::CREATE);
    m.setKind(schema::ObjectKind::SCHEDULER);
    m.setName("s2");
  });
  BOOST_TEST(p.set("user1", 10) == 0u);
  BOOST_TEST(p.set("user1", 20, "root", "s2") == 0u);
  BOOST_TEST((p.shown() == usages{{"user1", 10}}));
  BOOST_TEST((p.shown("s2") == usages{{"user1", 20}}));
  const auto unknown = p.set("user1", 1, "root", "nosuch");
  BOOST_TEST(unknown != 0u);
  for (const auto& fill : std::vector<std::function<void(schema::Fairshare::Builder)>>{
           [](schema::Fairshare::Builder f) { f.setShow(); }, [](schema::Fairshare::Builder f) { f.setWhy("user1"); },
           [](schema::Fairshare::Builder f) { f.setDecay(); }, [](schema::Fairshare::Builder f) { f.initTrim(0); }})
    BOOST_TEST(p.code(p.ask(fill, "root", "nosuch")) == unknown);
}

BOOST_AUTO_TEST_CASE(a_scheduler_says_how_usage_is_counted) {
  pbsfs p;
  p.server.says(p.server.scheduler_comes("default"), schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) {
                  model::write_fairshare_policy({true, "queue", "ncpus*walltime", 60, 0.25}, m.initFairshare());
                }));
  p.server.restart();
  p.set("workq", 100);
  p.ask([](schema::Fairshare::Builder f) { f.setDecay(); });
  BOOST_TEST((p.shown() == usages{{"workq", 25}}));
  const auto reply = p.ask([](schema::Fairshare::Builder f) { f.setShow(); });
  const auto policy = reply.root<schema::Reply>().getFairshare().getPolicy();
  BOOST_TEST(policy.getOn());
  BOOST_TEST(schema::str(policy.getUsage()) == "ncpus*walltime");
}

BOOST_AUTO_TEST_SUITE_END()
