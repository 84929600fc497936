// What pbs_rstat is answered about reservations, now and about a moment of the past.
#include <boost/test/unit_test.hpp>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/model_builders.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct told {
  virtual_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  projections::status live;
  std::uint64_t reservation = 0;

  told() {
    write(0, [](auto e) {
      e.initServer().initStarted().setServerName("borg");
      e.getServer().getStarted().setHostName("borg");
    });
  }
  template <class Fill>
  std::uint64_t write(std::uint64_t stream, Fill&& f) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(model::make_event(std::forward<Fill>(f)));
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    for (const auto& r : records) live.fold(*r);
    return std::get<log::staged>(staged).stream;
  }
  void submit(unsigned windows = 1) {
    reservation = write(0, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId(windows > 1 ? "S5" : "R5");
      s.setKind(windows > 1 ? schema::ReservationKind::STANDING : schema::ReservationKind::ADVANCE);
      fill(s.initAttributes(2), {{"Reserve_Name", "", "mine"}, {"Reserve_Owner", "", "user1@front"}});
      auto list = s.initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) list[i].setIndex(i + 1);
    });
  }
  void confirm(unsigned windows = 1) {
    happens([&](auto e) {
      auto places = e.initConfirmed().initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) {
        places[i].setIndex(i + 1);
        places[i].setExecVnode("(n1:ncpus=2)");
      }
    });
  }
  void make_queue(const char* name) {
    write(0, [&](auto e) {
      e.initQueue().initCreated().setName(name);
      e.getQueue().getCreated().setReservation(reservation);
    });
  }
  template <class Fill>
  void happens(Fill&& f) {
    write(reservation, [&](auto e) { f(e.initReservation()); });
  }
  // Two attributes of what is answered, and whatever is said of what is not there.
  std::string shown(const char* name = "R5.borg", std::uint64_t at = 0) const {
    question q{.kind = ObjectKind::RESERVATION, .names = {name}, .wanted = {"reserve_state", "resv_nodes"}, .at_sequence = at};
    const auto text = at == 0 ? answer(live, q) : answer_at(log::log_reader(store), nullptr, q);
    return text.substr(0, text.find('\n'));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(status_of_reservations, told)

BOOST_AUTO_TEST_CASE(what_it_was_is_answered_for_every_moment) {
  submit();
  const auto asked = log.last_sequence();
  confirm();
  const auto confirmed = log.last_sequence();
  BOOST_TEST(live.awaits_its_queue(live.reservations().at(reservation)));
  make_queue("R5");
  BOOST_TEST(!live.awaits_its_queue(live.reservations().at(reservation)));
  happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  BOOST_TEST(shown() == "R5.borg: reserve_state=RESV_RUNNING resv_nodes=(n1:ncpus=2)");
  BOOST_TEST(shown("R5") == shown());
  happens([](auto e) { e.initOccurrenceEnded().setIndex(1); });
  happens([](auto e) { e.setEnded(); });
  BOOST_TEST(shown() == "R5.borg! Unknown Reservation Id");
  BOOST_TEST(shown("R5.borg", asked) == "R5.borg: reserve_state=RESV_UNCONFIRMED");
  BOOST_TEST(shown("R5.borg", confirmed) == "R5.borg: reserve_state=RESV_CONFIRMED resv_nodes=(n1:ncpus=2)");
  BOOST_TEST(shown("R5.borg", asked - 1) == "R5.borg! Unknown Reservation Id");
}

// Between two windows, while what ran in the first is on its way out.
BOOST_AUTO_TEST_CASE(its_jobs_are_being_deleted) {
  submit(2);
  confirm(2);
  make_queue("S5");
  happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  const auto job = write(0, [](auto e) {
    auto q = e.initJob().initQueued();
    q.setNumber(7);
    q.setId("7.borg");
    q.setQueue("S5");
  });
  write(job, [](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode("(n1:ncpus=2)");
    a.setExecHost("n1/0*2");
    a.initHosts(1).set(0, "n1");
  });
  happens([](auto e) { e.initOccurrenceEnded().setIndex(1); });
  const auto deleting = log.last_sequence();
  const auto then = shown("S5.borg");
  BOOST_TEST(then.find("reserve_state=RESV_DELETING_JOBS") != std::string::npos);
  write(job, [](auto e) { e.initJob().initStartFailed().setRun(1); });
  write(job, [](auto e) {
    auto v = e.initJob().initVnodesReleased();
    v.setRun(1);
    v.setExecVnode("(n1:ncpus=2)");
    v.initHosts(1).set(0, "n1");
  });
  write(job, [](auto e) { e.initJob().initEnded(); });
  BOOST_TEST(shown("S5.borg").find("reserve_state=RESV_CONFIRMED") != std::string::npos);
  BOOST_TEST(shown("S5.borg", deleting) == then);
}

BOOST_AUTO_TEST_SUITE_END()
