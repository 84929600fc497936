// A job with create_resv_from_job is owed a reservation from its start, until there is one.
#include "actors/server/reactions/all.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct story : watched<reactions::job_reservations> {
  std::uint64_t job = 0;

  explicit story(const given_values& attributes = {{"create_resv_from_job", "", "True"}}) {
    job = write(0, model::make_event([&](auto e) {
                  auto q = e.initJob().initQueued();
                  q.setNumber(3);
                  fill(q.initAttributes(static_cast<unsigned>(attributes.size())), attributes);
                }));
  }
  void altered(const given_values& changes) {
    write(job, model::make_event([&](auto e) {
            fill(e.initJob().initAltered().initChanges(static_cast<unsigned>(changes.size())), changes);
          }));
  }
  void started(std::uint32_t run = 1) {
    assigned({"n1"}, job, run);
    write(job, model::make_event([&](auto e) { e.initJob().initStarted().setRun(run); }));
  }
  void requeued() {
    write(job, model::make_event([](auto e) { e.initJob().initRequeued().setRun(1); }));
  }
  std::uint64_t reserved(schema::ReservationKind kind = schema::ReservationKind::FROM_JOB) {
    return write(0, model::make_event([&](auto e) {
                   auto s = e.initReservation().initSubmitted();
                   s.setId("R5");
                   s.setKind(kind);
                   s.setJob(job);
                 }));
  }
  void moved(const char* reservation) {
    const given_values changes{{"reserve_ID", "", reservation}};
    write(job, model::make_event([&](auto e) {
            auto m = e.initJob().initMoved();
            fill(m.initChanges(1), changes);
            if (!*reservation) m.getChanges()[0].setOp(schema::AttributeOp::UNSET);
          }));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_reservations)

BOOST_AUTO_TEST_CASE(it_is_made_when_the_job_starts) {
  story s;
  BOOST_TEST(s.due() == targets());
  s.started();
  BOOST_TEST(s.due() == targets{of_job(s.job)});
  BOOST_TEST(s.ordered<reactions::reserve_for_job>().serial == s.job);
  s.answer(true);
  s.reserved();
  BOOST_TEST(s.due() == targets());
  s.moved("R5.borg");
  s.requeued();
  s.started(2);  // in its reservation
  BOOST_TEST(s.due() == targets());
  s.requeued();
  s.moved("");
  s.started(3);
  BOOST_TEST(s.due() == targets{of_job(s.job)});
}

BOOST_AUTO_TEST_CASE(a_server_that_dies_meanwhile_owes_the_same) {
  story s;
  s.started();
  s.due();
  const auto before = s.last.at(0).command_id;
  s.fold = {};
  s.replay();
  BOOST_TEST(s.due() == targets{of_job(s.job)});
  BOOST_TEST(s.last.at(0).command_id == before);
  s.reserved();
  s.fold = {};
  s.replay();
  BOOST_TEST(s.due() == targets());
}

BOOST_AUTO_TEST_CASE(qalter_changes_it_while_the_job_waits) {
  story s(given_values{});
  s.altered({{"create_resv_from_job", "", "True"}});
  s.altered({{"create_resv_from_job", "", "False"}});
  s.started();
  BOOST_TEST(s.due() == targets());
  s.requeued();
  s.altered({{"create_resv_from_job", "", "True"}});
  s.started(2);
  BOOST_TEST(s.due() == targets{of_job(s.job)});
}

BOOST_AUTO_TEST_CASE(others_are_not_owed_one) {
  story plain(given_values{{"create_resv_from_job", "", "False"}});
  plain.started();
  BOOST_TEST(plain.due() == targets());
  story inside({{"create_resv_from_job", "", "True"}, {"reserve_ID", "", "R5.borg"}});
  inside.started();
  BOOST_TEST(inside.due() == targets());
}

BOOST_AUTO_TEST_CASE(one_that_is_refused_is_asked_for_an_hour_later_while_the_job_runs) {
  story s;
  s.started();
  s.due();
  s.answer(false);
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == 3600);
  s.clock.ns += 3600 * second;
  BOOST_TEST(s.due() == targets{of_job(s.job)});
  s.answer(false);
  s.write(s.job, model::make_event([](auto e) { e.initJob().initEnded(); }));
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == -1);
}

BOOST_AUTO_TEST_SUITE_END()
