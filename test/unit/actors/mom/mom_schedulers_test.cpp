// Schedulers on a MoM's host: started and ended for the server (docs/design/0041-running-schedulers.md).
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "actors/mom/mom_schedulers.hpp"
#include "actors/runtime/run_this.hpp"
#include "test/support/stepped_system.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::actors;
using outcome = ports::scheduler_start_result::outcome;

namespace {

struct fake_processes final : ports::scheduler_processes {
  std::vector<ports::scheduler_start> starts;
  std::vector<std::string> stops;
  ports::scheduler_start_result next{outcome::started, {}};

  ports::scheduler_start_result start(const ports::scheduler_start& what) override {
    starts.push_back(what);
    return next;
  }
  void stop(const std::string& name, const std::string& priv) override { stops.push_back(name + " in " + priv); }
};

struct on_n1 {
  test::temporary_directory priv;
  fake_processes processes;
  std::vector<schema::sealed<schema::FromMom>> told;
  test::stepped_system system;
  std::unique_ptr<mom_schedulers> schedulers;
  caf::actor actor;

  on_n1() { begin(); }
  ~on_n1() { system.end({actor}); }
  void begin() {
    actor = system->spawn([this](caf::event_based_actor* self, int) -> caf::behavior {
      schedulers = std::make_unique<mom_schedulers>(self, mom_schedulers_parts{&processes, "n1", priv.path + "/schedulers", nullptr, false},
                                                    [this](const auto& m) { told.push_back(m); });
      return {[](run_this& what) { what.work(); }};
    },
                          0);
    system.run();
  }
  void start(const std::string& name, const std::string& directory) {
    const auto order = schema::make<schema::StartScheduler>([&](schema::StartScheduler::Builder o) {
      o.setName(name);
      o.setCertificate({reinterpret_cast<const kj::byte*>("pem"), 3});
      o.setPriv(directory);
      o.setLogs("/h/sched_log_" + name);
      o.setPort(15051);
    });
    caf::anon_send(actor, run_this{[this, order] { schedulers->start(order.get()); }});
    system.run();
  }
  void stop(const std::string& name) {
    caf::anon_send(actor, run_this{[this, name] { schedulers->stop(name); }});
    system.run();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(schedulers_of_a_mom, on_n1)

BOOST_AUTO_TEST_CASE(it_starts_what_the_server_wants_and_says_nothing) {  // MS-86
  start("s1", "/h/sched_priv_s1");
  BOOST_REQUIRE(processes.starts.size() == 1u);
  const auto& s = processes.starts[0];
  BOOST_TEST(s.host == "n1");
  BOOST_TEST(s.certificate == "pem");
  BOOST_TEST(s.priv == "/h/sched_priv_s1");
  BOOST_TEST(s.port == 15051u);
  BOOST_TEST(s.own_directories);
  processes.next = {outcome::runs_already, ""};
  start("s1", "/h/sched_priv_s1");
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_CASE(a_directory_that_somebody_named_is_not_made) {  // MS-14
  start("s1", "/h/mine");
  BOOST_TEST(!processes.starts.at(0).own_directories);
}

BOOST_AUTO_TEST_CASE(it_says_why_none_was_started) {
  processes.next = {outcome::no_priv, "/h/mine: No such file or directory"};
  start("s1", "/h/mine");
  BOOST_REQUIRE(told.size() == 1u);
  BOOST_TEST(schema::str(told[0].get().getSchedulerFailed().getName()) == "s1");
  BOOST_TEST(schema::str(told[0].get().getSchedulerFailed().getText()) == "/h/mine: No such file or directory");
}

BOOST_AUTO_TEST_CASE(it_ends_one_that_an_earlier_mom_started) {  // MS-96
  start("s1", "/h/sched_priv_s1");
  system.end({actor});
  begin();
  stop("s1");
  BOOST_TEST(processes.stops == std::vector<std::string>{"s1 in /h/sched_priv_s1"});
  stop("s1");
  BOOST_TEST(processes.stops.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_name_that_leads_elsewhere_is_no_scheduler) {
  for (const char* name : {"", ".", "..", "../s1", "a/b"}) {
    start(name, "/h/sched_priv_x");
    stop(name);
  }
  BOOST_TEST(processes.starts.empty());
  BOOST_TEST(processes.stops.empty());
  BOOST_TEST(told.size() == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
