// A question that nobody is left to answer is looked after.
#include "actors/server/reactions/all.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

namespace {

// A scheduler with a partition, which is on, and a reservation that is asked for.
struct asked_reservation : watched<reactions::unanswered_reservations> {
  const std::uint64_t scheduler = write(0, model::make_event([](auto e) { e.initScheduler().initCreated().setName("one"); }));
  std::uint64_t reservation = 0;

  asked_reservation() {
    set_scheduler("partition", "P1");
    set_scheduler("scheduling", "True");
    reservation = write(0, model::make_event([](auto e) {
                          auto r = e.initReservation().initSubmitted();
                          r.setId("R5");
                          r.initOccurrences(1)[0].setIndex(1);
                        }));
  }
  void set_scheduler(const char* attribute, const char* value) {
    write(scheduler, model::make_event([&](auto e) {
            auto c = e.initScheduler().initChanged().initChanges(1)[0];
            c.setName(attribute);
            c.setValue(value);
          }));
  }
  void refused_by(const char* name) {
    write(reservation, model::make_event([&](auto e) { e.initReservation().initRefused().setScheduler(name); }));
  }
  void denied() {
    write(reservation, model::make_event([](auto e) { e.initReservation().initDenied(); }));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unanswered_reservations, asked_reservation)

BOOST_AUTO_TEST_CASE(the_last_scheduler_goes_without_an_answer) {
  refused_by("default");
  BOOST_TEST(due() == targets());
  write(scheduler, model::make_event([](auto e) { e.initScheduler().initDeleted().setName("one"); }));
  BOOST_TEST(due() == targets{"question of R5"});
  denied();
  BOOST_TEST(due() == targets());
}

BOOST_AUTO_TEST_CASE(the_last_scheduler_is_switched_off_without_an_answer) {
  refused_by("default");
  BOOST_TEST(due() == targets());
  set_scheduler("scheduling", "False");
  BOOST_TEST(due() == targets{"question of R5"});
  denied();
  BOOST_TEST(due() == targets());
}

BOOST_AUTO_TEST_CASE(the_default_scheduler_is_switched_off_without_an_answer) {
  refused_by("one");
  BOOST_TEST(due() == targets());
  set("scheduling", "False");
  BOOST_TEST(due() == targets{"question of R5"});
}

BOOST_AUTO_TEST_SUITE_END()
