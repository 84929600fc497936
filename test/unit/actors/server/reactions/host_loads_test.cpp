// $max_load with suspend: who is told of the load of which host (docs/design/0066-load-of-hosts.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

struct loaded : test::watched<reactions::host_loads> {
  std::uint64_t n1 = host("n1"), n2 = host("n2");

  loaded() {
    says(n1, "");
    says(n2, "");
  }
  // "": it is not busy; "True": it is; "suspend": and suspends jobs.
  void says(std::uint64_t host, const char* busy) {
    write(host, model::make_event([&](auto e) {
            auto a = e.initHost().initCameUp().initVnodes(1)[0].initAttributes(1)[0];
            a.setName(*busy ? "busy" : "sharing");
            a.setValue(busy);
          }));
  }
  std::uint64_t started(std::vector<const char*> hosts) {
    const auto job = assigned(std::move(hosts));
    begins(job);
    return job;
  }
  void begins(std::uint64_t job) {
    write(job, model::make_event([](auto e) { e.initJob().initStarted().setRun(1); }));
  }
  void knows(std::uint64_t job, const char* host, bool stopped) {
    write(job, model::make_event([&](auto e) {
            auto s = e.initJob().initSignalled();
            s.setRun(1);
            s.setLoadHost(host);
            s.setStopped(stopped);
          }));
  }
  const model::host_load& told(std::size_t i = 0) const { return std::get<model::host_load>(ordered<reactions::tell_job>(i).command); }
};

std::string on(std::uint64_t job, const char* host) { return test::of_job(job) + " on " + host; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_loads, loaded)

BOOST_AUTO_TEST_CASE(jobs_of_a_host_that_suspends_are_told_until_they_know) {
  const auto here = started({"n1"}), wide = started({"n2", "n1"}), elsewhere = started({"n2"});
  says(n1, "True");
  BOOST_TEST(due() == targets{});  // busy, and no more
  says(n1, "suspend");
  BOOST_TEST(due() == (targets{on(here, "n1"), on(wide, "n1")}));
  BOOST_TEST(told().suspends);
  BOOST_TEST(told().host == "n1");
  knows(here, "n1", true);
  later(10);
  BOOST_TEST(due() == targets{on(wide, "n1")});  // again
  knows(wide, "n1", true);
  later(10);
  BOOST_TEST(due() == targets{});
  says(n1, "");
  BOOST_TEST(due() == (targets{on(here, "n1"), on(wide, "n1")}));
  BOOST_TEST(!told().suspends);
  knows(here, "n1", false);
  knows(wide, "n1", false);
  later(10);
  BOOST_TEST(due() == targets{});
  (void)elsewhere;
}

BOOST_AUTO_TEST_CASE(a_run_that_begins_there_is_told_when_its_program_runs) {
  says(n1, "suspend");
  const auto job = assigned({"n1"});
  BOOST_TEST(due() == targets{});
  begins(job);
  BOOST_TEST(due() == targets{on(job, "n1")});
  write(job, model::make_event([](auto e) { e.initJob().initExited().setRun(1); }));
  later(10);
  BOOST_TEST(due() == targets{});  // it needs nothing any more
}

BOOST_AUTO_TEST_CASE(a_host_that_is_away_is_what_it_said_last) {
  const auto job = started({"n1"});
  says(n1, "suspend");
  knows(job, "n1", true);
  down(n1);
  BOOST_TEST(due() == targets{});
  says(n1, "");
  BOOST_TEST(due() == targets{on(job, "n1")});
}

BOOST_AUTO_TEST_CASE(a_host_that_the_run_has_left_or_that_is_removed_stops_it_no_longer) {
  const auto job = started({"n1", "n2"}), other = started({"n1"});
  says(n2, "suspend");
  knows(job, "n2", true);
  handed_back(job, "n2");
  BOOST_TEST(due() == targets{on(job, "n2")});
  BOOST_TEST(!told().suspends);
  knows(job, "n2", false);
  says(n1, "suspend");
  knows(job, "n1", true);
  knows(other, "n1", true);
  remove(n1);
  BOOST_TEST(due() == (targets{on(job, "n1"), on(other, "n1")}));
  handed_back(job, "n1");
  handed_back(other, "n1");
  later(10);
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_SUITE_END()
