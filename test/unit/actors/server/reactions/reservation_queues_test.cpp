// The queue of a reservation: made when it is confirmed, open while its window is, gone with its jobs at the end.
#include "actors/server/reactions/all.hpp"
#include "events/attributes/ids.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct story : watched<reactions::reservation_queues> {
  std::uint64_t reservation = 0, queue = 0;

  explicit story(const char* more = nullptr, schema::ReservationKind kind = schema::ReservationKind::ADVANCE, unsigned windows = 1) {
    reservation = write(0, model::make_event([&](auto e) {
                          auto s = e.initReservation().initSubmitted();
                          s.setId("R5");
                          s.setKind(kind);
                          s.setJob(kind == schema::ReservationKind::ASAP || kind == schema::ReservationKind::FROM_JOB ? 999 : 0);
                          given_values v{
                              {"Authorized_Users", "", "user1@borg"}, {"Resource_List", "ncpus", "2"}, {"Resource_List", "nodect", "1"}};
                          if (more) v.push_back({"delete_idle_time", "", more});
                          fill(s.initAttributes(static_cast<unsigned>(v.size())), v);
                          auto list = s.initOccurrences(windows);
                          for (unsigned i = 0; i < windows; ++i) {
                            list[i].setIndex(i + 1);
                            list[i].setStartNs(static_cast<std::int64_t>(i) * 1000 * second);
                            list[i].setEndNs((static_cast<std::int64_t>(i) * 1000 + 60) * second);
                          }
                        }));
  }
  template <class Fill>
  void happens(Fill&& f) {
    write(reservation, model::make_event([&](auto e) { f(e.initReservation()); }));
  }
  void confirmed(const char* partition = "") {
    happens([&](auto e) {
      auto c = e.initConfirmed();
      c.setPartition(partition);
      auto o = c.initOccurrences(1)[0];
      o.setIndex(1);
      o.setEndNs(60 * second);
      o.setExecVnode("(n1:ncpus=2)");
    });
  }
  void began() {
    happens([](auto e) { e.initOccurrenceBegan().setIndex(1); });
  }
  void ended() {
    happens([](auto e) { e.initOccurrenceEnded().setIndex(1); });
  }
  // The order was carried out.
  void queue_made() {
    queue = write(0, model::make_event([&](auto e) {
                    auto c = e.initQueue().initCreated();
                    c.setName("R5");
                    c.setReservation(reservation);
                  }));
    queue_set();
  }
  void queue_set(std::size_t order = 0) {
    const auto m = ordered<reactions::manage_object>(order).request.get().getManage();
    write(queue, model::make_event([&](auto e) { e.initQueue().initChanged().setChanges(m.getChanges()); }));
  }
  void queue_gone() {
    write(queue, model::make_event([](auto e) { e.initQueue().initDeleted().setName("R5"); }));
  }
  std::uint64_t job(std::uint64_t number) {
    return write(0, model::make_event([&](auto e) {
                   auto q = e.initJob().initQueued();
                   q.setNumber(number);
                   q.setQueue("R5");
                   q.setId(std::to_string(number) + ".borg");
                 }));
  }
  void job_ended(std::uint64_t serial) {
    write(serial, model::make_event([](auto e) { e.initJob().initEnded(); }));
  }
  // "started=True enabled=False": what the first order sets.
  std::string sets(std::size_t order = 0) const {
    std::string text;
    for (auto c : ordered<reactions::manage_object>(order).request.get().getManage().getChanges()) {
      text += (text.empty() ? "" : " ") + schema::str(c.getName());
      if (c.getResource().size() > 0) text += "." + schema::str(c.getResource());
      text += "=" + schema::str(c.getValue());
    }
    return text;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(reservation_queues)

// MS-99, MS-102
BOOST_AUTO_TEST_CASE(the_queue_is_made_when_it_is_confirmed) {
  story s;
  BOOST_TEST(s.due() == targets());
  s.confirmed("P1");
  BOOST_TEST(s.due() == targets{"make R5"});
  BOOST_TEST(
      s.sets() ==
      "queue_type=Execution acl_user_enable=True acl_users=user1@borg resources_max.ncpus=2 resources_available.ncpus=2 enabled=True "
      "started=False partition=P1");
  BOOST_TEST(s.ordered<reactions::manage_object>().by.at_host() == "pbs_server@borg");
  s.queue_made();
  BOOST_TEST(s.due() == targets());
}

BOOST_AUTO_TEST_CASE(it_is_open_while_the_window_is_and_goes_with_its_jobs) {
  story s;
  s.confirmed();
  s.due();
  s.queue_made();
  s.began();
  BOOST_TEST(s.due() == targets{"set R5"});
  BOOST_TEST(s.sets() == "started=True");
  s.queue_set();
  BOOST_TEST(s.due() == targets());
  const auto job = s.job(7);
  s.ended();
  BOOST_TEST(s.due() == (targets{"set R5", of_job(job)}));
  BOOST_TEST(s.sets() == "enabled=False started=False");
  BOOST_TEST(s.ordered<reactions::tell_job>(1).by.at_host() == "root@borg");
  s.queue_set();
  s.write(job, model::make_event([](auto e) { e.initJob().initDeleteRequested(); }));
  BOOST_TEST(s.due() == targets());
  s.job_ended(job);
  BOOST_TEST(s.due() == targets{"delete R5"});
  s.queue_gone();
  BOOST_TEST(s.due() == targets{"end R5"});
  s.happens([](auto e) { e.setEnded(); });
  BOOST_TEST(s.due() == targets());
}

// Its queue may be ordered and not made yet, as when a server begins that was down at the end of the window.
BOOST_AUTO_TEST_CASE(one_whose_time_ends_before_its_queue_is_made_waits_for_it) {
  story s;
  s.confirmed();
  s.began();
  BOOST_TEST(s.due() == targets{"make R5"});
  s.ended();
  BOOST_TEST(s.due() == targets{"make R5"});
  s.queue_made();
  BOOST_TEST(s.due() == targets{"delete R5"});
  s.queue_gone();
  BOOST_TEST(s.due() == targets{"end R5"});
}

BOOST_AUTO_TEST_CASE(what_is_owed_is_the_same_after_a_restart) {
  story s;
  s.confirmed();
  s.due();
  s.queue_made();
  s.began();
  const auto before = s.due();
  s.fold = {};
  s.replay();
  BOOST_TEST(s.due() == before);
}

BOOST_AUTO_TEST_CASE(who_deletes_it_deletes_its_jobs) {
  story s;
  s.confirmed();
  s.due();
  s.queue_made();
  s.job(7);
  std::vector<model::event> asked;
  asked.push_back(model::make_event([](auto e) { e.initReservation().initDeleteRequested(); }));
  s.base::write(s.reservation, std::move(asked), 0, {"oper", "borg", schema::Role::OPERATOR});
  s.due();
  BOOST_TEST(s.last.size() == 2u);
  BOOST_TEST(s.ordered<reactions::tell_job>(1).by.at_host() == "oper@borg");
}

BOOST_AUTO_TEST_CASE(one_that_has_no_job_for_too_long_goes) {
  story s("00:00:30");
  s.confirmed();
  s.due();
  s.queue_made();
  s.began();
  s.due();
  s.queue_set();
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == 30);
  const auto job = s.job(7);
  s.clock.ns += 100 * second;
  BOOST_TEST(s.due() == targets());
  s.job_ended(job);
  BOOST_TEST(s.due() == targets());
  BOOST_TEST(s.wait() == 30);
  s.clock.ns += 30 * second;
  BOOST_TEST(s.due() == targets{"unused R5"});
}

