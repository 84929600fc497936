// Who is asked about a job array and its subjobs: the array, a subjob that runs, or each of several (docs/design/0057-job-arrays.md).
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/values/job_id.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

// Array 0 of alice's, with subjobs 1 to 9, and her job 1; host n1 has four cpus.
struct site : test::whole_server {
  std::shared_ptr<test::fake_peer> scheduler;

  site() {
    create_node("n1");
    hello_of("n1");
    submit("1-9");
    submit("");
    scheduler = scheduler_comes("default");
  }
  void submit(const std::string& indices) {
    ask([&](schema::Request::Builder r) {
      auto q = r.initQueueJob();
      q.setSubmitHost("borg");
      if (indices.empty()) return;
      auto a = q.initAttributes(1)[0];
      a.setName("array_indices_submitted");
      a.setValue(indices);
    },
        "alice");
  }
  template <class Look>
  void each_event(Look look) const {
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (r->event().isJob()) look(r->get().getStream(), r->event().getJob());
      return true;
    });
  }
  // The newest one.
  std::uint64_t stream_of(std::uint64_t number) const {
    std::uint64_t stream = 0;
    each_event([&](std::uint64_t at, schema::JobEvent::Reader e) {
      if (e.isQueued() && e.getQueued().getNumber() == number) stream = at;
    });
    BOOST_REQUIRE(stream != 0);
    return stream;
  }
  static std::uint64_t subjob(std::uint32_t index) { return values::subjob_number(0, index); }
  void begin(std::uint32_t index) {
    says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           auto run = m.initRun();
           run.setJob(stream_of(0));
           run.setExecVnode("(n1:ncpus=1)");
           run.setExecHost("n1/0");
           run.initHosts(1).set(0, "n1");
           run.setOfArray(true);
           run.setIndex(index);
         }));
    BOOST_REQUIRE(events_of(subjob(index)).starts_with("queued assigned"));
  }
  // What has happened to it: "queued subjobBegan".
  std::string events_of(std::uint64_t number) const {
    const auto stream = stream_of(number);
    std::string names;
    each_event([&](std::uint64_t at, schema::JobEvent::Reader e) {
      if (at == stream) names += (names.empty() ? "" : " ") + test::name_of(e.which());
    });
    return names;
  }
  // 0: it was done.
  template <class Fill>
  std::uint32_t code_of(Fill fill, const std::string& user = "alice") {
    const auto peer = ask(fill, user);
    BOOST_REQUIRE(!peer->sent.empty());
    const auto reply = peer->sent.back().template root<schema::Reply>();
    return reply.isRejected() ? reply.getRejected().getCode() : 0;
  }
  std::uint32_t remove(const std::string& id) {
    return code_of([&](schema::Request::Builder r) { r.initDeleteJob().setJob(id); });
  }
  std::uint32_t hold(const std::string& id) {
    return code_of([&](schema::Request::Builder r) {
      auto h = r.initHoldJob();
      h.setJob(id);
      h.initHolds(1).set(0, schema::HoldType::USER);
    });
  }
  std::uint32_t signal(const std::string& id) {
    return code_of([&](schema::Request::Builder r) {
      auto s = r.initSignalJob();
      s.setJob(id);
      s.setSignal("HUP");
    });
  }
  std::uint32_t rerun(const std::string& id) {
    return code_of([&](schema::Request::Builder r) { r.initRerunJob().setJob(id); }, "root");
  }
};

constexpr std::uint32_t unknown = 15001, invalid = 15004, bad_state = 15016, finished_subjob = 15159;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(array_routes, site)

BOOST_AUTO_TEST_CASE(an_array_is_named_with_brackets_and_any_other_job_without) {
  for (const char* id : {"0", "0.borg", "1[]", "1[].borg", "1[3]", "1[1-2]", "7[]", "7[1]"}) {
    BOOST_TEST(remove(id) == unknown, id);
    BOOST_TEST(hold(id) == unknown, id);
    BOOST_TEST(signal(id) == unknown, id);
    BOOST_TEST(rerun(id) == unknown, id);
  }
  BOOST_TEST(hold("1") == 0u);
  BOOST_TEST(hold("0[].borg") == 0u);
  BOOST_TEST(events_of(0) == "queued held");
  BOOST_TEST(events_of(1) == "queued held");
}

