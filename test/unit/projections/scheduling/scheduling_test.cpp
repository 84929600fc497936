// A scheduler that takes in every delta sees what the full view of the moment shows, after every single event.
#include <boost/test/unit_test.hpp>

#include "events/values/job_id.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/scheduling/scheduling_rows.hpp"
#include "test/support/dumped_view.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using projections::scheduling_projection;
using test::dump;

namespace {

using fill_event = std::function<void(schema::Event::Builder)>;

void set(schema::Attribute::Builder a, const char* name, const char* resource, const char* value) {
  a.setName(name);
  a.setResource(resource);
  a.setValue(value);
}

struct story {
  projections::status status;
  scheduling_projection followed{status, "default"};
  cycle::view view;
  test::told_records records;

  story() {
    happen(1, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("p1");
      s.setHostName("p1");
    });
    take(followed.full_view());
  }

  void take(const std::vector<scheduling_projection::message>& messages) {
    for (const auto& m : messages) BOOST_REQUIRE(view.apply(m.get().getView()));
  }

  void fold(std::uint64_t stream, const fill_event& fill) {
    const log::record record = records.next(stream, fill);
    status.fold(record);
    followed.apply(record);
  }

  void happen(std::uint64_t stream, const fill_event& fill) {
    fold(stream, fill);
    if (records.sequence == 1) return;
    take(followed.take_delta());
    agree();
  }

  void agree() {
    scheduling_projection fresh(status, "default");
    cycle::view whole;
    for (const auto& m : fresh.full_view()) BOOST_REQUIRE(whole.apply(m.get().getView()));
    BOOST_TEST(dump(view) == dump(whole), "after event " << records.sequence << ":\n"
                                                         << dump(view) << "instead of\n"
                                                         << dump(whole));
  }

  void queue(std::uint64_t stream, const char* name) {
    happen(stream, [&](auto e) { e.initQueue().initCreated().setName(name); });
    happen(stream, [](auto e) {
      auto c = e.initQueue().initChanged().initChanges(3);
      set(c[0], "queue_type", "", "Execution");
      set(c[1], "started", "", "True");
      set(c[2], "Priority", "", "7");
    });
  }
  void host(std::uint64_t stream, const char* name) {
    happen(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    happen(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    happen(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(2);
      set(a[0], "resources_available", "ncpus", "4");
      set(a[1], "resources_available", "mem", "8gb");
    });
  }
  void submit(std::uint64_t stream, unsigned number) {
    happen(stream, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(number) + ".p1");
      j.setNumber(number);
      j.setOwner("pbsuser@p1");
      j.setEuser("pbsuser");
      j.setEgroup("pbsuser");
      j.setQueue("workq");
      j.setQueueRank(number);
      auto a = j.initAttributes(4);
      set(a[0], "Resource_List", "ncpus", "2");
      set(a[1], "Resource_List", "select", "1:ncpus=2");
      set(a[2], "Resource_List", "place", "pack");
      set(a[3], "schedselect", "", "1:ncpus=2");
    });
  }
  void assign(std::uint64_t stream, std::uint32_t run, const char* exec_host) {
    happen(stream, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(p1:ncpus=2)");
      a.setExecHost(exec_host);
      a.initHosts(1).set(0, "p1");
      a.setPlace("pack");
    });
  }
  void start(std::uint64_t stream, std::uint32_t run) {
    happen(stream, [&](auto e) { e.initJob().initStarted().setRun(run); });
  }
  void end(std::uint64_t stream, std::uint32_t run) {
    happen(stream, [&](auto e) { e.initJob().initExited().setRun(run); });
    happen(stream, [&](auto e) { e.initJob().initOutputDelivered().setOk(true); });
    happen(stream, [&](auto e) {
      auto v = e.initJob().initVnodesReleased();
      v.setRun(run);
      v.setExecVnode("(p1:ncpus=2)");
      v.initHosts(1).set(0, "p1");
    });
  }
};

}  // namespace

