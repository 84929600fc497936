// Which reservations hear that vnodes of theirs are lost, or are there again.
#include "actors/server/reactions/all.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct story : watched<reactions::degraded_reservations> {
  std::uint64_t a = with_vnode("a"), b = with_vnode("b");

  std::uint64_t with_vnode(const char* name) {
    const auto serial = host(name);
    write(serial, model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(name); }));
    comes_up(serial, name);
    return serial;
  }
  void comes_up(std::uint64_t serial, const char* name) {
    write(serial, model::make_event([&](auto e) { e.initHost().initCameUp().initVnodes(1)[0].setName(name); }));
  }
  // Windows of a minute, a hundred minutes apart.
  std::uint64_t reserve(const char* id, std::vector<std::string> places,
                        schema::ReservationKind kind = schema::ReservationKind::STANDING) {
    const auto count = static_cast<unsigned>(places.size());
    const auto fill_windows = [&](auto list) {
      for (unsigned i = 0; i < count; ++i) {
        list[i].setIndex(i + 1);
        list[i].setStartNs((100 + std::int64_t{i} * 6000) * second);
        list[i].setEndNs((160 + std::int64_t{i} * 6000) * second);
      }
    };
    const auto serial = write(0, model::make_event([&](auto e) {
                                auto s = e.initReservation().initSubmitted();
                                s.setId(id);
                                s.setKind(kind);
                                fill_windows(s.initOccurrences(count));
                              }));
    write(serial, model::make_event([&](auto e) {
            auto list = e.initReservation().initConfirmed().initOccurrences(count);
            fill_windows(list);
            for (unsigned i = 0; i < count; ++i) list[i].setExecVnode(places[i]);
          }));
    return serial;
  }
  // As it is when it has heard that.
  void degrade(std::uint64_t serial, const std::vector<std::string>& lost) {
    write(serial, model::make_event([&](auto e) {
            auto list = e.initReservation().initDegraded().initVnodes(static_cast<unsigned>(lost.size()));
            for (unsigned i = 0; i < list.size(); ++i) list.set(i, lost[i]);
          }));
  }
  // The order that went out last says so.
  const model::reservation_lost& lost() {
    return std::get<model::reservation_lost>(ordered<reactions::tell_reservation>().command);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(degraded_reservations, story)

BOOST_AUTO_TEST_CASE(those_that_have_vnodes_of_a_lost_host_hear_of_it) {
  const auto both = reserve("S5", {"(a:ncpus=1)", "(b:ncpus=1)"});
  reserve("S6", {"(a:ncpus=1)"});
  BOOST_TEST(due() == targets());
  down(b);
  BOOST_TEST(due() == targets{"vnodes of S5"});
  BOOST_TEST(lost().vnodes == std::vector<std::string>{"b"}, boost::test_tools::per_element());
  degrade(both, {"b"});
  BOOST_TEST(due() == targets());
  comes_up(b, "b");
  BOOST_TEST(due() == targets{"vnodes of S5"});
  BOOST_TEST(lost().vnodes.empty());
  write(both, model::make_event([](auto e) { e.initReservation().setRestored(); }));
  BOOST_TEST(due() == targets());
}

BOOST_AUTO_TEST_CASE(what_is_over_is_not_missed) {
  const auto r = reserve("S5", {"(a:ncpus=1)", "(b:ncpus=1)"});
  write(r, model::make_event([](auto e) { e.initReservation().initOccurrenceBegan().setIndex(1); }));
  write(r, model::make_event([](auto e) { e.initReservation().initOccurrenceEnded().setIndex(1); }));
  down(a);
  BOOST_TEST(due() == targets());
  down(b);
  BOOST_TEST(due() == targets{"vnodes of S5"});
  write(r, model::make_event([](auto e) { e.initReservation().initDeleteRequested(); }));
  BOOST_TEST(due() == targets());
}

BOOST_AUTO_TEST_CASE(maintenance_takes_what_meets_it) {
  const auto r = reserve("S5", {"(a:ncpus=1)", "(b:ncpus=1)"});
  const auto later = reserve("S6", {"(b:ncpus=1)", "(a:ncpus=1)"});
  const auto m = reserve("M7", {"(a:ncpus=4)"}, schema::ReservationKind::MAINTENANCE);  // in the first window alone
  BOOST_TEST(due() == targets{"vnodes of S5"});
  BOOST_TEST(lost().in_conflict);
  BOOST_TEST(lost().vnodes == std::vector<std::string>{"a"}, boost::test_tools::per_element());
  write(m, model::make_event([](auto e) { e.initReservation().setEnded(); }));
  BOOST_TEST(due() == targets());
  (void)r, (void)later;
}

BOOST_AUTO_TEST_SUITE_END()
