// Reservations asked of the whole server: a scheduler finds a place, the queue comes and goes, a restart changes nothing.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

#include "events/attributes/ids.hpp"
#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/pbs_error.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
namespace ids = attributes::reservation;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
using state = schema::ReservationAnswer::State;
constexpr std::int64_t second = 1'000'000'000;

struct moved_clock : ports::clock {
  std::int64_t ns = 1'795'222'000 * second;
  std::int64_t now_ns() const override { return ns; }
};

struct cluster {
  std::shared_ptr<moved_clock> clock = std::make_shared<moved_clock>();
  test::whole_server server{[c = clock](actors::server_system_parts& p) { p.clock = c.get(); }};
  peer_ptr scheduler = server.scheduler_comes("default"), mom;

  cluster() {
    server.create_node("n1");
    mom = server.hello_of("n1");
  }

  std::int64_t now_s() const { return clock->ns / second; }
  void pass(std::int64_t seconds) {
    clock->ns += seconds * second;
    server.system.scheduler().trigger_timeouts();
    server.system.run();
  }
  void restart() {
    server.restart();
    scheduler = server.scheduler_comes("default");
    server.hello_of("n1");
  }

  peer_ptr reserve(std::int64_t in, std::int64_t lasts, const std::string& interactive = "", const std::string& user = "alice") {
    return server.ask(
        [&](schema::Request::Builder r) {
          auto list = r.initSubmitReservation().initAttributes(interactive.empty() ? 3 : 4);
          const auto put = [&](unsigned i, const char* name, const char* resource, const std::string& value) {
            list[i].setName(name);
            list[i].setResource(resource);
            list[i].setValue(value);
          };
          put(0, "Resource_List", "select", "1:ncpus=2");
          put(1, "reserve_start", "", std::to_string(now_s() + in));
          put(2, "reserve_duration", "", std::to_string(lasts));
          if (!interactive.empty()) put(3, "interactive", "", interactive);
        },
        user);
  }
  // It comes again; the rest is as above.
  peer_ptr reserve_by(const std::string& rule) {
    return server.ask(
        [&](schema::Request::Builder r) {
          auto list = r.initSubmitReservation().initAttributes(5);
          const auto put = [&](unsigned i, const char* name, const std::string& value) {
            list[i].setName(name);
            list[i].setValue(value);
          };
          put(0, "Resource_List", "1:ncpus=2");
          list[0].setResource("select");
          put(1, "reserve_start", std::to_string(now_s() + 100));
          put(2, "reserve_duration", "60");
          put(3, "reserve_rrule", rule);
          put(4, "reserve_timezone", "Europe/Berlin");
        },
        "alice");
  }
  // What the scheduler was asked last; nothing: it was not.
  struct asked {
    std::uint64_t serial = 0, ask = 0;
    std::int64_t start = 0, end = 0;
  };
  asked question() const {
    asked last;
    for (const auto& m : scheduler->sent) {
      const auto view = m.root<schema::ToScheduler>();
      if (!view.isView()) continue;
      for (auto r : view.getView().getReservations())
        if (r.getAsk() != 0) last = {r.getSerial(), r.getAsk(), r.getWanted()[0].getStartNs(), r.getWanted()[0].getEndNs()};
    }
    return last;
  }
  // By a scheduler that comes again, and so has the whole view.
  void answer(const std::string& exec_vnode) {
    caf::anon_send(server.whole->gateway(), actors::peer_closed{scheduler, "lost"});
    server.system.run();
    scheduler = server.scheduler_comes("default");
    server.system.run();
    const auto q = question();
    BOOST_REQUIRE(q.ask != 0);
    server.says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                  auto a = m.initReservation();
                  a.setReservation(q.serial);
                  a.setAsk(q.ask);
                  if (exec_vnode.empty()) return a.setRefused("no room");
                  auto place = a.initConfirmed(1)[0];
                  place.setIndex(1);
                  place.setStartNs(q.start);
                  place.setEndNs(q.end);
                  place.setExecVnode(exec_vnode);
                }));
  }
  static std::string said(const peer_ptr& to) {
    if (to->sent.empty()) return "nothing";
    const auto r = to->sent.at(0).root<schema::Reply>();
    if (r.isRejected()) return std::to_string(r.getRejected().getCode());
    if (!r.isReservation()) return "done";
    static constexpr const char* words[] = {"UNCONFIRMED", "CONFIRMED", "DENIED", "ALTER REQUESTED"};
    return schema::str(r.getReservation().getReservation()) + " " + words[static_cast<unsigned>(r.getReservation().getState())];
  }
  // An attribute of an object; "(no such)" if it is not there.
  std::string shown(schema::ObjectKind kind, const std::string& name, attributes::attribute_id id) {
    const auto peer = server.ask([&](schema::Request::Builder r) {
      auto s = r.initStat();
      s.setKind(kind);
      s.initNames(1).set(0, name);
    });
    const auto objects = peer->sent.at(0).root<schema::Reply>().getObjects().getObjects();
    if (objects.size() == 0) return "(no such)";
    const auto packed = objects[0].getAttributes();
    const auto row = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.begin()), packed.size()});
    return std::string(row->get(id).value_or("(none)"));
  }
  std::string of_reservation(attributes::attribute_id id) { return shown(schema::ObjectKind::RESERVATION, "R0.borg", id); }
  std::string of_queue(attributes::attribute_id id) { return shown(schema::ObjectKind::QUEUE, "R0", id); }
  std::string remove(const std::string& id, const std::string& user = "alice") {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = 2000;
    server.says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) { r.initDeleteReservation().setReservation(id); }));
    return said(peer);
  }
  std::string submit(const std::string& queue, const std::string& user = "alice") {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = 2000;
    server.says(peer, schema::make<schema::Request>([&](schema::Request::Builder r) {
                  auto q = r.initQueueJob();
                  q.setSubmitHost("borg");
                  q.setQueue(queue);
                }));
    return said(peer);
  }
  // A job of alice's with create_resv_from_job; the first thing here, so that it is 0.borg.
  void submit_and_start(const char* walltime) {
    server.ask(
        [&](schema::Request::Builder r) {
          auto q = r.initQueueJob();
          q.setSubmitHost("borg");
          auto list = q.initAttributes(*walltime ? 2 : 1);
          list[0].setName("create_resv_from_job");
          list[0].setValue("true");
          if (!*walltime) return;
          list[1].setName("Resource_List");
          list[1].setResource("walltime");
          list[1].setValue(walltime);
        },
        "alice");
    std::uint64_t serial = 0;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serial = r->get().getStream();
      return true;
    });
    server.says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                  auto run = m.initRun();
                  run.setJob(serial);
                  run.setExecVnode("(n1:ncpus=1)");
                  run.setExecHost("n1/0");
                  run.initHosts(1).set(0, "n1");
                }));
    server.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                  auto ref = m.initRunStarted().initRef();
                  ref.setJobSerial(serial);
                  ref.setRun(1);
                  ref.setJob("0.borg");
                }));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(reservations)