// A user's reservations must not make a message that is larger than a frame: the scheduler would never have its view.
BOOST_AUTO_TEST_CASE(reservations_of_many_vnodes_come_in_pieces) {
  story s;
  s.queue(2, "workq");
  constexpr unsigned count = 20, windows = 5, vnodes = 1000;
  std::string place;
  for (unsigned v = 0; v < vnodes; ++v) place += (v == 0 ? "(some-longer-name-" : "+(some-longer-name-") + std::to_string(v) + ":ncpus=1)";
  for (unsigned n = 0; n < count; ++n) {
    const auto fill_windows = [](auto list, std::int64_t from) {
      for (unsigned i = 0; i < windows; ++i) {
        list[i].setIndex(i + 1);
        list[i].setStartNs((from + i * 100) * 1'000'000'000);
        list[i].setEndNs((from + i * 100 + 50) * 1'000'000'000);
      }
    };
    s.fold(100 + n, [&](auto e) {
      auto r = e.initReservation().initSubmitted();
      r.setId("S" + std::to_string(n));
      r.setKind(schema::ReservationKind::STANDING);
      fill_windows(r.initOccurrences(windows), n);
    });
    s.fold(100 + n, [&](auto e) {
      auto list = e.initReservation().initConfirmed().initOccurrences(windows);
      fill_windows(list, n);
      // The odd ones are somewhere else each time.
      for (unsigned i = 0; i < windows; ++i) list[i].setExecVnode(n % 2 == 0 ? place : place + "+(x" + std::to_string(i) + ":ncpus=1)");
    });
  }
  scheduling_projection fresh(s.status, "default");
  cycle::view view;
  const auto messages = fresh.full_view();
  BOOST_TEST(messages.size() > 1u);
  for (const auto& m : messages) {
    BOOST_TEST(m.get().getView().totalSize().wordCount * sizeof(capnp::word) < (4u << 20));
    BOOST_REQUIRE(view.apply(m.get().getView()));
  }
  const std::vector<cycle::reservation> all(view.reservations().begin(), view.reservations().end());
  BOOST_REQUIRE(all.size() == count);
  for (const auto& r : all) {
    BOOST_REQUIRE(r.places.size() == windows);
    for (const auto& p : r.places) BOOST_TEST((p.exec_vnode.starts_with(place) && p.when.start_ns >= 0));
  }
  BOOST_TEST(all[0].places[4].exec_vnode == place);
  BOOST_TEST(all[1].places[4].exec_vnode == place + "+(x4:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(deltas_lead_to_what_the_full_view_shows) {
  story s;
  s.queue(2, "workq");
  s.queue(3, "other");
  s.host(4, "p1");
  s.host(5, "p2");
  s.submit(10, 1);
  s.submit(11, 2);
  s.submit(12, 3);
  s.happen(12, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  s.assign(10, 1, "p1/0*2");
  BOOST_TEST(dump(s.view).find("vnode p1 7 p1 free=1 exclusive=0 priority=0 ncpus=2/4") != std::string::npos, dump(s.view));
  s.assign(11, 1, "p1/1*2");
  BOOST_TEST(dump(s.view).find("free=0") != std::string::npos, "both cpus pairs are taken: job-busy");
  s.start(10, 1);
  s.end(10, 1);
  s.happen(10, [](auto e) { e.initJob().initEnded().setHasExitStatus(true); });
  s.happen(12, [](auto e) { e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::USER); });
  s.happen(5, [](auto e) { e.initHost().initWentDown().setText("communication closed"); });
  s.happen(4, [](auto e) {
    auto c = e.initHost().initVnodeChanged();
    c.setVnode("p1");
    set(c.initChanges(1)[0], "Priority", "", "3");
  });
  s.start(11, 1);
  s.happen(11, [](auto e) { e.initJob().initRerunRequested().setPreempted(true); });
  BOOST_TEST(!s.view.jobs().find(11)->preempted);  // it still runs
  s.end(11, 1);
  s.happen(11, [](auto e) {
    auto r = e.initJob().initRequeued();
    r.setRun(1);
    r.initHolds(0);
  });
  BOOST_TEST(s.view.jobs().find(11)->preempted);
  s.happen(3, [](auto e) { e.initQueue().initDeleted().setName("other"); });
  s.happen(5, [](auto e) { e.initHost().initVnodeDeleted().setName("p2"); });
  s.happen(5, [](auto e) { e.initHost().initRemoved().setName("p2"); });
  BOOST_TEST(dump(s.view).find("p2") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_array_tells_what_remains_of_it_and_its_subjobs_are_jobs) {
  story s;
  s.queue(2, "workq");
  s.host(4, "p1");
  s.happen(10, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setId("7[].p1");
    j.setNumber(7);
    j.setQueue("workq");
    j.setIndices("1-3");
    auto a = j.initAttributes(3);
    set(a[0], "Resource_List", "place", "pack");
    set(a[1], "schedselect", "", "1:ncpus=2");
    set(a[2], "max_run_subjobs", "", "2");
  });
  const auto says = [&](const char* text) { BOOST_TEST(dump(s.view).find(text) != std::string::npos, text << " in\n"
                                                                                                          << dump(s.view)); };
  const auto array = [&](auto fill) { s.happen(10, [&](auto e) { fill(e.initJob()); }); };
  const auto begin = [&](std::uint32_t index, std::uint64_t stream, const char* exec_host) {
    array([&](auto e) {
      auto b = e.initSubjobBegan();
      b.setIndex(index);
      b.setRun(1);
    });
    s.happen(stream, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId("7[" + std::to_string(index) + "].p1");
      j.setNumber(values::subjob_number(7, index));
      j.setQueue("workq");
      set(j.initAttributes(1)[0], "schedselect", "", "1:ncpus=2");
    });
    BOOST_TEST(dump(s.view).find("job 7[" + std::to_string(index) + "]") == std::string::npos);
    s.assign(stream, 1, exec_host);
  };
  says("may begin 2 of 1 2 3");
  begin(1, 11, "p1/0*2");
  says("may begin 1 of 2 3");
  says("job 7[1].p1 11");
  begin(2, 12, "p1/1*2");
  says("may begin 0 of 3");
  array([](auto e) {
    auto a = e.initSubjobsAsked();
    a.setIndices("3");
    a.setWaiting("3");
  });
  BOOST_TEST(dump(s.view).find("7[].p1") == std::string::npos);  // nothing of it is to be run any more
  s.start(11, 1);
  s.end(11, 1);
  s.happen(11, [](auto e) {
    auto r = e.initJob().initRequeued();
    r.setRun(1);
    r.initHolds(0);
  });
  s.happen(11, [](auto e) { e.initJob().setForgotten(); });
  array([](auto e) {
    auto l = e.initSubjobLeft();
    l.setIndex(1);
    l.setRun(1);
    l.setRequeued(true);
  });
  says("may begin 1 of 1");
  array([](auto e) { e.initDeleteRequested(); });
  BOOST_TEST(dump(s.view).find("7[].p1") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_changed_means_nothing_to_send) {
  story s;
  s.queue(2, "workq");
  BOOST_TEST(s.followed.take_delta().empty());
  s.submit(10, 1);
  s.happen(10, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  BOOST_TEST(s.followed.take_delta().empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_came_and_went_between_two_deltas_is_not_mentioned) {
  story s;
  s.queue(2, "workq");
  s.fold(10, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setId("1.p1");
    j.setNumber(1);
    j.setQueue("workq");
  });
  s.fold(10, [](auto e) { e.initJob().initEnded(); });
  for (const auto& m : s.followed.take_delta()) {
    BOOST_TEST(m.get().getView().getJobs().size() == 0u);
    BOOST_TEST(m.get().getView().getJobsGone().size() == 0u);
  }
}

// qrun of a held job, which is not in the view: the scheduler claims its vnodes until it hears of it.
BOOST_AUTO_TEST_CASE(a_job_that_was_asked_for_and_is_gone_before_the_next_delta_holds_nothing) {
  story s;
  s.queue(2, "workq");
  s.host(3, "p1");
  s.submit(10, 1);
  s.happen(10, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  const auto row = schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
    projections::fill_job(m.initRunJob().initJob(), s.status, *s.status.job(10));
  });
  s.followed.note_given(10);
  const auto at = s.view.intake().take_asked(row.get().getRunJob().getJob());
  const auto cpus = s.view.resources().find("ncpus");
  s.view.vnodes().take(0, cpus, 2);
  s.view.claims().claim_for(at, {{{0, cpus, 2}}, {{0, false}}, {}});
  const auto run = [](auto&& fill) { return [fill](auto e) { fill(e.initJob()); }; };
  s.fold(10, run([](auto job) {
           auto a = job.initAssigned();
           a.setRun(1);
           a.setExecVnode("(p1:ncpus=2)");
           a.setExecHost("p1/0*2");
           a.initHosts(1).set(0, "p1");
         }));
  s.fold(10, run([](auto job) { job.initExited().setRun(1); }));
  s.fold(10, run([](auto job) {
           auto v = job.initVnodesReleased();
           v.setRun(1);
           v.setExecVnode("(p1:ncpus=2)");
           v.initHosts(1).set(0, "p1");
         }));
  s.fold(10, run([](auto job) { job.initEnded(); }));
  s.take(s.followed.take_delta());
  s.agree();
}

BOOST_AUTO_TEST_CASE(a_large_view_comes_in_pieces_and_counts_only_when_whole) {
  story s;
  s.queue(2, "workq");
  for (unsigned n = 1; n <= 1200; ++n)
    s.fold(100 + n, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(n) + ".p1");
      j.setNumber(n);
      j.setQueue("workq");
    });
  scheduling_projection fresh(s.status, "default");
  const auto pieces = fresh.full_view();
  BOOST_REQUIRE(pieces.size() == 3u);
  cycle::view whole;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    BOOST_REQUIRE(whole.apply(pieces[i].get().getView()));
    BOOST_TEST((whole.sequence() == s.records.sequence) == (i + 1 == pieces.size()));
  }
  BOOST_TEST(whole.jobs().size() == 1200u);
  s.take(s.followed.take_delta());
  BOOST_TEST(s.view.jobs().size() == 1200u);
  BOOST_TEST(s.view.sequence() == s.records.sequence);
}

