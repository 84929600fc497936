// No two reservations have the same cpu at one time: examples, and many random ones against counting by seconds.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>

#include "events/model/limits.hpp"
#include "events/model/reservation/bookings.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct books {
  model::ledger ledger;
  std::uint64_t sequence = 0;

  books() {
    write(1, [](auto e) { e.initHost().initAdded().setName("n1"); });
    write(1, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
    write(1, [](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName("n1");
      fill(v.initAttributes(2), {{"resources_available", "ncpus", "4"}, {"resources_available", "mem", "8gb"}});
    });
  }
  template <class Fill>
  std::string write(std::uint64_t stream, Fill&& f, const model::requester& by = the_server()) {
    const auto e = model::make_event(std::forward<Fill>(f));
    const model::event_place at{sequence + 1, stream, 1, 1'000'000'000, by};
    if (const auto why = ledger.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
    ++sequence;
    ledger.apply(at, e.get());
    return "";
  }
  std::string submit(std::uint64_t number, const std::string& place = "free",
                     schema::ReservationKind kind = schema::ReservationKind::ADVANCE) {
    return write(100 + number, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId("R" + std::to_string(number));
      s.setKind(kind);
      fill(s.initAttributes(1), {{"Resource_List", "place", place}});
      s.initOccurrences(1)[0].setIndex(1);
    });
  }
  std::string confirm(std::uint64_t number, std::int64_t start, std::int64_t end, const std::string& exec_vnode,
                      const std::string& partition = "") {
    return write(100 + number, [&](auto e) {
      auto c = e.initReservation().initConfirmed();
      c.setPartition(partition);
      auto o = c.initOccurrences(1)[0];
      o.setIndex(1);
      o.setStartNs(start);
      o.setEndNs(end);
      o.setExecVnode(exec_vnode);
    });
  }
  void job(std::uint64_t number, const std::string& queue) {
    write(200 + number, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setNumber(number);
      q.setQueue(queue);
    });
  }
  void queue(const std::string& name) {
    write(300, [&](auto e) { e.initQueue().initCreated().setName(name); });
  }
  std::string assign(std::uint64_t job, const std::string& exec_vnode, const model::requester& by = the_scheduler()) {
    return write(
        200 + job, [&](auto e) { e.initJob().initAssigned().setExecVnode(exec_vnode); }, by);
  }
  std::string begin(std::uint64_t number) {
    return write(100 + number, [](auto e) { e.initReservation().initOccurrenceBegan().setIndex(1); });
  }
  std::string finish(std::uint64_t number) {
    return write(100 + number, [](auto e) { e.initReservation().initOccurrenceEnded().setIndex(1); });
  }
  std::string from_job(std::uint64_t number, std::uint64_t job, const std::string& exec_vnode) {
    return write(100 + number, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId("R" + std::to_string(number));
      s.setKind(schema::ReservationKind::FROM_JOB);
      s.setJob(200 + job);
      fill(s.initAttributes(1), {{"resv_nodes", "", exec_vnode}});
      auto o = s.initOccurrences(1)[0];
      o.setIndex(1);
      o.setStartNs(10);
      o.setEndNs(20);
    });
  }
  std::string put_off(std::uint64_t number, std::int64_t start) {
    return write(100 + number, [&](auto e) {
      auto o = e.initReservation().initAlterRequested().initOccurrences(1)[0];
      o.setIndex(1);
      o.setStartNs(start);
      o.setEndNs(start + 10);
    });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(bookings)

BOOST_AUTO_TEST_CASE(two_share_a_vnode_only_while_there_is_enough) {
  books b;
  for (const auto n : {5u, 6u, 7u}) BOOST_TEST(b.submit(n) == "");
  BOOST_TEST(b.confirm(5, 10, 20, "(n1:ncpus=3)") == "");
  BOOST_TEST(b.confirm(6, 15, 25, "(n1:ncpus=2)").starts_with("15044"));
  BOOST_TEST(b.confirm(6, 15, 25, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.confirm(7, 20, 30, "(n1:ncpus=3)") == "");  // the first is over
}

BOOST_AUTO_TEST_CASE(who_is_alone_shares_with_nobody_and_maintenance_asks_nobody) {
  books b;
  BOOST_TEST(b.submit(5, "excl") == "");
  BOOST_TEST(b.submit(6) == "");
  BOOST_TEST(b.submit(7, "free", schema::ReservationKind::MAINTENANCE) == "");
  BOOST_TEST(b.confirm(5, 10, 20, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.confirm(6, 19, 25, "(n1:ncpus=1)").starts_with("15044"));
  BOOST_TEST(b.confirm(7, 10, 20, "(n1:ncpus=4)") == "");
}

// Maintenance has its place in the append that begins it.
BOOST_AUTO_TEST_CASE(one_may_be_confirmed_together_with_its_submission) {
  books b;
  const auto submitted = model::make_event([](auto e) {
    auto s = e.initReservation().initSubmitted();
    s.setId("M5");
    s.setKind(schema::ReservationKind::MAINTENANCE);
    s.initOccurrences(1)[0].setIndex(1);
  });
  const auto confirmed = [](const char* place) {
    return model::make_event([&](auto e) {
      auto o = e.initReservation().initConfirmed().initOccurrences(1)[0];
      o.setIndex(1);
      o.setStartNs(10);
      o.setEndNs(20);
      o.setExecVnode(place);
    });
  };
  const auto said = [&](const char* place) {
    model::ledger::newborn born;
    for (std::uint64_t version = 1; const auto& e : {submitted, confirmed(place)}) {
      const model::event_place at{b.sequence + version, 105, version, 1'000'000'000, the_server()};
      if (const auto why = b.ledger.check(at, e.get(), &born)) return std::to_string(why->code);
      ++version;
    }
    return std::string();
  };
  BOOST_TEST(said("(n1:ncpus=4)") == "");
  BOOST_TEST(said("(n9:ncpus=4)") == "15062");
  BOOST_TEST(b.confirm(5, 10, 20, "(n1:ncpus=4)") != "");  // nothing was written
}

BOOST_AUTO_TEST_CASE(a_place_is_of_vnodes_that_are_there_and_in_the_partition) {
  books b;
  b.submit(5);
  BOOST_TEST(b.confirm(5, 10, 20, "(n9:ncpus=1)").starts_with("15062"));
  BOOST_TEST(b.confirm(5, 10, 20, "(n1:ncpus=1)", "P1").starts_with("15007"));
}

// pbs_rsub --job
BOOST_AUTO_TEST_CASE(the_place_of_a_job_is_what_it_still_holds_and_nobody_has_reserved) {
  books b;
  b.queue("workq");
  b.job(3, "workq");
  BOOST_TEST(b.from_job(5, 3, "(n1:ncpus=2)").starts_with("15016"));
  BOOST_TEST(b.write(203, [](auto e) { e.initJob().initAssigned().setExecVnode("(n1:ncpus=2)"); }) == "");
  b.submit(6);
  BOOST_TEST(b.confirm(6, 15, 25, "(n1:ncpus=3)") == "");
  BOOST_TEST(b.from_job(5, 3, "(n1:ncpus=2)").starts_with("15044"));
  BOOST_TEST(b.write(106, [](auto e) { e.initReservation().setEnded(); }) == "");
  BOOST_TEST(b.from_job(5, 3, "(n1:ncpus=2)") == "");
  b.submit(7);
  BOOST_TEST(b.confirm(7, 10, 20, "(n1:ncpus=3)").starts_with("15044"));
}

// The simulation found two, both asked for before the job had come to the queue of the first.
BOOST_AUTO_TEST_CASE(a_job_is_of_one_reservation) {
  books b;
  b.queue("workq");
  b.job(3, "workq");
  BOOST_TEST(b.write(203, [](auto e) { e.initJob().initAssigned().setExecVnode("(n1:ncpus=1)"); }) == "");
  BOOST_TEST(b.from_job(5, 3, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.from_job(6, 3, "(n1:ncpus=1)").starts_with("15016"));
  BOOST_TEST(b.write(105, [](auto e) { e.initReservation().setEnded(); }) == "");
  BOOST_TEST(b.from_job(7, 3, "(n1:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(an_open_window_with_jobs_is_not_put_off) {
  books b;
  b.submit(5);
  b.confirm(5, 10, 20, "(n1:ncpus=2)");
  b.queue("R5");
  b.job(3, "R5");
  BOOST_TEST(b.write(105, [](auto e) { e.initReservation().initOccurrenceBegan().setIndex(1); }) == "");
  BOOST_TEST(b.put_off(5, 10) == "");
  BOOST_TEST(b.put_off(5, 12).starts_with("15178"));
  b.write(203, [](auto e) { e.initJob().initEnded(); });
  BOOST_TEST(b.put_off(5, 12) == "");
}

BOOST_AUTO_TEST_CASE(jobs_of_a_reservation_have_no_more_than_it_has) {
  books b;
  b.submit(5);
  b.confirm(5, 10, 20, "(n1:ncpus=2)");
  b.queue("R5");
  for (const auto job : {11u, 12u, 13u}) b.job(job, "R5");
  BOOST_TEST(b.assign(11, "(n1:ncpus=1)") == "15044 its reservation does not run");
  b.begin(5);
  BOOST_TEST(b.assign(11, "(n1:ncpus=3)") == "15044 Insufficient amount of resource: ncpus ");
  BOOST_TEST(b.assign(11, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.assign(12, "(n1:ncpus=2)") == "15044 Insufficient amount of resource: ncpus ");
  BOOST_TEST(b.assign(12, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.assign(13, "(n1:ncpus=1)") == "15044 Insufficient amount of resource: ncpus ");
}

// As in PBS.
BOOST_AUTO_TEST_CASE(what_a_reservation_did_not_ask_for_its_jobs_have_as_far_as_other_windows_leave_it) {
  books b;
  for (const auto n : {5u, 6u}) b.submit(n);
  b.confirm(5, 10, 20, "(n1:ncpus=2)");
  b.confirm(6, 10, 20, "(n1:ncpus=1:mem=5gb)");
  b.queue("R5");
  b.write(301, [&](auto e) { e.initQueue().initCreated().setName("R6"); });
  for (const auto job : {11u, 12u}) b.job(job, "R5");
  b.job(13, "R6");
  for (const auto n : {5u, 6u}) b.begin(n);
  const std::string too_little = "15044 Insufficient amount of resource: mem ";
  BOOST_TEST(b.assign(11, "(n1:ncpus=1:mem=4gb)") == too_little);
  BOOST_TEST(b.assign(11, "(n1:ncpus=1:mem=2gb)") == "");
  BOOST_TEST(b.assign(12, "(n1:ncpus=1:mem=2gb)") == too_little);
  BOOST_TEST(b.assign(13, "(n1:ncpus=1:mem=5gb)") == "");
  BOOST_TEST(b.assign(12, "(n1:ncpus=1:mem=2gb)").starts_with("15044"));
  BOOST_TEST(b.assign(12, "(n1:ncpus=1:mem=1gb)") == "");
}

BOOST_AUTO_TEST_CASE(others_leave_to_an_open_window_what_it_has) {
  books b;
  b.submit(5);
  b.confirm(5, 10, 20, "(n1:ncpus=3)");
  b.queue("R5");
  b.write(301, [&](auto e) { e.initQueue().initCreated().setName("workq"); });
  b.job(11, "R5");
  for (const auto job : {12u, 13u, 14u}) b.job(job, "workq");
  b.begin(5);
  BOOST_TEST(b.assign(12, "(n1:ncpus=2)").starts_with("15044"));
  BOOST_TEST(b.assign(11, "(n1:ncpus=2)") == "");
  BOOST_TEST(b.assign(12, "(n1:ncpus=2)").starts_with("15044"));  // one cpu is still to be had for the reservation's jobs
  BOOST_TEST(b.assign(12, "(n1:ncpus=1)") == "");
  BOOST_TEST(b.assign(13, "(n1:ncpus=1)").starts_with("15044"));
  BOOST_TEST(b.assign(13, "(n1:ncpus=1)", operator_()) == "");  // qrun -H
  b.write(211, [](auto e) { e.initJob().initVnodesReleased().setExecVnode("(n1:ncpus=2)"); });
  BOOST_TEST(b.assign(14, "(n1:ncpus=1)").starts_with("15044"));
  b.finish(5);
  BOOST_TEST(b.assign(14, "(n1:ncpus=1)") == "");
}

BOOST_AUTO_TEST_CASE(numbers_are_shared_with_jobs) {
  books b;
  BOOST_TEST(b.submit(5) == "");
  BOOST_TEST(b.ledger.next_job_number() == 6u);
  BOOST_TEST(b.submit(5).starts_with("15080"));
}

BOOST_AUTO_TEST_CASE(as_counting_by_seconds_says) {
  std::mt19937 chance(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(chance); };
  for (int round = 0; round < 50; ++round) {
    books b;
    std::vector<int> used(30, 0);
    for (std::uint64_t n = 1; n <= 12; ++n) {
      const int start = pick(0, 25), end = start + pick(1, 4), cpus = pick(1, 4);
      b.submit(n);
      bool fits = true;
      for (int t = start; t < end; ++t) fits &= used[static_cast<std::size_t>(t)] + cpus <= 4;
      const auto said = b.confirm(n, start, end, "(n1:ncpus=" + std::to_string(cpus) + ")");
      BOOST_REQUIRE_EQUAL(said.empty(), fits);
      if (fits)
        for (int t = start; t < end; ++t) used[static_cast<std::size_t>(t)] += cpus;
    }
  }
}

// Confirmations, changes with an answer, endings of windows and of reservations, on one vnode. What is booked is counted second by second.
BOOST_AUTO_TEST_CASE(with_changes_and_ends_as_counting_by_seconds_says) {
  struct kept {
    bool placed = false, alone = false;
    int start = 0, end = 0, cpus = 0;
  };
  std::mt19937 chance(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(chance); };
  for (int round = 0; round < 30; ++round) {
    books b;
    std::map<std::uint64_t, kept> all;
    std::uint64_t next = 1;
    for (int step = 0; step < 60; ++step) {
      if (pick(0, 4) == 0 && !all.empty()) {  // one ends
        const auto gone = std::next(all.begin(), pick(0, static_cast<int>(all.size()) - 1));
        BOOST_REQUIRE_EQUAL(b.write(100 + gone->first, [](auto e) { e.initReservation().setEnded(); }), "");
        all.erase(gone);
        continue;
      }
      const bool changes = pick(0, 2) == 0 && !all.empty();
      auto number = next;
      if (changes) {
        number = std::next(all.begin(), pick(0, static_cast<int>(all.size()) - 1))->first;
      } else {
        ++next;
        all[number].alone = pick(0, 5) == 0;
        BOOST_REQUIRE_EQUAL(b.submit(number, all[number].alone ? "excl" : "free"), "");
      }
      kept wanted{true, all[number].alone, pick(0, 25), 0, pick(1, 4)};
      wanted.end = wanted.start + pick(1, 6);
      bool fits = true;
      for (int t = wanted.start; t < wanted.end; ++t) {
        int sum = wanted.cpus;
        for (const auto& [other, o] : all) {
          if (other == number || !o.placed || t < o.start || t >= o.end) continue;
          sum += o.cpus;
          fits &= !o.alone && !wanted.alone;
        }
        fits &= sum <= 4;
      }
      const auto said = b.confirm(number, wanted.start, wanted.end, "(n1:ncpus=" + std::to_string(wanted.cpus) + ")");
      BOOST_REQUIRE_EQUAL(said.empty(), fits);
      if (fits) all[number] = wanted;
    }
  }
}

// -- how many a user may have ------------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(a_user_has_so_many_reservations_at_a_time, books) {
  using kinds = schema::ReservationKind;
  const auto asks = [&](std::uint64_t number, const model::requester& by, kinds kind = kinds::STANDING) {
    return write(
        100 + number,
        [&](auto e) {
          auto s = e.initReservation().initSubmitted();
          s.setId("S" + std::to_string(number));
          s.setKind(kind);
          fill(s.initAttributes(1), {{"Reserve_Owner", "", by.at_host()}});
          s.initOccurrences(1)[0].setIndex(1);
        },
        by);
  };
  const model::requester ann{"ann", "borg", schema::Role::USER}, bob{"bob", "borg", schema::Role::USER};
  for (std::uint64_t n = 1; n <= limits::reservations_of_user_max; ++n) BOOST_REQUIRE_EQUAL(asks(n, ann), "");
  BOOST_TEST(asks(900, ann) == "15048 would exceed the limit of 200 reservations of user ann at a time");
  BOOST_TEST(asks(901, bob) == "");
  BOOST_TEST(asks(902, {"ann", "borg", schema::Role::OPERATOR}) == "");
  BOOST_TEST(asks(903, ann, kinds::ASAP) == "");  // a job of his has a limit of its own
  BOOST_TEST(asks(900, ann) != "");
  for (const auto gone : {1, 2}) write(100 + gone, [](auto e) { e.initReservation().initDenied(); });
  BOOST_TEST(asks(904, ann) == "");
  BOOST_TEST(asks(905, ann) != "");
}

// Places that come later are asked about like the first ones.
BOOST_FIXTURE_TEST_CASE(later_places_are_nobody_elses, books) {
  constexpr std::int64_t second = 1'000'000'000;
  write(101, [](auto e) {
    auto s = e.initReservation().initSubmitted();
    s.setId("S1");
    s.setKind(schema::ReservationKind::STANDING);
    auto o = s.initOccurrences(1)[0];
    o.setIndex(1);
    o.setStartNs(10 * second);
    o.setEndNs(20 * second);
    s.initLaterGapsS(1).set(0, 100);
  });
  BOOST_REQUIRE_EQUAL(confirm(1, 10 * second, 20 * second, "(n1:ncpus=3)"), "");
  BOOST_REQUIRE_EQUAL(submit(2), "");
  BOOST_REQUIRE_EQUAL(submit(3), "");
  BOOST_REQUIRE_EQUAL(write(101, [](auto e) { e.initReservation().initLaterAsked().setCount(1); }), "");
  const auto later = [&](int cpus) {
    return write(101, [&](auto e) {
      auto o = e.initReservation().initLaterPlaced().initOccurrences(1)[0];
      o.setIndex(2);
      o.setStartNs(110 * second);
      o.setEndNs(120 * second);
      o.setExecVnode("(n1:ncpus=" + std::to_string(cpus) + ")");
    });
  };
  BOOST_REQUIRE_EQUAL(confirm(2, 105 * second, 115 * second, "(n1:ncpus=2)"), "");
  BOOST_TEST(later(3) != "");
  BOOST_TEST(later(2) == "");
  BOOST_TEST(confirm(3, 110 * second, 111 * second, "(n1:ncpus=1)") != "");
  BOOST_TEST(confirm(3, 10 * second, 11 * second, "(n1:ncpus=2)") != "");  // the first one is still there
  BOOST_TEST(confirm(3, 116 * second, 117 * second, "(n1:ncpus=2)") == "");
}

BOOST_AUTO_TEST_SUITE_END()
