// Hooks on reservations in the whole server: they change and refuse what is asked for, and look on at what happens.
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/log/log_reader.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;
namespace ids = attributes::reservation;
namespace protocol = hooks::protocol;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;
constexpr std::int64_t second = 1'000'000'000;

struct moved_clock : ports::clock {
  std::int64_t ns = 1'795'222'000 * second;
  std::int64_t now_ns() const override { return ns; }
};

struct site {
  moved_clock clock;
  hooks::fake_hook_runner runner;
  std::vector<std::string> seen;  // "hook R0.borg state by who", each run
  test::whole_server server{[this](actors::server_system_parts& p) {
    p.clock = &clock;
    p.runner = &runner;
  }};

  site() {
    server.create_node("n1");
    server.hello_of("n1");
    settle();
  }
  void settle() {
    do server.system.run();
    while (runner.step());
  }
  void pass(std::int64_t seconds) {
    clock.ns += seconds * second;
    server.system.scheduler().trigger_timeouts();
    settle();
  }
  template <class Fill>
  peer_ptr ask(Fill fill, const std::string& user = "root") {
    auto peer = server.ask(fill, user);
    settle();
    return peer;
  }
  template <class Fill>
  void manage(const std::string& hook, schema::ManageVerb verb, Fill fill) {
    ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName(hook);
      fill(m);
    });
  }
  static std::string value(protocol::Object::Reader object, std::string_view name) {
    for (auto a : object.getAttributes())
      if (schema::text(a.getName()) == name && a.getResource().size() == 0) return schema::str(a.getValue());
    return "-";
  }
  // A hook of this event and name; what each run is shown is in `seen`.
  void add_hook(const std::string& event, const hooks::fake_hook_runner::behaviour& does = {}) {
    runner.when(event, [this, event, does](protocol::Request::Reader r, protocol::Reply::Builder reply) {
      std::string line = event + " by " + schema::str(r.getRequestor());
      for (auto p : r.getParameters())
        if (p.isObject())
          line += " " + schema::str(p.getName()) + "=" + schema::str(p.getObject().getName()) + ":" +
                  value(p.getObject(), "Reserve_Name") + ":" + value(p.getObject(), "reserve_state");
      seen.push_back(line);
      if (does) does(r, reply);
    });
    manage(event, schema::ManageVerb::CREATE, [](auto) {});
    manage(event, schema::ManageVerb::IMPORT, [&](auto m) {
      const std::string code = "import pbs";
      m.setContentType("application/x-python");
      m.setContent({reinterpret_cast<const kj::byte*>(code.data()), code.size()});
    });
    manage(event, schema::ManageVerb::SET, [&](auto m) {
      auto change = m.initChanges(1)[0];
      change.setName("event");
      change.setValue(event);
    });
  }
  static void rename(protocol::Reply::Builder reply, const std::string& name) {
    auto c = reply.initChanges(1)[0];
    c.setParameter("resv");
    c.setKind(protocol::ObjectKind::RESERVATION);
    c.setAttribute("Reserve_Name");
    c.setHasValue(true);
    c.setAfter(name);
  }
  peer_ptr reserve(const std::string& name) {
    return ask(
        [&](schema::Request::Builder r) {
          auto list = r.initSubmitReservation().initAttributes(4);
          const auto put = [&](unsigned i, const char* attribute, const char* resource, const std::string& text) {
            list[i].setName(attribute);
            list[i].setResource(resource);
            list[i].setValue(text);
          };
          put(0, "Resource_List", "select", "1:ncpus=2");
          put(1, "reserve_start", "", std::to_string(clock.ns / second + 100));
          put(2, "reserve_duration", "", "60");
          put(3, "Reserve_Name", "", name);
        },
        "alice");
  }
  peer_ptr alter(const std::string& id, const std::string& name) {
    return ask(
        [&](schema::Request::Builder r) {
          auto a = r.initAlterReservation();
          a.setReservation(id);
          auto change = a.initChanges(1)[0];
          change.setName("Reserve_Name");
          change.setValue(name);
        },
        "alice");
  }
  // By a scheduler that has just come, and so has the whole view.
  void confirm() {
    const auto scheduler = server.scheduler_comes("default");
    settle();
    for (const auto& m : scheduler->sent) {
      const auto view = m.root<schema::ToScheduler>();
      if (!view.isView()) continue;
      for (auto r : view.getView().getReservations())
        if (r.getAsk() != 0)
          server.says(scheduler, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder b) {
                        auto a = b.initReservation();
                        a.setReservation(r.getSerial());
                        a.setAsk(r.getAsk());
                        auto place = a.initConfirmed(1)[0];
                        place.setIndex(1);
                        place.setStartNs(r.getWanted()[0].getStartNs());
                        place.setEndNs(r.getWanted()[0].getEndNs());
                        place.setExecVnode("(n1:ncpus=2)");
                      }));
    }
    settle();
  }
  static std::string said(const peer_ptr& to) {
    if (to->sent.empty()) return "nothing";
    const auto r = to->sent.at(0).root<schema::Reply>();
    if (r.isRejected()) return schema::str(r.getRejected().getText());
    return r.isReservation() ? schema::str(r.getReservation().getReservation()) : "done";
  }
  // Hooks in records of reservations, and runs that stand alone: "resvsub in R", "resv_end alone".
  std::vector<std::string> written() const {
    std::vector<std::string> runs;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (r->event().isReservation())
        for (auto run : r->get().getHooks()) runs.push_back(schema::str(run.getEvent()) + " in a record");
      if (schema::is(r->event(), schema::HookEvent::RAN))
        runs.push_back(schema::str(r->event().getHook().getRan().getRun().getEvent()) + " alone");
      return true;
    });
    return runs;
  }
};