// Or the message is larger than the scheduler takes, and it never has a view again.
BOOST_AUTO_TEST_CASE(jobs_of_large_selects_come_in_pieces) {
  story s;
  s.queue(2, "workq");
  std::string select = "1:ncpus=1";
  for (int i = 1; i < 50'000; ++i) select += "+1:ncpus=1:mem=" + std::to_string(i) + "kb";
  for (unsigned n = 1; n <= 20; ++n)
    s.fold(100 + n, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(n) + ".p1");
      j.setNumber(n);
      j.setQueue("workq");
      auto a = j.initAttributes(1)[0];
      a.setName("schedselect");
      a.setValue(select);
    });
  scheduling_projection fresh(s.status, "default");
  std::size_t jobs = 0;
  for (const auto& piece : fresh.full_view()) {
    BOOST_TEST(piece.bytes().size() < 16u << 20);  // what the wire takes
    jobs += piece.get().getView().getJobs().size();
  }
  BOOST_TEST(jobs == 20u);
}

BOOST_AUTO_TEST_CASE(eligible_time_follows_when_it_is_counted_and_when_a_limit_stops_it) {
  story s;
  s.queue(2, "workq");
  s.happen(3, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  s.submit(10, 1);
  const auto since = [&] { return s.view.jobs().find(10)->eligible_since_ns; };
  const auto reason = [&](schema::Why::Kind kind) {
    s.fold(3, [&](auto e) {  // the texts of reasons are not sent back
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, "Not Running: because");
      r.initWhys(1)[0].setKind(kind);
      r.initJobs(1)[0].setJob(10);
    });
    s.take(s.followed.take_delta());
  };
  BOOST_TEST(since() == 0);
  s.happen(1, [](auto e) { set(e.initServer().initChanged().initChanges(1)[0], "eligible_time_enable", "", "True"); });
  const auto counted_from = since();
  BOOST_TEST(counted_from == s.status.wall_ns());
  BOOST_TEST(s.view.settings().counts_eligible_time());
  reason(schema::Why::Kind::RESOURCES);
  BOOST_TEST(since() == counted_from);
  reason(schema::Why::Kind::LIMIT);
  BOOST_TEST(since() == 0);
  BOOST_TEST(s.view.jobs().find(10)->eligible_seconds == (s.status.wall_ns() - counted_from) / 1'000'000'000);
  reason(schema::Why::Kind::RESOURCES);
  BOOST_TEST(since() == s.status.wall_ns());
}

BOOST_AUTO_TEST_CASE(usages_follow_while_fairshare_is_on) {  // MS-107
  projections::status status;
  scheduling_projection followed(status, "default");
  test::told_records records;
  const auto happen = [&](const fill_event& fill) {
    const auto record = records.next(2, fill);
    status.fold(record);
    followed.apply(record);
  };
  const auto set = [&](const char* entity, double usage) {
    happen([&](auto e) {
      auto s = e.initScheduler().initFairshareSet();
      s.setEntity(entity);
      s.setUsage(usage);
    });
  };
  using told = std::map<std::string, double>;
  bool all = false;
  const auto usages = [&](const std::vector<scheduling_projection::message>& messages) {
    told found;
    all = false;
    for (const auto& m : messages) {
      all |= m.get().getView().getUsagesChanged();
      for (auto u : m.get().getView().getUsages()) found[schema::str(u.getEntity())] = u.getUsage();
    }
    return found;
  };
  happen([](auto e) { e.initScheduler().initCreated().setName("default"); });
  followed.full_view();
  set("user1", 10);
  BOOST_TEST(followed.take_delta().empty(), "fairshare is off");
  happen([](auto e) { model::write_fairshare_policy({true, "euser", "cput", 10, 0.5}, e.initScheduler().initFairsharePolicy()); });
  BOOST_TEST((usages(followed.take_delta()) == told{{"user1", 10}}));
  BOOST_TEST(all);
  set("user2", 8);
  const auto messages = followed.take_delta();
  BOOST_TEST((usages(messages) == told{{"user2", 8}}));
  BOOST_TEST(!all);
  BOOST_REQUIRE(messages.size() == 1u);
  BOOST_TEST(messages[0].get().getView().getPrevious() < messages[0].get().getView().getSequence());  // the view is another one
  BOOST_TEST(messages[0].get().getView().getSequence() == followed.sequence());
  BOOST_TEST(followed.take_delta().empty());
  for (int i = 0; i < 9; ++i) set("user3", 2);  // a second each: a decay
  BOOST_TEST((usages(followed.take_delta()) == told{{"user1", 5}, {"user2", 4}, {"user3", 2}}));
  BOOST_TEST(all);
  BOOST_TEST((usages(followed.full_view()) == told{{"user1", 5}, {"user2", 4}, {"user3", 2}}));
}
