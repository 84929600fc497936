// Three schedulers, each with the view of its own partition: what each is sent, and that its deltas lead to what its full view shows
// whatever is altered when.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>

#include "events/model/ledger.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/status/partition.hpp"
#include "test/support/dumped_view.hpp"
#include "test/support/told_records.hpp"

using namespace annals;
using projections::scheduling_projection;
using test::dump;

namespace {

using fill_event = std::function<void(schema::Event::Builder)>;

struct followed_view {
  explicit followed_view(const projections::status& from, std::string scheduler) : name(std::move(scheduler)), told(from, name) {}
  std::string name;
  scheduling_projection told;
  cycle::view seen;
  std::size_t rows = 0;  // that the last messages had

  void take(const std::vector<scheduling_projection::message>& messages) {
    rows = 0;
    for (const auto& m : messages) {
      const auto d = m.get().getView();
      rows += d.getJobs().size() + d.getVnodes().size() + d.getQueues().size() + d.getJobsGone().size() + d.getVnodesGone().size() +
              d.getQueuesGone().size() + d.getReservations().size() + d.getReservationsGone().size();
      BOOST_REQUIRE(seen.apply(d));
    }
  }
};

void put(capnp::List<schema::Attribute>::Builder list, const std::string& name, const std::string& value) {
  list[0].setName(name);
  list[0].setValue(value);
  if (value.empty()) list[0].setOp(schema::AttributeOp::UNSET);
}

struct cluster {
  projections::status status;
  model::ledger ledger;  // as in a server: what it refuses does not happen
  test::told_records records;
  std::map<std::string, std::uint64_t> streams;
  std::map<std::string, followed_view> views;

  cluster() {
    happen(1, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("p1");
      s.setHostName("p1");
    });
    for (const char* name : {"default", "s1", "s2"}) {
      views.try_emplace(name, status, name);
      happen(of(name), [&](auto e) { e.initScheduler().initCreated().setName(name); });
    }
    for (auto& [name, v] : views) v.take(v.told.full_view());
  }

  std::uint64_t of(const std::string& name) { return streams.try_emplace(name, 10 + streams.size()).first->second; }