using lines = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(reservation_hooks)

BOOST_AUTO_TEST_CASE(a_submission_and_a_change_go_on_as_hooks_left_them) {
  site s;
  s.add_hook("resvsub", [](auto, auto reply) { site::rename(reply, "by-hook"); });
  s.add_hook("modifyresv", [](auto, auto reply) { site::rename(reply, "again"); });
  BOOST_TEST(site::said(s.reserve("mine")) == "R0.borg");
  BOOST_TEST(site::said(s.alter("R0", "other")) == "R0.borg");
  s.add_hook("resv_confirm");
  s.confirm();
  BOOST_REQUIRE(s.seen.size() == 3u);
  BOOST_TEST(s.seen[0] == "resvsub by alice resv=:mine:-");
  BOOST_TEST(s.seen[1] == "modifyresv by alice resv=R0.borg:other:- resv_o=R0.borg:by-hook:RESV_UNCONFIRMED");
  BOOST_TEST(s.seen[2] == "resv_confirm by Scheduler resv=R0.borg:again:RESV_CONFIRMED");
  BOOST_CHECK((s.written() == lines{"resvsub in a record", "modifyresv in a record", "resv_confirm alone"}));
}

BOOST_AUTO_TEST_CASE(a_rejection_is_told_in_the_words_of_the_hook_and_nothing_happens) {
  site s;
  const auto no = [](auto, auto reply) {
    reply.setVerdict(protocol::Verdict::REJECT);
    reply.setMessage("no way");
  };
  s.add_hook("modifyresv", no);
  BOOST_TEST(site::said(s.reserve("mine")) == "R0.borg");
  BOOST_TEST(site::said(s.alter("R0.borg", "other")) == "no way");
  s.add_hook("resvsub", no);
  BOOST_TEST(site::said(s.reserve("second")) == "no way");
  BOOST_CHECK((s.written() == lines{"modifyresv alone", "resvsub alone"}));
  BOOST_TEST(s.seen.size() == 2u);
}

BOOST_AUTO_TEST_CASE(an_unknown_reservation_asks_no_hook) {
  site s;
  s.add_hook("modifyresv");
  BOOST_TEST(site::said(s.alter("R9", "other")) == std::string(values::pbs_error_text(values::pbs_error::unknown_reservation)));
  BOOST_TEST(s.seen.empty());
}

BOOST_AUTO_TEST_CASE(beginning_and_end_are_looked_at_once_and_a_rejection_changes_nothing) {
  site s;
  for (const char* event : {"resv_begin", "resv_end"})
    s.add_hook(event, [](auto, auto reply) { reply.setVerdict(protocol::Verdict::REJECT); });
  s.reserve("mine");
  s.confirm();
  BOOST_TEST(s.seen.empty());
  s.pass(100);
  s.server.restart();
  s.pass(60);
  BOOST_CHECK((s.seen == lines{"resv_begin by root resv=R0.borg:mine:RESV_RUNNING", "resv_end by root resv=R0.borg:mine:RESV_RUNNING"}));
  BOOST_CHECK((s.written() == lines{"resv_begin alone", "resv_end alone"}));
}

BOOST_AUTO_TEST_CASE(a_periodic_hook_has_all_reservations) {
  site s;
  lines listed;
  s.add_hook("periodic", [&](protocol::Request::Reader r, protocol::Reply::Builder) {
    for (auto p : r.getParameters())
      if (p.getName() == "resv_list")
        for (auto o : p.getObjects()) listed.push_back(schema::str(o.getName()) + " " + site::value(o, "Reserve_Name"));
  });
  s.reserve("mine");
  s.confirm();
  s.pass(120);
  BOOST_CHECK((listed == lines{"R0.borg mine"}));
}

BOOST_AUTO_TEST_SUITE_END()