BOOST_AUTO_TEST_CASE(between_two_windows_runs_are_killed_and_waiting_jobs_stay) {
  story s(nullptr, schema::ReservationKind::STANDING, 2);
  s.confirmed();
  s.due();
  s.queue_made();
  s.began();
  s.due();
  s.queue_set();
  const auto runs = s.job(7);
  s.job(8);
  s.assigned({"n1"}, runs);
  s.ended();
  BOOST_TEST(s.due() == (targets{"set R5", of_job(runs)}));
  BOOST_TEST(s.sets() == "started=False");
  BOOST_TEST(std::get<model::client_request>(s.ordered<reactions::tell_job>(1).command).request.get().isSignalJob());
}

BOOST_AUTO_TEST_CASE(a_job_that_it_is_made_for_is_moved_to_it) {
  story s(nullptr, schema::ReservationKind::ASAP);
  s.confirmed();
  s.due();
  s.queue_made();
  BOOST_TEST(s.due() == targets{of_job(999)});
  BOOST_TEST(std::get<model::client_request>(s.ordered<reactions::tell_job>().command).request.get().isMoveJob());
}

// pbs_rsub --job: nobody has to confirm it, and the job runs on in it.
BOOST_AUTO_TEST_CASE(a_running_job_is_moved_to_the_reservation_of_its_vnodes) {
  story s(nullptr, schema::ReservationKind::FROM_JOB);
  BOOST_TEST(s.due() == targets{"make R5"});
  s.queue_made();
  BOOST_TEST(s.due() == targets{of_job(999)});
  BOOST_TEST(std::get<model::client_request>(s.ordered<reactions::tell_job>().command).request.get().isMoveJob());
  s.write(999, model::make_event([](auto e) { e.initJob().initMoved().setQueue("R5"); }));
  BOOST_TEST(s.due() == targets());
  s.began();
  s.due();
  s.queue_set();
  s.job_ended(999);
  BOOST_TEST(s.due() == targets());  // it stays until its time is over
}

BOOST_AUTO_TEST_SUITE_END()
