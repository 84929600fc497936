// What `pbs_audit cycle` tells.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "test/unit/tools/audit/startup_story.hpp"
#include "tools/audit/cycle_report.hpp"

using namespace annals;

namespace {

struct cycles : test::startup_story {
  std::uint64_t scheduler = write(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  std::uint64_t other = write(0, [](auto e) { e.initScheduler().initCreated().setName("night"); });

  void began(std::uint64_t of, std::uint64_t number) {
    write(of, [&](auto e) {
      auto c = e.initScheduler().initCycleBegan();
      c.setNumber(number);
      c.setTrigger("new job");
      c.setViewSequence(last());
      c.setWallNs(now_ns());
    });
  }
  void said(std::uint64_t of, std::vector<std::uint64_t> jobs, const std::string& behind) {
    write(of, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, "Not Running: too little");
      r.initWhys(1)[0].setKind(schema::Why::Kind::RESOURCES);
      r.getWhys()[0].setResource("ncpus");
      r.initBlockers(1).set(0, behind);
      auto list = r.initJobs(static_cast<unsigned>(jobs.size()));
      for (unsigned i = 0; i < list.size(); ++i) list[i].setJob(jobs[i]), list[i].setBehind(i == 0);
    });
  }
  void one_cycle() {
    const auto a = submit(), b = submit(), c = submit(), d = submit();
    began(other, 7);
    began(scheduler, 7);
    write(a, [](auto e) {
      auto x = e.initJob().initAssigned();
      x.setRun(1);
      x.setExecVnode("(n1:ncpus=2)");
      x.setScheduler("default");
      x.setWalltimeSeconds(1775);
    });
    write(a, [](auto e) {
      auto x = e.initJob().initVnodesTaken();
      x.setRun(1);
      x.setExecVnode("(n1:ncpus=1)");
    });
    write(scheduler, [&](auto e) {
      auto r = e.initScheduler().initProposalRefused();
      r.setJob(b);
      r.setCycle(7);
      r.setExecVnode("(n2)");
      r.setReason("a hook says no");
    });
    said(other, {d}, "1.borg");
    said(scheduler, {c}, "1.borg");
    said(scheduler, {d}, "1.borg");
    write(scheduler, [](auto e) {
      auto x = e.initScheduler().initCycleEnded();
      x.setNumber(7);
      x.setConsidered(4);
      x.setStarted(2);
    });
    began(scheduler, 8);
    said(scheduler, {a}, "9.borg");
  }
  std::string told(audit::cycle_wanted wanted) {
    std::string text;
    found = audit::tell_cycle(
                store, wanted,
                [&](const std::string& more) {
                  text += more;
                  return true;
                },
                [] { return true; })
                .found;
    return text;
  }
  bool found = false;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(one_cycle_of_a_log, cycles)

BOOST_AUTO_TEST_CASE(it_is_told_with_what_came_of_it) {
  one_cycle();
  const auto text = told({.number = 7});
  BOOST_TEST(found);
  for (const char* part :
       {"cycle 7 of scheduler default\n", "because of: new job", "considered 4, proposed 2",
        "started\n  1.borg on (n1:ncpus=2) for 00:29:35", "  1.borg goes on with (n1:ncpus=1)",
        "proposed, and refused\n  2.borg on (n2): a hook says no",
        "  2 jobs: Not Running: too little\n    3.borg (behind 1.borg), 4.borg (behind 1.borg)\n", "kind resources, resource ncpus"})
    BOOST_TEST(text.find(part) != std::string::npos, part << " in\n"
                                                          << text);
  BOOST_TEST(text.find("9.borg") == std::string::npos);  // the next cycle's
}

BOOST_AUTO_TEST_CASE(one_that_asked_programs_began_once) {
  const auto waits = submit();
  began(scheduler, 1);
  write(scheduler, [&](auto e) {
    auto c = e.initScheduler().initCycleBegan();
    c.setNumber(1);
    c.setTrigger("new job");
    c.setViewSequence(last());
    auto told = c.initDynamic(1)[0];
    told.setName("resources_available");
    told.setResource("lic");
    told.setValue("3");
  });
  said(scheduler, {waits}, "1.borg");
  const auto text = told({.number = 1});
  for (const char* part : {"because of: new job", "lic", "Not Running: too little"})
    BOOST_TEST(text.find(part) != std::string::npos, part << " in\n"
                                                          << text);
}

BOOST_AUTO_TEST_CASE(jobs_that_it_left_out_are_named) {
  const auto a = submit(), b = submit();
  write(scheduler, [&](auto e) {
    auto c = e.initScheduler().initCycleBegan();
    c.setNumber(2);
    c.setTrigger("runs refused");
    auto without = c.initWithout(2);
    without.set(0, a);
    without.set(1, b);
  });
  const auto text = told({.number = 2});
  BOOST_TEST(text.find("  without   1.borg, 2.borg: the cycle before could not run them\n") != std::string::npos, text);
  BOOST_TEST(nlohmann::json::parse(told({.number = 2, .json = true}))["without"] == (std::vector<std::string>{"1.borg", "2.borg"}));
}

BOOST_AUTO_TEST_CASE(schedulers_have_numbers_of_their_own) {
  one_cycle();
  BOOST_TEST(told({.scheduler = "night", .number = 7}).find("cycle 7 of scheduler night") == 0u);
  BOOST_TEST(told({.scheduler = "night", .number = 8}) == "");
  BOOST_TEST(!found);
}

BOOST_AUTO_TEST_CASE(as_json_every_job_is_named) {
  one_cycle();
  const auto said = nlohmann::json::parse(told({.number = 7, .json = true}));
  BOOST_TEST(said["started"][0]["job"] == "1.borg");
  BOOST_TEST(said["started"][0]["walltime"] == 1775);
  BOOST_TEST(said["started"][1]["execVnode"] == "(n1:ncpus=1)");
  BOOST_TEST(said["started"][1]["resumes"] == true);
  BOOST_TEST(said["refused"][0]["why"] == "a hook says no");
  BOOST_TEST(said["reasons"][0]["count"] == 2);
  BOOST_TEST(said["reasons"][0]["behind"]["3.borg"] == "1.borg");
  BOOST_TEST(said["considered"] == 4);
}

BOOST_AUTO_TEST_SUITE_END()