// By a helper, so that the gateway and the reservation's actor never wait for it.
BOOST_AUTO_TEST_CASE(a_rule_is_expanded_before_anything_is_decided) {
  cluster c;
  const auto refused = [&](const char* rule) { return cluster::said(c.reserve_by(rule)); };
  BOOST_TEST(refused("FREQ=SECONDLY;COUNT=1;BYMONTH=2;BYMONTHDAY=30") == std::to_string(values::pbs_error::rrule_secondly));
  BOOST_TEST(refused("FREQ=DAILY;COUNT=1;BYMONTH=2;BYMONTHDAY=30") == std::to_string(values::pbs_error::rrule_syntax));
  BOOST_TEST(refused("FREQ=DAILY") == std::to_string(values::pbs_error::rrule_needs_end));
  BOOST_TEST(c.question().ask == 0u);
  const auto said = cluster::said(c.reserve_by("FREQ=DAILY;COUNT=2"));
  BOOST_TEST(said.starts_with("S"), said);
  BOOST_TEST(said.ends_with(" UNCONFIRMED"), said);
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, said.substr(0, said.find(' ')), ids::reserve_count) == "2");
}

BOOST_AUTO_TEST_CASE(one_is_confirmed_runs_and_ends) {
  cluster c;
  BOOST_TEST(c.said(c.reserve(100, 60)) == "R0.borg UNCONFIRMED");
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "RESV_UNCONFIRMED");
  c.answer("(n1:ncpus=2)");
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(c.of_reservation(ids::resv_nodes) == "(n1:ncpus=2)");
  BOOST_TEST(c.of_queue(attributes::queue::enabled) == "True");
  BOOST_TEST(c.of_queue(attributes::queue::started) == "False");
  BOOST_TEST(c.of_queue(attributes::queue::acl_users) == "alice@borg");
  BOOST_TEST(c.of_queue(attributes::queue::partition) == "pbs-default");
  BOOST_TEST(c.shown(schema::ObjectKind::NODE, "n1", attributes::node::resv) == "R0.borg");
  c.pass(100);
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "RESV_RUNNING");
  BOOST_TEST(c.of_queue(attributes::queue::started) == "True");
  c.pass(60);
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "(no such)");
  BOOST_TEST(c.of_queue(attributes::queue::started) == "(no such)");
  BOOST_TEST(c.shown(schema::ObjectKind::NODE, "n1", attributes::node::resv) == "(none)");
}

BOOST_AUTO_TEST_CASE(one_without_room_is_denied) {
  cluster c;
  const auto asker = c.reserve(100, 60, "5");
  BOOST_TEST(c.said(asker) == "nothing");
  c.answer("");
  BOOST_TEST(c.said(asker) == "R0.borg DENIED");
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "(no such)");
}

BOOST_AUTO_TEST_CASE(who_waits_is_told_when_it_is_confirmed_or_his_time_is_over) {
  cluster c;
  const auto first = c.reserve(100, 60, "5");
  c.answer("(n1:ncpus=2)");
  BOOST_TEST(c.said(first) == "R0.borg CONFIRMED");
  const auto second = c.reserve(200, 60, "5");
  c.pass(6);
  BOOST_TEST(c.said(second) == "R1.borg UNCONFIRMED");
  const auto third = c.reserve(300, 60, "-5");
  c.pass(6);
  BOOST_TEST(c.said(third) == "R2.borg DENIED");
}

