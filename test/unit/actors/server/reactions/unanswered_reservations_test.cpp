// A question that nobody is left to answer is looked after.
#include "actors/server/reactions/all.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

BOOST_AUTO_TEST_SUITE(unanswered_reservations)

BOOST_AUTO_TEST_CASE(the_last_scheduler_goes_without_an_answer) {
  watched<reactions::unanswered_reservations> s;
  const auto scheduler = s.write(0, model::make_event([](auto e) { e.initScheduler().initCreated().setName("one"); }));
  s.write(scheduler, model::make_event([](auto e) {
            auto c = e.initScheduler().initChanged().initChanges(1)[0];
            c.setName("partition");
            c.setValue("P1");
          }));
  const auto reservation = s.write(0, model::make_event([](auto e) {
                                     auto r = e.initReservation().initSubmitted();
                                     r.setId("R5");
                                     r.initOccurrences(1)[0].setIndex(1);
                                   }));
  s.write(reservation, model::make_event([](auto e) { e.initReservation().initRefused().setScheduler("default"); }));
  BOOST_TEST(s.due() == targets());
  s.write(scheduler, model::make_event([](auto e) { e.initScheduler().initDeleted().setName("one"); }));
  BOOST_TEST(s.due() == targets{"question of R5"});
  s.write(reservation, model::make_event([](auto e) { e.initReservation().initDenied(); }));
  BOOST_TEST(s.due() == targets());
}

BOOST_AUTO_TEST_SUITE_END()