  bool may_happen(std::uint64_t stream, const fill_event& fill) const {
    const auto e = schema::make<schema::Event>([&](schema::Event::Builder b) { fill(b); });
    return !ledger.check({records.sequence + 1, stream, 1, 1'000'000'000, {}}, e.get());
  }
  bool happen(std::uint64_t stream, const fill_event& fill) {
    if (!may_happen(stream, fill)) return false;
    const auto e = schema::make<schema::Event>([&](schema::Event::Builder b) { fill(b); });
    ledger.apply({records.sequence + 1, stream, 1, 1'000'000'000, {}}, e.get());
    const auto record = records.next(stream, fill);
    status.fold(record);
    for (auto& [name, v] : views) v.told.apply(record);
    return true;
  }

  void tell() {
    for (auto& [name, v] : views) tell(v);
  }
  void tell(followed_view& v) {
    v.take(v.told.take_delta());
    scheduling_projection fresh(status, v.name);
    cycle::view whole;
    for (const auto& m : fresh.full_view()) BOOST_REQUIRE(whole.apply(m.get().getView()));
    BOOST_REQUIRE_MESSAGE(dump(v.seen) == dump(whole), v.name + " after event " << records.sequence << ":\n"
                                                                                << dump(v.seen) << "instead of\n"
                                                                                << dump(whole));
  }
  std::string sees(const char* name) { return dump(views.at(name).seen); }

  void queue(const std::string& name) {
    happen(of(name), [&](auto e) { e.initQueue().initCreated().setName(name); });
    set_queue(name, "queue_type", "Execution");
  }
  bool set_queue(const std::string& name, const std::string& attribute, const std::string& value) {
    return happen(of(name), [&](auto e) { put(e.initQueue().initChanged().initChanges(1), attribute, value); });
  }
  bool set_scheduler(const std::string& name, const std::string& attribute, const std::string& value) {
    return happen(of(name), [&](auto e) { put(e.initScheduler().initChanged().initChanges(1), attribute, value); });
  }
  void host(const std::string& name) {
    happen(of(name), [&](auto e) { e.initHost().initAdded().setName(name); });
    happen(of(name), [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    up(name);
  }
  void up(const std::string& name) {
    happen(of(name), [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(1)[0];
      a.setName("resources_available");
      a.setResource("ncpus");
      a.setValue("4");
    });
  }
  bool set_vnode(const std::string& name, const std::string& attribute, const std::string& value) {
    return happen(of(name), [&](auto e) {
      auto v = e.initHost().initVnodeChanged();
      v.setVnode(name);
      put(v.initChanges(1), attribute, value);
    });
  }
  static std::uint64_t job_stream(unsigned number) { return 1000 + number; }
  void submit(unsigned number, const std::string& queue_name) {
    happen(job_stream(number), [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(number) + ".p1");
      j.setNumber(number);
      j.setEuser("pbsuser");
      j.setQueue(queue_name);
      j.setQueueRank(number);
      auto a = j.initAttributes(1);
      a[0].setName("schedselect");
      a[0].setValue("1:ncpus=2");
    });
  }
  bool assign(unsigned number, std::uint32_t run, const std::string& vnode) {
    return happen(job_stream(number), [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(" + vnode + ":ncpus=2)");
      a.setExecHost(vnode + "/0*2");
      a.initHosts(1).set(0, vnode);
      a.setPlace("pack");
    });
  }
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

struct fixture : cluster {
  fixture() {
    for (const char* name : {"workq", "q1", "q2"}) queue(name);
    for (const char* name : {"a", "b", "c"}) host(name);
    set_scheduler("s1", "partition", "P1");
    set_queue("q1", "partition", "P1");
    set_vnode("b", "partition", "P1");
    submit(1, "workq");
    submit(2, "q1");
    tell();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(views_of_partitions, fixture)

BOOST_AUTO_TEST_CASE(each_scheduler_sees_its_own_partition) {  // MS-35, MS-36, MS-72, MS-73, MS-81, MS-93: only what it may place is sent
  const auto all = sees("default"), s1 = sees("s1"), s2 = sees("s2");
  for (const char* part : {"queue workq", "queue q2", "vnode a", "vnode c", "job 1.p1"}) BOOST_TEST(has(all, part), part);
  for (const char* part : {"queue q1", "vnode b", "job 2.p1"}) BOOST_TEST(!has(all, part), part);
  for (const char* part : {"queue q1", "vnode b", "job 2.p1"}) BOOST_TEST(has(s1, part), part);
  for (const char* part : {"queue workq", "queue q2", "vnode a", "vnode c", "job 1.p1"}) BOOST_TEST(!has(s1, part), part);
  BOOST_TEST(s2 == "");
}

BOOST_AUTO_TEST_CASE(what_happens_in_a_partition_is_told_its_scheduler_alone) {  // MS-114: nobody counts what others run
  submit(3, "q1");
  BOOST_TEST(assign(2, 1, "b"));
  tell();
  BOOST_TEST(views.at("default").rows == 0u);
  BOOST_TEST(views.at("s2").rows == 0u);
  BOOST_TEST(views.at("s1").rows == 3u);  // both jobs and the vnode
  BOOST_TEST(has(sees("s1"), "ncpus=2/4"));
}

BOOST_AUTO_TEST_CASE(what_comes_to_another_partition_leaves_the_view) {
  set_scheduler("s2", "partition", "P2");
  tell();
  set_queue("q1", "partition", "P2");
  tell();
  BOOST_TEST(has(sees("s2"), "job 2.p1"));
  BOOST_TEST(!has(sees("s1"), "job 2.p1"));
  BOOST_TEST(set_vnode("b", "partition", "P2"));
  tell();
  BOOST_TEST(sees("s1") == "");
  set_scheduler("s2", "partition", "");
  set_scheduler("s1", "partition", "P2");
  tell();
  BOOST_TEST(sees("s2") == "");
  BOOST_TEST(has(sees("s1"), "vnode b"));
  happen(of("s1"), [](auto e) { e.initScheduler().initDeleted().setName("s1"); });
  tell();
  BOOST_TEST(sees("s1") == "");
}

BOOST_AUTO_TEST_CASE(a_running_job_is_seen_where_its_vnodes_are) {
  set_scheduler("s2", "partition", "P2");
  BOOST_TEST(assign(2, 1, "b"));
  tell();
  set_queue("q1", "partition", "P2");
  tell();
  BOOST_TEST(has(sees("s1"), "job 2.p1"));
  BOOST_TEST(!has(sees("s1"), "queue q1"));
  BOOST_TEST(!has(sees("s2"), "job 2.p1"));
}

// MS-98, MS-103: who may answer is asked, and nobody else knows of it.
BOOST_AUTO_TEST_CASE(a_reservation_is_everybodys_until_it_has_a_place) {
  const auto seen_by = [&](const char* name) {
    const auto& all = views.at(name).seen.reservations();
    return all.empty() ? std::string("-") : all.begin()->ask != 0 ? std::string("asked")
                                                                  : std::string("known");
  };
  happen(of("R9"), [](auto e) {
    auto s = e.initReservation().initSubmitted();
    s.setId("R9");
    auto a = s.initAttributes(1)[0];
    a.setName("schedselect");
    a.setValue("1:ncpus=1");
    auto w = s.initOccurrences(1)[0];
    w.setIndex(1);
    w.setStartNs(5'000'000'000);
    w.setEndNs(9'000'000'000);
  });
  tell();
  BOOST_TEST(seen_by("default") == "asked");
  BOOST_TEST(seen_by("s1") == "asked");
  BOOST_TEST(seen_by("s2") == "-");  // it has no partition
  happen(of("R9"), [](auto e) { e.initReservation().initRefused().setScheduler("default"); });
  tell();
  BOOST_TEST(seen_by("default") == "-");
  BOOST_TEST(seen_by("s1") == "asked");
  const bool placed = happen(of("R9"), [](auto e) {
    auto c = e.initReservation().initConfirmed();
    c.setScheduler("s1");
    c.setPartition("P1");
    auto o = c.initOccurrences(1)[0];
    o.setIndex(1);
    o.setStartNs(5'000'000'000);
    o.setEndNs(9'000'000'000);
    o.setExecVnode("(b:ncpus=1)");
  });
  BOOST_TEST(placed);
  tell();
  BOOST_TEST(seen_by("default") == "-");
  BOOST_TEST(seen_by("s1") == "known");
  happen(of("R9"), [](auto e) { e.initReservation().setEnded(); });
  tell();
  BOOST_TEST(seen_by("s1") == "-");
}

// A queue that went away and came back between two deltas: what happened to its jobs meanwhile is told too.
BOOST_AUTO_TEST_CASE(what_happened_while_a_queue_was_elsewhere_is_told) {
  set_queue("q1", "partition", "P2");
  submit(3, "q1");
  happen(job_stream(2), [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  set_queue("q1", "partition", "P1");
  tell();
  BOOST_TEST(has(sees("s1"), "job 3.p1"));
  BOOST_TEST(!has(sees("s1"), "job 2.p1"));
}

BOOST_AUTO_TEST_CASE(a_record_concerns_whose_partition_it_is_in) {  // MS-90
  const auto concerned = [&](std::uint64_t stream, const fill_event& fill) {
    const auto record = records.next(stream, fill);
    status.fold(record);
    std::string names;
    for (auto& [name, v] : views) {
      v.told.apply(record);
      if (v.told.concerns(record)) names += (names.empty() ? "" : " ") + name;
    }
    return names;
  };
  const auto queued = [](unsigned number, const char* queue_name) {
    return [=](schema::Event::Builder e) {
      auto j = e.initJob().initQueued();
      j.setNumber(number);
      j.setId(std::to_string(number) + ".p1");
      j.setQueue(queue_name);
    };
  };
  BOOST_TEST(concerned(job_stream(8), queued(8, "workq")) == "default");
  BOOST_TEST(concerned(job_stream(9), queued(9, "q1")) == "s1");
  BOOST_TEST(concerned(job_stream(2), [](auto e) { e.initJob().initEnded(); }) == "s1");
  BOOST_TEST(concerned(1, [](auto e) { put(e.initServer().initChanged().initChanges(1), "scheduling", "True"); }) == "default s1 s2");
  const auto vnode_changed = [](const char* name, const char* attribute, const char* value) {
    return [=](schema::Event::Builder e) {
      auto v = e.initHost().initVnodeChanged();
      v.setVnode(name);
      put(v.initChanges(1), attribute, value);
    };
  };
  BOOST_TEST(concerned(of("b"), vnode_changed("b", "Priority", "3")) == "s1");
  BOOST_TEST(concerned(of("a"), vnode_changed("a", "Priority", "3")) == "default");
  BOOST_TEST(concerned(of("b"), vnode_changed("b", "partition", "")) == "default s1");  // who gets it, and who loses it
  BOOST_TEST(concerned(of("q1"), [](auto e) { put(e.initQueue().initChanged().initChanges(1), "Priority", "3"); }) == "s1");
  BOOST_TEST(concerned(of("s2"), [](auto e) { put(e.initScheduler().initChanged().initChanges(1), "scheduling", "True"); }) == "s2");
  views.at("s1").told.stop();
  BOOST_TEST(concerned(of("q1"), [](auto e) { put(e.initQueue().initChanged().initChanges(1), "Priority", "4"); }) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(deltas_of_every_partition_lead_to_its_full_view) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    cluster c;
    const std::vector<std::string> queues = {"workq", "q1", "q2"}, vnodes = {"n0", "n1", "n2", "n3", "n4"}, parts = {"", "P1", "P2"};
    for (const auto& q : queues) c.queue(q);
    for (const auto& v : vnodes) c.host(v);
    const auto any = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
    struct job {
      bool held = false, suspended = false;
      std::uint32_t run = 0;
      std::string vnode;
    };
    std::map<unsigned, job> jobs;
    for (int step = 0; step < 400; ++step) {
      const unsigned number = 1 + random() % 10;
      const auto stream = c.job_stream(number);
      const bool known = jobs.contains(number);
      auto& j = jobs[number];
      switch (random() % 11) {
        case 0: c.set_queue(any(queues), "partition", any(parts)); break;
        case 1: c.set_vnode(any(vnodes), "partition", any(parts)); break;
        case 2: c.set_scheduler(random() % 2 ? "s1" : "s2", "partition", any(parts)); break;
        case 3: c.up(any(vnodes)); break;
        case 4: {
          const auto v = any(vnodes);
          c.happen(c.of(v), [](auto e) { e.initHost().initWentDown().setText("gone"); });
          break;
        }
        case 5:
          if (known && j.vnode.empty()) c.happen(stream, [&](auto e) { e.initJob().initMoved().setQueue(any(queues)); });
          break;
        case 6:
          if (!known || !j.vnode.empty()) break;
          c.happen(stream, [&](auto e) {
            if (j.held) e.initJob().initReleased().initHolds(1).set(0, schema::HoldType::USER);
            else e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER);
          });
          j.held = !j.held;
          break;
        case 7:
          if (j.vnode.empty()) break;
          if (!j.suspended) {
            c.happen(stream, [&](auto e) {
              auto s = e.initJob().initSuspended();
              s.setRun(j.run);
              s.setRequest(c.status.job(stream)->last_request + 1);
            });
            c.happen(stream, [&](auto e) {
              auto r = e.initJob().initVnodesReleased();
              r.setRun(j.run);
              r.setExecVnode("(" + j.vnode + ":ncpus=2)");
              r.setWhy(schema::ReleaseReason::SUSPENDED);
            });
            j.suspended = true;
          } else {
            const auto takes = [&](schema::Event::Builder e) {
              auto t = e.initJob().initVnodesTaken();
              t.setRun(j.run);
              t.setExecVnode("(" + j.vnode + ":ncpus=2)");
              t.setPlace("pack");
            };
            if (!c.may_happen(stream, takes)) break;
            c.happen(stream, [&](auto e) {
              auto r = e.initJob().initResumed();
              r.setRun(j.run);
              r.setRequest(c.status.job(stream)->last_request + 1);
            });
            c.happen(stream, takes);
            j.suspended = false;
          }
          break;
        case 8:
          if (j.vnode.empty() || j.suspended) break;
          c.happen(stream, [&](auto e) { e.initJob().initExited().setRun(j.run); });
          c.happen(stream, [&](auto e) { e.initJob().initOutputDelivered().setOk(true); });
          c.happen(stream, [&](auto e) {
            auto r = e.initJob().initVnodesReleased();
            r.setRun(j.run);
            r.setExecVnode("(" + j.vnode + ":ncpus=2)");
            r.initHosts(1).set(0, j.vnode);
          });
          c.happen(stream, [&](auto e) {
            auto r = e.initJob().initRequeued();
            r.setRun(j.run);
            r.initHolds(0);
          });
          j.vnode.clear();
          break;
        default: {
          if (!known) {
            c.submit(number, any(queues));
            break;
          }
          const auto v = any(vnodes);
          if (j.held || !j.vnode.empty() || !c.assign(number, j.run + 1, v)) break;
          ++j.run;
          j.vnode = v;
          c.happen(stream, [&](auto e) { e.initJob().initStarted().setRun(j.run); });
        }
      }
      if (!known && !c.status.job(stream)) jobs.erase(number);
      for (auto& [name, v] : c.views)
        if (random() % 3 == 0) c.tell(v);  // each at its own time
    }
    c.tell();
  }
}
