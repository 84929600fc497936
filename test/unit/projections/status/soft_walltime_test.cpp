// estimated.soft_walltime: what a job is taken to run for, once it has run for its soft walltime (pbs guide: soft_walltime).
#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "events/attributes/ids.hpp"
#include "projections/status/query.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
namespace ids = attributes::job;

namespace {

constexpr std::uint64_t server = 1, queue = 2, job = 10;

struct story {
  projections::status status;
  test::told_records records;

  explicit story(const std::string& soft_walltime, const std::string& walltime = "") {
    std::vector<std::pair<std::string, std::string>> durations;
    if (!soft_walltime.empty()) durations.emplace_back("soft_walltime", soft_walltime);
    if (!walltime.empty()) durations.emplace_back("walltime", walltime);
    happens(server, [](auto e) { e.initServer().initStarted().setServerName("p1"); });
    happens(queue, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    happens(job, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId("1.p1");
      q.setNumber(1);
      q.setQueue("workq");
      auto list = q.initAttributes(static_cast<unsigned>(durations.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setName("Resource_List");
        list[i].setResource(durations[i].first);
        list[i].setValue(durations[i].second);
      }
    });
  }
  void happens(std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) { status.fold(records.next(stream, event)); }
  story& runs() {
    happens(job, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(p1:ncpus=1)");
    });
    return *this;
  }
  // So many seconds after the last event.
  std::string shown(std::int64_t later) const {
    const auto row = projections::job_row(status, *status.job(job), status.wall_ns() / 1'000'000'000 + later);
    return std::string(row.get(ids::estimated, "soft_walltime").value_or("-"));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_shown_from_the_moment_on_that_the_soft_walltime_is_over) {
  story s("00:10:00");
  BOOST_TEST(s.shown(3600) == "-");
  s.runs();
  BOOST_TEST(s.shown(0) == "-");
  BOOST_TEST(s.shown(599) == "-");
  BOOST_TEST(s.shown(600) == "00:20:00");
  BOOST_TEST(s.shown(1199) == "00:20:00");
  BOOST_TEST(s.shown(1200) == "00:30:00");
}

BOOST_AUTO_TEST_CASE(it_is_no_more_than_the_walltime) {
  BOOST_TEST(story("00:10:00", "00:25:00").runs().shown(1300) == "00:25:00");
  BOOST_TEST(story("", "00:25:00").runs().shown(1300) == "-");
}

BOOST_AUTO_TEST_CASE(who_asks_for_it_is_told) {
  story s("00:00:01");
  s.runs();
  const auto told = [&](const char* attribute) {
    test::question q;
    q.names = {"1.p1"};
    q.wanted = {attribute};
    return test::answer(s.status, q);
  };
  BOOST_TEST(told("estimated").starts_with("1.p1:\n"));
  s.happens(server, [](auto e) {  // a second goes by
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("comment");
    c.setValue("later");
  });
  BOOST_TEST(told("estimated").starts_with("1.p1: estimated.soft_walltime=00:00:02\n"));
  BOOST_TEST(told("Job_Name").find("soft_walltime") == std::string::npos);
}
