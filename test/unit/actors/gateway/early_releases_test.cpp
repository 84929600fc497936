// pbs_release_nodes in the first moments of a job's program, before the server has heard that it runs (RD-06).
#include <boost/test/unit_test.hpp>

#include <memory>

#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/model/limits.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// A job of alice's is on its way to n1: run 1 of 0.borg.
struct starting_job : test::whole_server {
  starting_job() {
    create_node("n1");
    mom = hello_of("n1");
    ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice");
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serial = r->get().getStream();
      return true;
    });
    run_on(serial, "n1");
  }
  peer_ptr release(bool in_job) {
    return ask([&](schema::Request::Builder r) {
      auto n = r.initReleaseNodes();
      n.setJob("0.borg");
      n.setAll();
      n.setInJob(in_job);
    },
               "alice");
  }
  template <class Fill>
  void mom_says(Fill fill) { says(mom, schema::make<schema::FromMom>(fill)); }
  void fill_ref(schema::RunRef::Builder ref) const {
    ref.setJobSerial(serial);
    ref.setRun(1);
    ref.setJob("0.borg");
  }
  void says_that_it_runs() {
    mom_says([&](schema::FromMom::Builder m) { fill_ref(m.initRunStarted().initRef()); });
  }
  void says_what_it_uses() {
    mom_says([&](schema::FromMom::Builder m) {
      auto u = m.initRunUsage();
      fill_ref(u.initRef());
      u.initHosts(1)[0].setHost("n1");
    });
  }
  void pass(std::int64_t seconds) {
    clock.ns += seconds * 1'000'000'000;
    system.scheduler().clock().advance_time(std::chrono::seconds(seconds));
    system.run();
  }
  static std::uint32_t code(const peer_ptr& asked) {
    BOOST_TEST_REQUIRE(asked->sent.size() == 1u);
    return asked->sent[0].root<schema::Reply>().getRejected().getCode();
  }

  peer_ptr mom;
  std::uint64_t serial = 0;
};

constexpr std::uint32_t bad_state = 15016, nothing_to_release = 15010;  // it has one host

}  // namespace

BOOST_FIXTURE_TEST_SUITE(early_releases, starting_job)

BOOST_AUTO_TEST_CASE(who_asks_in_the_job_waits_until_the_server_knows_that_it_runs) {
  const auto first = release(true);
  says_that_it_runs();
  const auto second = release(true);
  pass(1);
  BOOST_TEST(first->sent.empty());
  BOOST_TEST(second->sent.empty());
  says_what_it_uses();
  BOOST_TEST(code(first) == nothing_to_release);
  BOOST_TEST(code(second) == nothing_to_release);
  BOOST_TEST(code(release(true)) == nothing_to_release);  // at once
}

BOOST_AUTO_TEST_CASE(who_asks_from_outside_is_told_at_once) {  // RD-48, RD-51
  BOOST_TEST(code(release(false)) == bad_state);
  says_that_it_runs();
  BOOST_TEST(code(release(false)) == bad_state);
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_host_that_says_nothing) {
  const auto asked = release(true);
  pass(limits::start_word_s - 1);
  BOOST_TEST(asked->sent.empty());
  pass(1);
  BOOST_TEST(code(asked) == bad_state);
  says_that_it_runs();
  says_what_it_uses();
  pass(limits::start_word_s);
  BOOST_TEST(asked->sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_job_that_is_not_to_run) {
  const auto asked = release(true);
  ask([](schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }, "alice");
  BOOST_TEST(code(asked) == bad_state);
}

BOOST_AUTO_TEST_SUITE_END()
