// Eligible time, from a status that folds events a second apart: what PBS's transcripts (scene Y7) show of each state.
#include "projections/status/eligible_time.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

#include "events/attributes/ids.hpp"
#include "projections/scheduling/scheduling_rows.hpp"
#include "projections/status/query.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
namespace ids = attributes::job;

namespace {

constexpr std::uint64_t server = 1, queue = 2, scheduler = 3, job = 10;

struct story {
  projections::status status;
  test::told_records records;

  story() {
    happens(server, [](auto e) { e.initServer().initStarted().setServerName("p1"); });
    happens(queue, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    happens(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  }
  void happens(std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) { status.fold(records.next(stream, event)); }
  void passes(int seconds) {
    for (; seconds > 0; --seconds) set("comment", std::to_string(seconds).c_str());
  }
  void set(const char* name, const char* value) {
    happens(server, [&](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName(name);
      c.setValue(value);
    });
  }
  void submit(bool held = false, const char* indices = "") {
    happens(job, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId("1.p1");
      q.setNumber(1);
      q.setQueue("workq");
      q.setIndices(indices);
      if (held) q.initHolds(1).set(0, schema::HoldType::USER);
    });
  }
  void begins(std::uint32_t subjob) {
    happens(job, [&](auto e) {
      auto b = e.initJob().initSubjobBegan();
      b.setIndex(subjob);
      b.setRun(1);
    });
  }
  void hold() {
    happens(job, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  }
  void release() {
    happens(job, [](auto e) { e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::USER); });
  }
  void reason(schema::Why::Kind kind) {
    happens(scheduler, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, "Not Running: because");
      r.initWhys(1)[0].setKind(kind);
      r.initJobs(1)[0].setJob(job);
    });
  }
  void run() {
    happens(job, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(p1:ncpus=1)");
    });
  }
  // `until`: it is not to run before, seconds since 1970.
  void alter(const char* value, const char* until = nullptr) {
    happens(job, [&](auto e) {
      auto c = e.initJob().initAltered().initChanges(until ? 2 : 1);
      c[0].setName("eligible_time");
      c[0].setValue(value);
      if (!until) return;
      c[1].setName("Execution_Time");
      c[1].setValue(until);
    });
  }
  // "eligible_time accrue_type", as the job shows them so many seconds after the last event.
  std::string shown(std::int64_t later = 0) const {
    const auto row = projections::job_row(status, *status.job(job), status.wall_ns() / 1'000'000'000 + later);
    return std::string(row.get(ids::eligible_time).value_or("-")) + " " + std::string(row.get(ids::accrue_type).value_or("-"));
  }
};

using kind = schema::Why::Kind;

}  // namespace

BOOST_AUTO_TEST_CASE(it_grows_while_the_job_waits_for_its_turn) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit();
  BOOST_TEST(s.shown() == "00:00:00 2");
  BOOST_TEST(s.shown(100) == "00:01:40 2");
  s.passes(9);
  s.run();
  BOOST_TEST(s.shown(100) == "00:00:10 3");
}

BOOST_AUTO_TEST_CASE(what_began_while_the_clock_was_ahead_is_counted_from_when_it_went_back) {
  story s;
  s.set("eligible_time_enable", "True");
  s.records.ahead_s = 604'800;
  s.submit();
  s.records.ahead_s = 0;
  s.happens(scheduler + 1, [](auto e) { e.initLog().initClockSteppedBack(); });
  BOOST_TEST(s.shown() == "00:00:00 2");
  s.passes(9);
  BOOST_TEST(s.shown(100) == "00:01:49 2");
  s.run();
  BOOST_TEST(s.shown(100) == "00:00:10 3");
}

BOOST_AUTO_TEST_CASE(an_array_is_eligible_while_its_subjobs_run) {  // also where max_run_subjobs keeps the others back
  story s;
  s.set("eligible_time_enable", "True");
  s.submit(false, "1-3");
  s.begins(1);
  BOOST_TEST(s.shown(9) == "00:00:10 2");
  s.reason(kind::LIMIT);
  BOOST_TEST(s.shown(9) == "00:00:02 1");
  s.begins(2);
  BOOST_TEST(s.shown(9) == "00:00:02 1");  // the others wait for what they waited for
  s.reason(kind::RESOURCES);
  BOOST_TEST(s.shown(9) == "00:00:11 2");
  s.begins(3);
  BOOST_TEST(s.shown(9) == "00:00:03 1");  // nothing of it waits
}

BOOST_AUTO_TEST_CASE(it_stands_still_while_the_job_is_held) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit(true);
  BOOST_TEST(s.shown(50) == "00:00:00 1");
  s.release();
  BOOST_TEST(s.shown(50) == "00:00:50 2");
  s.passes(2);
  s.hold();
  BOOST_TEST(s.shown(50) == "00:00:03 1");
  s.release();
  BOOST_TEST(s.shown(7) == "00:00:10 2");
}

BOOST_AUTO_TEST_CASE(it_stands_still_while_a_limit_keeps_the_job_back) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit();
  s.reason(kind::RESOURCES);
  BOOST_TEST(s.shown(9) == "00:00:10 2");
  s.reason(kind::LIMIT);
  BOOST_TEST(s.shown(9) == "00:00:02 1");
  s.reason(kind::LIMIT);
  s.alter("00:00:05");  // by hand: it stands there
  BOOST_TEST(s.shown(9) == "00:00:05 1");
  s.reason(kind::RESOURCES);
  BOOST_TEST(s.shown(9) == "00:00:14 2");
}

BOOST_AUTO_TEST_CASE(it_goes_on_from_what_it_was_given) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit();
  s.passes(20);
  s.alter("01:00:00");
  BOOST_TEST(s.shown() == "01:00:00 2");
  BOOST_TEST(s.shown(5) == "01:00:05 2");
}

BOOST_AUTO_TEST_CASE(what_it_is_given_counts_from_that_moment_also_when_it_stops_waiting) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit();
  s.passes(20);
  s.alter("00:00:10", "4102444800");
  BOOST_TEST(s.shown(5) == "00:00:10 1");
}

BOOST_AUTO_TEST_CASE(nothing_is_counted_and_nothing_shown_while_it_is_off) {
  story s;
  s.submit();
  s.passes(10);
  BOOST_TEST(s.shown() == "- -");
  s.set("eligible_time_enable", "True");
  BOOST_TEST(s.shown() == "00:00:00 2");
  s.passes(4);
  s.set("eligible_time_enable", "False");
  BOOST_TEST(s.shown(9) == "- -");
  s.passes(10);
  s.set("eligible_time_enable", "True");
  BOOST_TEST(s.shown() == "00:00:05 2");
}

BOOST_AUTO_TEST_CASE(a_scheduler_is_told_how_much_and_since_when) {
  story s;
  s.set("eligible_time_enable", "True");
  s.submit();
  s.passes(3);
  s.hold();
  const auto row = [&] {
    return schema::make<schema::SchedJob>([&](schema::SchedJob::Builder to) { projections::fill_job(to, s.status, *s.status.job(job)); });
  };
  BOOST_TEST((*row()).getEligibleSeconds() == 4);
  BOOST_TEST((*row()).getEligibleSinceNs() == 0);
  s.release();
  BOOST_TEST((*row()).getEligibleSeconds() == 4);
  BOOST_TEST((*row()).getEligibleSinceNs() == s.status.wall_ns());
}
