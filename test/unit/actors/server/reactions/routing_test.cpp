// Jobs in routing queues are owed a move, when their queue is started, and an end, when their time there is over.
#include "actors/server/reactions/all.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct routed_jobs : watched<reactions::routing> {
  std::uint64_t rq = 0, workq = 0;

  routed_jobs() {
    workq = queue("workq", {{"queue_type", "", "Execution"}, {"started", "", "True"}});
    rq = queue("rq", {{"queue_type", "", "Route"}, {"started", "", "True"}, {"route_destinations", "", "short,workq"}});
  }
  std::uint64_t queue(const char* name, const given_values& attributes) {
    const auto stream = write(0, model::make_event([&](auto e) { e.initQueue().initCreated().setName(name); }));
    changed(stream, attributes);
    return stream;
  }
  void changed(std::uint64_t queue, const given_values& changes) {
    write(queue, model::make_event([&](auto e) {
            fill(e.initQueue().initChanged().initChanges(static_cast<unsigned>(changes.size())), changes);
          }));
  }
  std::uint64_t submitted(const char* to = "rq", bool held = false, std::int64_t wait_until = 0) {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setNumber(3);
                   q.setQueue(to);
                   q.setExecutionTime(wait_until);
                   if (held) q.initHolds(1).set(0, schema::HoldType::USER);
                 }));
  }
  void moved(std::uint64_t job, const char* to) {
    write(job, model::make_event([&](auto e) { e.initJob().initMoved().setQueue(to); }));
  }
  void released(std::uint64_t job) {
    write(job, model::make_event([](auto e) { e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::USER); }));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(routing_queues)

BOOST_AUTO_TEST_CASE(a_job_is_owed_a_move_until_it_has_left) {
  routed_jobs s;
  BOOST_TEST(s.due() == targets());
  s.submitted("workq");
  const auto job = s.submitted();
  BOOST_TEST(s.due() == targets{of_job(job)});
  const auto& order = s.ordered<reactions::route_job>();
  BOOST_TEST(order.serial == job);
  BOOST_TEST(order.destinations == (std::vector<std::string>{"short", "workq"}));
  BOOST_TEST(!order.lifetime_over);
  BOOST_TEST(s.due() == targets());
  s.moved(job, "workq");
  s.answer(true);
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == -1);
}

BOOST_AUTO_TEST_CASE(it_is_tried_again_after_a_time_that_the_queue_may_name) {
  routed_jobs s;
  const auto job = s.submitted();
  s.due();
  s.answer(false);
  BOOST_TEST(s.wait() == 30);
  s.changed(s.rq, {{"route_retry_time", "", "5"}});
  s.clock.ns += 30 * second;
  BOOST_TEST(s.due() == targets{of_job(job)});
  s.answer(false);
  BOOST_TEST(s.wait() == 5);
}

BOOST_AUTO_TEST_CASE(a_stopped_queue_keeps_its_jobs_until_it_is_started) {
  routed_jobs s;
  s.changed(s.rq, {{"started", "", "False"}});
  const auto first = s.submitted(), second_job = s.submitted();
  BOOST_TEST(s.due() == targets());
  s.changed(s.rq, {{"started", "", "True"}});
  BOOST_TEST(s.due() == (targets{of_job(first), of_job(second_job)}));
}

BOOST_AUTO_TEST_CASE(held_and_waiting_jobs_are_owed_nothing_unless_the_queue_says_so) {
  routed_jobs s;
  const auto held = s.submitted("rq", true);
  const auto waiting = s.submitted("rq", false, s.clock.ns / second + 600);
  BOOST_TEST(s.due() == targets());
  s.changed(s.rq, {{"route_held_jobs", "", "True"}});
  BOOST_TEST(s.due() == targets{of_job(held)});
  s.changed(s.rq, {{"route_held_jobs", "", "False"}, {"route_waiting_jobs", "", "True"}});
  BOOST_TEST(s.due() == targets{of_job(waiting)});
  s.changed(s.rq, {{"route_waiting_jobs", "", "False"}});
  s.due();
  s.released(held);
  BOOST_TEST(s.due() == targets{of_job(held)});
  s.write(waiting, model::make_event([](auto e) { e.initJob().setWaitEnded(); }));
  BOOST_TEST(s.due() == targets{of_job(waiting)});
}

BOOST_AUTO_TEST_CASE(what_qalter_held_qrls_sets_free) {
  routed_jobs s;
  s.changed(s.rq, {{"started", "", "False"}});
  const auto job = s.submitted();
  s.write(job, model::make_event([](auto e) { fill(e.initJob().initAltered().initChanges(1), {{"Hold_Types", "", "s"}}); }));
  s.changed(s.rq, {{"started", "", "True"}});
  BOOST_TEST(s.due() == targets());
  s.write(job, model::make_event([](auto e) { e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::SYSTEM); }));
  BOOST_TEST(s.due() == targets{of_job(job)});
}

BOOST_AUTO_TEST_CASE(a_chain_of_routing_queues_is_walked) {
  routed_jobs s;
  const auto r2 = s.queue("r2", {{"queue_type", "", "Route"}, {"started", "", "True"}, {"route_destinations", "", "workq"}});
  (void)r2;
  const auto job = s.submitted();
  s.due();
  s.moved(job, "r2");
  s.answer(true);
  BOOST_TEST(s.due() == targets{of_job(job)});
  BOOST_TEST(s.ordered<reactions::route_job>().destinations == std::vector<std::string>{"workq"});
}

BOOST_AUTO_TEST_CASE(its_time_there_ends_even_if_it_is_held) {
  routed_jobs s;
  s.changed(s.rq, {{"route_lifetime", "", "100"}});
  const auto job = s.submitted("rq", true);
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == 100);
  s.clock.ns += 100 * second;
  BOOST_TEST(s.due() == targets{of_job(job) + ", whose time there is over"});
  BOOST_TEST(s.ordered<reactions::route_job>().lifetime_over);
  s.write(job, model::make_event([](auto e) { e.initJob().initEnded(); }));
  BOOST_TEST(s.due() == targets());
}

BOOST_AUTO_TEST_CASE(a_server_that_dies_meanwhile_owes_the_same) {
  routed_jobs s;
  const auto job = s.submitted();
  s.due();
  const auto before = s.last.at(0).command_id;
  s.fold = {};
  s.replay();
  BOOST_TEST(s.due() == targets{of_job(job)});
  BOOST_TEST(s.last.at(0).command_id == before);
}

BOOST_AUTO_TEST_SUITE_END()