BOOST_AUTO_TEST_CASE(what_is_asked_of_whole_arrays_is_asked_of_no_subjob) {
  begin(3);
  const auto before = events_of(subjob(3));
  for (const char* id : {"0[3]", "0[4]", "0[3-5]", "0[77]"}) {
    BOOST_TEST(hold(id) == invalid, id);
    BOOST_TEST(code_of([&](schema::Request::Builder r) { r.initReleaseJob().setJob(id); }) == invalid, id);
    BOOST_TEST(code_of([&](schema::Request::Builder r) {
                 auto m = r.initMoveJob();
                 m.setJob(id);
                 m.setDestination("workq");
               }) == invalid,
               id);
    BOOST_TEST(code_of([&](schema::Request::Builder r) {
                 auto a = r.initAlterJob();
                 a.setJob(id);
                 auto c = a.initChanges(1)[0];
                 c.setName("Priority");
                 c.setValue("5");
               }) == invalid,
               id);
  }
  BOOST_TEST(events_of(subjob(3)) == before);
  BOOST_TEST(events_of(0) == "queued subjobBegan");
}

BOOST_AUTO_TEST_CASE(a_subjob_that_runs_is_asked_itself_and_its_array_for_any_other) {
  begin(3);
  BOOST_TEST(remove("0[3]") == 0u);
  BOOST_TEST(events_of(subjob(3)).find("deleteRequested") != std::string::npos);
  BOOST_TEST(events_of(0) == "queued subjobBegan");
  BOOST_TEST(remove("0[4].borg") == 0u);
  BOOST_TEST(events_of(0) == "queued subjobBegan subjobsAsked");
  BOOST_TEST(remove("0[4]") == finished_subjob);
  BOOST_TEST(remove("0[77]") == invalid);
  BOOST_TEST(signal("0[5]") == bad_state);
  BOOST_TEST(signal("0[77]") == unknown);
  BOOST_TEST(rerun("0[5]") == bad_state);
}

BOOST_AUTO_TEST_CASE(a_range_is_asked_of_the_array_which_tells_those_that_run) {
  for (const std::uint32_t index : {1u, 3u, 5u}) begin(index);
  BOOST_TEST(remove("0[2-4]") == 0u);
  BOOST_TEST(events_of(0).ends_with("subjobsAsked"));
  BOOST_TEST(events_of(subjob(3)).find("deleteRequested") != std::string::npos);
  for (const std::uint32_t index : {1u, 5u}) BOOST_TEST(events_of(subjob(index)).find("deleteRequested") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_signal_goes_to_each_that_runs) {
  const auto got = [this](std::uint32_t index) {
    const auto all = events_of(subjob(index));
    std::size_t times = 0;
    for (auto at = all.find("signalled"); at != std::string::npos; at = all.find("signalled", at + 1)) ++times;
    return times;
  };
  BOOST_TEST(signal("0[1-3]") == bad_state);
  BOOST_TEST(signal("0[]") == bad_state);
  for (const std::uint32_t index : {1u, 3u, 5u}) begin(index);
  BOOST_TEST(signal("0[1-3]") == 0u);
  BOOST_TEST(got(1) == 1u);
  BOOST_TEST(got(3) == 1u);
  BOOST_TEST(got(5) == 0u);
  BOOST_TEST(signal("0[1-9:4]") == 0u);  // 1, 5 and 9
  BOOST_TEST(got(1) == 2u);
  BOOST_TEST(got(3) == 1u);
  BOOST_TEST(got(5) == 1u);
  BOOST_TEST(signal("0[6-9]") == bad_state);
  BOOST_TEST(signal("0[5]") == 0u);
  BOOST_TEST(got(5) == 2u);
  BOOST_TEST(signal("0[]") == 0u);
  for (const std::uint32_t index : {1u, 3u, 5u}) BOOST_TEST(got(index) == (index == 3 ? 2u : 3u), index);
}

// Its next run is a stream of its own, and what is asked goes there.
BOOST_AUTO_TEST_CASE(a_subjob_that_was_queued_again_is_asked_where_it_runs_then) {
  begin(3);
  const auto before = stream_of(subjob(3));
  BOOST_TEST(code_of(
                 [](schema::Request::Builder r) {
                   r.initRerunJob().setJob("0[3]");
                   r.getRerunJob().setForce(true);
                 },
                 "root") == 0u);
  BOOST_TEST(events_of(subjob(3)).ends_with("requeued forgotten"));
  BOOST_TEST(events_of(0) == "queued subjobBegan subjobLeft");
  BOOST_TEST(signal("0[3]") == bad_state);
  begin(3);
  BOOST_TEST(stream_of(subjob(3)) != before);
  BOOST_TEST(signal("0[3]") == 0u);
  BOOST_TEST(events_of(subjob(3)).ends_with("signalled"));
  restart();
  BOOST_TEST(signal("0[3]") == 0u);
  BOOST_TEST(events_of(subjob(3)).ends_with("signalled signalled"));
}

BOOST_AUTO_TEST_SUITE_END()
