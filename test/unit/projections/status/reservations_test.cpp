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
  void submit(unsigned windows = 1, const char* place = "free") {
    reservation = write(0, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId(windows > 1 ? "S5" : "R5");
      s.setKind(windows > 1 ? schema::ReservationKind::STANDING : schema::ReservationKind::ADVANCE);
      fill(s.initAttributes(4), {{"Reserve_Name", "", "mine"},
                                 {"Reserve_Owner", "", "user1@front"},
                                 {"Resource_List", "ncpus", "2"},
                                 {"Resource_List", "place", place}});
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

// Compares resources_assigned of the vnode and of the server, and the vnode's state.
BOOST_AUTO_TEST_CASE(an_open_window_has_what_was_reserved) {
  const auto host = write(0, [](auto e) { e.initHost().initAdded().setName("n1"); });
  write(host, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
  write(host, [](auto e) {
    auto v = e.initHost().initCameUp().initVnodes(1)[0];
    v.setName("n1");
    fill(v.initAttributes(1), {{"resources_available", "ncpus", "4"}});
  });
  const auto of_vnode = [&] {
    const auto text = answer(live, {.kind = ObjectKind::NODE, .names = {"n1"}, .wanted = {"state", "resources_assigned"}});
    const auto part = [&](const std::string& name) {
      const auto at = text.find(" " + name + "=") + name.size() + 2;
      return text.substr(at, text.find_first_of(" \n", at) - at);
    };
    return part("state") + " " + part("resources_assigned.ncpus");
  };
  const auto of_server = [&] {
    const auto text = answer(live, {.kind = ObjectKind::SERVER, .wanted = {"resources_assigned"}});
    const auto at = text.find("resources_assigned.ncpus=");
    return at == std::string::npos ? std::string("none") : text.substr(at + 25, text.find_first_of(" \n", at) - at - 25);
  };
  const auto of_both = [&] { return of_vnode() + " " + of_server(); };
  submit();
  confirm();
  make_queue("R5");
  BOOST_TEST(of_both() == "free 0 none");
  happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  BOOST_TEST(of_both() == "free 2 2");
  const auto runs = [&](std::uint64_t number, const char* queue) {
    const auto job = write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setId(std::to_string(number) + ".borg");
      q.setQueue(queue);
      fill(q.initAttributes(1), {{"Resource_List", "ncpus", "1"}});
    });
    write(job, [](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.initHosts(1).set(0, "n1");
    });
  };
  runs(7, "R5");  // of what the reservation has
  BOOST_TEST(of_both() == "free 2 2");
  runs(8, "workq");
  BOOST_TEST(of_both() == "free 3 3");
  happens([](auto e) { e.initDeleteRequested(); });
  BOOST_TEST(of_both() == "free 2 2");  // those of its jobs
}

BOOST_AUTO_TEST_CASE(a_vnode_that_a_reservation_has_alone_says_so) {
  const auto host = write(0, [](auto e) { e.initHost().initAdded().setName("n1"); });
  write(host, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
  write(host, [](auto e) { e.initHost().initCameUp().initVnodes(1)[0].setName("n1"); });
  const auto state = [&] { return answer(live, {.kind = ObjectKind::NODE, .names = {"n1"}, .wanted = {"state"}}); };
  submit(1, "excl");
  confirm();
  BOOST_TEST(state().find("state=free") != std::string::npos, state());
  happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  BOOST_TEST(state().find("state=resv-exclusive") != std::string::npos, state());
  happens([](auto e) { e.initOccurrenceEnded().setIndex(1); });
  BOOST_TEST(state().find("state=free") != std::string::npos, state());
}

BOOST_AUTO_TEST_CASE(a_vnode_that_a_reservation_has_alone_says_since_when) {
  const auto create = [this](const char* name) {
    const auto host = write(0, [&](auto e) { e.initHost().initAdded().setName(name); });
    write(host, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    write(host, [&](auto e) { e.initHost().initCameUp().initVnodes(1)[0].setName(name); });
  };
  const auto changed = [this](const char* name) {
    const auto text = answer(live, {.kind = ObjectKind::NODE, .names = {name}, .wanted = {"last_state_change_time"}});
    return text.find("last_state_change_time=" + std::to_string(clock.ns / second)) != std::string::npos;
  };
  const auto later = [this] { clock.ns += 60 * second; };
  create("n1");
  create("n2");
  submit(1, "excl");
  confirm();
  BOOST_TEST(changed("n1"));
  later();
  BOOST_TEST(!changed("n1"));
  happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  BOOST_TEST(changed("n1"));
  BOOST_TEST(!changed("n2"));
  later();
  happens([](auto e) { e.initOccurrenceEnded().setIndex(1); });
  BOOST_TEST(changed("n1"));
  BOOST_TEST(!changed("n2"));
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
