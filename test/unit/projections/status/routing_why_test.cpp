// Why jobs stay in routing queues.
#include "projections/status/routing_why.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "test/support/told_records.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;

namespace {

using lines = std::vector<std::string>;
struct given {
  const char *name, *value;
  const char* resource = "";
};
using given_list = std::vector<given>;

constexpr std::uint64_t server = 1, rq = 2, short_queue = 3, long_queue = 4, hook = 5, job = 10;

// "rq" leads to "short", for an hour at most, then to "long". Job 1 asks for two hours.
struct routed {
  projections::status now;
  test::told_records records;

  routed() {
    happen(server, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    queue(rq, "rq", {{"queue_type", "Route"}, {"route_destinations", "short,long"}, {"enabled", "True"}, {"started", "True"}});
    for (const auto& [stream, name] : {std::pair(short_queue, "short"), std::pair(long_queue, "long")})
      queue(stream, name, {{"queue_type", "Execution"}, {"enabled", "True"}, {"started", "True"}});
    set(short_queue, {{"resources_max", "01:00:00", "walltime"}});
  }
  void happen(std::uint64_t stream, const std::function<void(schema::Event::Builder)>& fill) { now.fold(records.next(stream, fill)); }
  template <class List>
  static void fill(List list, const given_list& from) {
    for (unsigned i = 0; i < from.size(); ++i) {
      list[i].setName(from[i].name);
      list[i].setResource(from[i].resource);
      list[i].setValue(from[i].value);
    }
  }
  void queue(std::uint64_t stream, const char* name, const given_list& attributes) {
    happen(stream, [&](auto e) { e.initQueue().initCreated().setName(name); });
    set(stream, attributes);
  }
  void set(std::uint64_t queue, const given_list& changes) {
    happen(queue, [&](auto e) { fill(e.initQueue().initChanged().initChanges(static_cast<unsigned>(changes.size())), changes); });
  }
  void submitted(bool is_held = false, std::int64_t wait_until_s = 0) {
    happen(job, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId("1.borg");
      q.setNumber(1);
      q.setOwner("ann@borg");
      q.setEuser("ann");
      q.setQueue("rq");
      q.setExecutionTime(wait_until_s);
      if (is_held) q.initHolds(1).set(0, schema::HoldType::USER);
      fill(q.initAttributes(4), {{"queue_type", "R"},
                                 {"Resource_List", "02:00:00", "walltime"},
                                 {"Resource_List", "1:ncpus=1", "select"},
                                 {"Resource_List", "pack", "place"}});
    });
  }
  lines told() const { return projections::why_not_routed(now, *now.job(job)); }
};

const std::string every_30 = "It is tried again every 30 seconds (route_retry_time).";
const std::string too_long = "Destination short refuses it for good: Job violates queue and/or server resource limits.";
const auto all_equal = boost::test_tools::per_element();

}  // namespace

BOOST_FIXTURE_TEST_SUITE(why_jobs_stay_in_routing_queues, routed)

BOOST_AUTO_TEST_CASE(each_destination_says_why_it_does_not_take_the_job) {
  set(long_queue, {{"enabled", "False"}});
  submitted();
  const std::string closed = "Destination long refuses it now: Queue is not enabled.";
  BOOST_TEST(told() == (lines{too_long, closed, every_30}), all_equal);
  set(rq, {{"route_destinations", "nosuchq,long@elsewhere"}, {"route_retry_time", "1"}, {"route_lifetime", "600"}});
  BOOST_TEST(told() == (lines{"Destination nosuchq refuses it for good: Unknown queue.",
                              "Destination long@elsewhere refuses it for good: Access from host not allowed, or unknown host.",
                              "It is tried again every second (route_retry_time).",
                              "It ends when it has been in rq for 600 seconds (route_lifetime)."}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(what_only_the_ledger_or_a_hook_knows_is_named) {
  submitted();
  BOOST_TEST(told() == (lines{too_long, "Destination long takes such jobs.", every_30}), all_equal);
  set(long_queue, {{"max_queued", "[o:PBS_ALL=1]"}});
  happen(hook, [](auto e) { e.initHook().initCreated().setName("h1"); });
  BOOST_TEST(told().at(1) == "Destination long takes such jobs, unless one of these refuses it now: max_queued of long.");
}

BOOST_AUTO_TEST_CASE(what_keeps_it_before_anything_is_tried_is_told) {
  set(rq, {{"started", "False"}});
  submitted(true, 2'000'000'000);
  BOOST_TEST(told() == (lines{"Queue rq is not started: it routes no job.", "Held jobs stay in rq: its route_held_jobs is not True.",
                              "Jobs that wait for their time stay in rq: its route_waiting_jobs is not True."}),
             all_equal);
  set(rq, {{"started", "True"}, {"route_held_jobs", "True"}, {"route_waiting_jobs", "True"}});
  BOOST_TEST(told().back() == every_30);
}

BOOST_AUTO_TEST_CASE(a_job_that_has_nowhere_to_go_says_so) {
  submitted();
  set(rq, {{"route_destinations", "rq"}});
  BOOST_TEST(told() == (lines{"It has nowhere to go: route_destinations of rq lead to no other than routing queues, which lead back.",
                              "Destination rq leads back, and is passed over.", every_30}),
             all_equal);
  set(rq, {{"route_destinations", "rq,long"}});
  BOOST_TEST(told() == (lines{"Destination rq leads back, and is passed over.", "Destination long takes such jobs.", every_30}), all_equal);
  happen(rq, [](auto e) {
    auto c = e.initQueue().initChanged().initChanges(1)[0];
    c.setName("route_destinations");
    c.setOp(schema::AttributeOp::UNSET);
  });
  BOOST_TEST(told().at(0) == "It has nowhere to go: rq has no route_destinations.");
}

BOOST_AUTO_TEST_CASE(qstat_answers_with_it_for_jobs_that_wait_there_alone) {
  submitted();
  const auto answered = [&] { return test::answer(now, {.names = {"1.borg"}, .wanted = {"job_state"}, .why = true}); };
  BOOST_TEST(answered().find(" why=" + too_long + "\nDestination long") != std::string::npos, answered());
  BOOST_TEST(answered().find("off=") == std::string::npos, answered());  // no scheduler is asked
  happen(job, [](auto e) {
    auto m = e.initJob().initMoved();
    m.setQueue("long");
    fill(m.initChanges(1), {{"queue_type", "E"}});
  });
  BOOST_TEST(told().empty());
  BOOST_TEST(answered().find("Destination") == std::string::npos, answered());
}

BOOST_AUTO_TEST_SUITE_END()
