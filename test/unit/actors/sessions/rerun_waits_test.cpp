// qrerun is answered when the job is queued again, or when its time is over (pbs guide: job_requeue_timeout).
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>

#include "actors/sessions/rerun_waits.hpp"
#include "test/support/told_records.hpp"

using namespace annals;

namespace {

struct kept_answer final : actors::reply_to {
  std::optional<std::uint64_t> done_at;
  std::string refused_with;
  void done(std::uint64_t sequence, const std::string&) override { done_at = sequence; }
  void refused(std::uint64_t, const model::rejection& why) override { refused_with = std::to_string(why.code) + " " + why.text; }
};

// A job that runs and is to be rerun.
struct rerun {
  static constexpr std::uint64_t stream = 10;
  projections::status now;
  test::told_records records;
  actors::rerun_waits waits;
  std::shared_ptr<kept_answer> answer = std::make_shared<kept_answer>();

  rerun() {
    happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    happen(stream, [](auto e) {
      auto j = e.initJob().initQueued();
      j.setId("1.borg");
      j.setNumber(1);
      j.setOwner("alice@borg");
    });
    happen(stream, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.initHosts(1).set(0, "n1");
    });
    happen(stream, [](auto e) { e.initJob().initStarted().setRun(1); });
    happen(stream, [](auto e) { e.initJob().initRerunRequested(); });
  }
  template <class Fill>
  void happen(std::uint64_t of, const Fill& fill) {
    now.fold(records.next(of, fill));
  }
  void ends_and_is_queued_again() {
    happen(stream, [](auto e) { e.initJob().initExited().setRun(1); });
    happen(stream, [](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode("(n1:ncpus=1)");
      r.initHosts(1).set(0, "n1");
    });
    happen(stream, [](auto e) { e.initJob().initRequeued(); });
  }
  std::uint64_t wait() { return waits.add({stream, answer, records.sequence}, now); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rerun_waits, rerun)

BOOST_AUTO_TEST_CASE(it_is_answered_when_the_job_is_queued_again) {
  const auto number = wait();
  waits.look(now);
  BOOST_TEST(!answer->done_at);
  ends_and_is_queued_again();
  waits.look(now);
  BOOST_TEST((answer->done_at == records.sequence));
  BOOST_TEST(waits.empty());
  waits.over(number, now);
  BOOST_TEST(answer->refused_with == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_queued_again_already_is_not_waited_for) {
  ends_and_is_queued_again();
  wait();
  BOOST_TEST(answer->done_at.has_value());
}

BOOST_AUTO_TEST_CASE(it_is_refused_when_its_time_is_over) {
  const auto number = wait();
  waits.over(number, now);
  BOOST_TEST(answer->refused_with == "15011 Response timed out. Job rerun request still in progress for");
  BOOST_TEST(waits.empty());
}

BOOST_AUTO_TEST_CASE(that_is_after_45_seconds_or_as_long_as_the_server_has_it) {
  BOOST_TEST(actors::longest_rerun_wait(now).count() == 45);
  happen(1, [](auto e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("job_requeue_timeout");
    c.setValue("00:00:07");
  });
  BOOST_TEST(actors::longest_rerun_wait(now).count() == 7);
}

BOOST_AUTO_TEST_CASE(nobody_is_answered_before_his_order_is_known) {
  ends_and_is_queued_again();
  waits.add({stream, answer, records.sequence + 1}, now);
  BOOST_TEST(!waits.empty());
  happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
  waits.look(now);
  BOOST_TEST(answer->done_at.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