BOOST_AUTO_TEST_CASE(only_who_is_listed_submits_and_jobs_go_with_it) {
  cluster c;
  c.reserve(100, 60);
  c.answer("(n1:ncpus=2)");
  BOOST_TEST(c.submit("R0") == "done");
  BOOST_TEST(c.shown(schema::ObjectKind::JOB, "1.borg", attributes::job::reserve_ID) == "R0.borg");
  BOOST_TEST(c.submit("R0", "bob") == "15007");
  BOOST_TEST(c.remove("R0.borg", "bob") == "15007");
  BOOST_TEST(c.remove("R9.borg") == "15084");
  BOOST_TEST(c.remove("R0.borg") == "done");
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "(no such)");
  BOOST_TEST(c.of_queue(attributes::queue::enabled) == "(no such)");
}

BOOST_AUTO_TEST_CASE(a_restart_loses_no_window) {
  cluster c;
  c.reserve(100, 60);
  c.restart();
  c.answer("(n1:ncpus=2)");
  c.restart();
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "RESV_CONFIRMED");
  c.clock->ns += 110 * second;  // while it is down
  c.restart();
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "RESV_RUNNING");
  BOOST_TEST(c.of_queue(attributes::queue::started) == "True");
  c.clock->ns += 100 * second;
  c.restart();
  BOOST_TEST(c.of_reservation(ids::reserve_state) == "(no such)");
}

// create_resv_from_job, in the name of the owner; a job without a walltime runs without.
BOOST_AUTO_TEST_CASE(a_job_that_starts_makes_its_own) {
  cluster c;
  c.submit_and_start("60");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, "R1.borg", ids::reserve_state) == "RESV_RUNNING");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, "R1.borg", ids::Reserve_Owner) == "alice@borg");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, "R1.borg", ids::resv_nodes) == "(n1:ncpus=1)");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, "R1.borg", ids::reserve_job) == "0.borg");
  BOOST_TEST(c.shown(schema::ObjectKind::JOB, "0.borg", attributes::job::reserve_ID) == "R1.borg");
  c.server.restart();
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, "R2.borg", ids::reserve_state) == "(no such)");
  BOOST_TEST(c.shown(schema::ObjectKind::JOB, "0.borg", attributes::job::reserve_ID) == "R1.borg");

  cluster without;
  without.submit_and_start("");
  BOOST_TEST(without.shown(schema::ObjectKind::JOB, "0.borg", attributes::job::job_state) == "R");
  BOOST_TEST(without.shown(schema::ObjectKind::JOB, "0.borg", attributes::job::reserve_ID) == "(none)");
}

// pbs_rsub --hosts
BOOST_AUTO_TEST_CASE(maintenance_is_confirmed_though_no_scheduler_answers) {
  cluster c;
  c.server.set("scheduling", "False");
  const auto asked = [&](const char* host) {
    return cluster::said(c.server.ask([&](schema::Request::Builder r) {
      auto s = r.initSubmitReservation();
      s.initHosts(1).set(0, host);
      auto list = s.initAttributes(2);
      list[0].setName("reserve_start");
      list[0].setValue(std::to_string(c.now_s() + 100));
      list[1].setName("reserve_duration");
      list[1].setValue("60");
    }));
  };
  BOOST_TEST(asked("n9") == std::to_string(values::pbs_error::unknown_node));
  const auto said = asked("n1");
  BOOST_TEST(said.starts_with("M"), said);
  BOOST_TEST(said.ends_with(".borg CONFIRMED"), said);
  const auto id = said.substr(0, said.find(' '));
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, id, ids::reserve_state) == "RESV_CONFIRMED");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, id, ids::resv_nodes) == "(n1:ncpus=4)");
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, id, ids::schedselect) == "1:host=n1:ncpus=4");
  BOOST_TEST(c.shown(schema::ObjectKind::NODE, "n1", attributes::node::resv) == id);
  c.pass(100);
  BOOST_TEST(c.shown(schema::ObjectKind::RESERVATION, id, ids::reserve_state) == "RESV_RUNNING");
}

// MS-103
BOOST_AUTO_TEST_CASE(the_queue_stays_where_the_reservation_is) {
  cluster c;
  c.reserve(100, 60);
  c.answer("(n1:ncpus=2)");
  const auto manage = [&](schema::ManageVerb verb, const char* name) {
    return c.said(c.server.ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(schema::ObjectKind::QUEUE);
      m.setName("R0");
      if (!*name) return;
      auto change = m.initChanges(1)[0];
      change.setName(name);
      change.setValue("P1");
    }));
  };
  BOOST_TEST(manage(schema::ManageVerb::SET, "partition") == "15007");
  BOOST_TEST(manage(schema::ManageVerb::DELETE, "") != "done");
}

BOOST_AUTO_TEST_SUITE_END()
