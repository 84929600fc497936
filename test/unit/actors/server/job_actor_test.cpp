// When a job's actor leaves memory: it says that it is idle until the gateway lets it go, whatever comes in between. What releases wait
// for, and when they are answered; and how an order waits for its script.
#include "actors/server/job_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include <optional>
#include <span>

#include "actors/runtime/log_writer.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;

namespace {

struct heard {
  int idle = 0;
  std::vector<std::uint64_t> may_leave;
  std::vector<std::uint64_t> usage_asked;  // questions, to borg
  int usage_withdrawn = 0;
  int orders_to_run = 0;
  std::vector<std::string> scripts_wanted;  // hashes
  std::vector<std::string> started;         // the scripts of orders to start
};

caf::behavior fake_gateway(caf::event_based_actor*, heard* h) {
  return {
      [h](const actors::job_idle&) { ++h->idle; },
      [h](const actors::i_may_leave& m) { h->may_leave.push_back(m.sent); },
      [h](const actors::post_to_host& p) {
        const auto m = p.message.get();
        if (m.isUsageNow() && p.host == "borg") h->usage_asked.push_back(m.getUsageNow().getQuestion());
        h->orders_to_run += m.isTellRun();
        if (!m.isStartRun()) return;
        const auto script = m.getStartRun().getInlineScript();
        h->started.emplace_back(reinterpret_cast<const char*>(script.begin()), script.size());
      },
      [h](const actors::withdraw_from_host& w) { h->usage_withdrawn += w.key.what.name == "usage"; },
  };
}

// Reads nothing by itself: the disk takes its time.
caf::behavior slow_scripts(caf::event_based_actor*, heard* h) {
  return {[h](const actors::script_wanted& w) { h->scripts_wanted.push_back(w.hash); }};
}

struct kept_answer final : actors::reply_to {
  std::string said;
  void done(std::uint64_t, const std::string& text) override { said = "done" + (text.empty() ? text : ": " + text); }
  void refused(std::uint64_t, const model::rejection& why) override { said = "refused " + std::to_string(why.code); }
};

struct fixture {
  explicit fixture(const std::string& script_hash = {}) : log(store, clock), reader(store) {
    const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    writer = system->spawn(actors::log_writer, actors::log_writer_parts{&log, &reader, nullptr, {}, stop, [] { return true; }});
    gateway = system->spawn(fake_gateway, &said);
    scripts = system->spawn(slow_scripts, &said);
    job = system->spawn<actors::job_actor>(actors::job_parts{{writer, &reader, &clock, stop}, gateway, scripts}, 12, 0, settings);
    auto submission = test::submission(12);
    submission.script_hash = script_hash;
    submission.script_size = script_hash.empty() ? 0 : 10;
    tell(submission);
    run();
  }
  ~fixture() { system.end({job, scripts, gateway, writer}); }
  void tell(model::job_command c, const model::requester& by = test::manager()) {
    caf::anon_send(job, actors::envelope<model::job_command>{std::move(c), by, "", nullptr, settings, {}, 0, {}});
  }
  void ask(std::uint64_t sent) { caf::anon_send(job, actors::may_you_leave{sent}); }
  void run() { system.run(); }
  void pass(std::int64_t seconds) {
    clock.ns += seconds * 1'000'000'000;
    system.scheduler().advance_time(std::chrono::seconds(seconds));
    run();
  }

  log::memory_event_store store;
  test::still_clock clock;
  log::event_log log;
  log::log_reader reader;
  test::stepped_system system;
  model::settings_ptr settings = std::make_shared<model::settings>(test::small_settings());
  heard said;
  caf::actor writer, gateway, scripts, job;
};

// A job on borg and n2, of which the server knows that it runs.
struct running : fixture {
  running() {
    caf::anon_send(job, actors::envelope<model::job_command>{
                            test::propose_hosts({"borg", "n2"}), test::the_scheduler(), "", nullptr, settings, {}, 0, {}});
    report([](auto m) { m.initRunStarted().initRef().setRun(1); });
    report([](auto m) { m.initRunUsage().initRef().setRun(1); });
    run();
  }
  template <class Fill>
  void report(Fill&& fill) { tell(test::report(std::forward<Fill>(fill))); }
  std::shared_ptr<kept_answer> ask(const std::string& host, bool in_job) {
    auto answer = std::make_shared<kept_answer>();
    model::client_request asked{test::make_request([&](auto r) {
      r.initReleaseNodes().initNamed(1).set(0, host);
      r.getReleaseNodes().setInJob(in_job);
    })};
    caf::anon_send(job, actors::envelope<model::job_command>{std::move(asked), test::manager(), "", answer, settings, {}, 0, {}});
    run();
    return answer;
  }
  void host_answers(const std::string& host = "borg") {
    caf::anon_send(job, actors::usage_answered{said.usage_asked.back(), host});
    run();
  }
  std::shared_ptr<kept_answer> release(const std::string& host = "n2") {
    const auto answer = ask(host, true);
    if (!said.usage_asked.empty()) host_answers();
    return answer;
  }
  void is_done(std::uint64_t request) {
    report([&](auto m) {
      m.initRequestDone().initRef().setRun(1);
      m.getRequestDone().setId(request);
    });
    run();
  }
};

// A job with a script that travels in its order, which a scheduler has placed.
struct scripted : fixture {
  scripted() : fixture(std::string(32, 'h')) {
    tell(test::propose_hosts({"borg"}), test::the_scheduler());
    run();
  }
  void is_read(std::optional<std::string> text) {
    actors::script_read read;
    if (text) {
      const auto bytes = std::as_bytes(std::span(*text));
      read.text.emplace(bytes.begin(), bytes.end());
    }
    caf::anon_send(job, std::move(read));
    run();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(orders_with_scripts, scripted)

BOOST_AUTO_TEST_CASE(an_order_goes_out_when_its_script_was_read) {
  BOOST_TEST(said.scripts_wanted == std::vector<std::string>{std::string(32, 'h')}, boost::test_tools::per_element());
  BOOST_TEST(said.started.empty());
  caf::anon_send(job, actors::host_created{"borg"});  // it is owed anew meanwhile, and asked for once
  run();
  BOOST_TEST(said.scripts_wanted.size() == 1u);
  is_read("#!/bin/sh\n");
  BOOST_TEST(said.started == std::vector<std::string>{"#!/bin/sh\n"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_order_whose_script_is_lost_goes_out_without_it) {
  is_read(std::nullopt);
  BOOST_TEST(said.started == std::vector<std::string>{""}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_order_that_goes_out_again_has_its_script_read_again) {
  is_read("#!/bin/sh\n");
  caf::anon_send(job, actors::host_created{"borg"});
  run();
  BOOST_TEST(said.scripts_wanted.size() == 2u);
  is_read("#!/bin/sh\n");
  BOOST_TEST(said.started.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(leaving, fixture)

BOOST_AUTO_TEST_CASE(a_job_that_owes_nothing_may_leave) {
  BOOST_TEST(said.idle == 1);
  ask(1);
  run();
  BOOST_TEST(said.may_leave == std::vector<std::uint64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_asked_in_the_middle_of_a_command_says_later_that_it_is_idle) {
  tell(test::alter({{"Priority", "", "5"}}));
  ask(1);  // the command is on its way to the disk
  run();
  BOOST_TEST(said.may_leave.empty());
  BOOST_TEST(said.idle == 2);
}

BOOST_AUTO_TEST_CASE(a_job_that_might_have_left_and_got_a_command_says_again_that_it_is_idle) {
  ask(1);
  tell(test::alter({{"Priority", "", "5"}}));
  run();
  BOOST_TEST(said.may_leave.size() == 1u);  // the gateway knows of the command and lets it stay
  BOOST_TEST(said.idle == 2);
}

BOOST_AUTO_TEST_CASE(a_job_that_stays_idle_is_not_announced_with_every_command) {
  tell(test::alter({{"Priority", "", "5"}}));
  run();
  tell(test::alter({{"Priority", "", "6"}}));
  run();
  BOOST_TEST(said.idle == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(phases_of_accounting, running)

// RD-74
BOOST_AUTO_TEST_CASE(a_release_waits_for_what_was_used_until_then) {
  const auto answer = ask("n2", false);
  BOOST_TEST(said.usage_asked.size() == 1u);
  BOOST_TEST(answer->said == "");
  BOOST_TEST(said.orders_to_run == 0);
  host_answers("n2");  // it does not speak for the run
  BOOST_TEST(answer->said == "");
  host_answers();
  BOOST_TEST(answer->said == "done");
  BOOST_TEST(said.orders_to_run == 1);
  BOOST_TEST(said.usage_withdrawn == 1);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_dead_is_waited_for_a_moment) {
  const auto answer = ask("n2", false);
  pass(limits::usage_wait_s);
  BOOST_TEST(answer->said == "done");
  BOOST_TEST(said.usage_withdrawn == 1);
  host_answers();  // late
  BOOST_TEST(said.orders_to_run == 1);
}

BOOST_AUTO_TEST_CASE(releases_close_together_have_one_answer) {
  const auto one = ask("n2", false), same = ask("n2", false);
  BOOST_TEST(said.usage_asked.size() == 1u);
  host_answers();
  BOOST_TEST(one->said == "done");
  BOOST_TEST(same->said == "refused 15010");
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_meanwhile_releases_nothing) {
  const auto answer = ask("n2", false);
  report([](auto m) { m.initRunExited().initRef().setRun(1); });
  run();
  BOOST_TEST(answer->said == "refused 15016");
  BOOST_TEST(said.usage_withdrawn == 1);
}

BOOST_AUTO_TEST_CASE(what_would_be_refused_asks_nobody) {
  BOOST_TEST(ask("borg", false)->said == "refused 15010");
  BOOST_TEST(said.usage_asked.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(releases_in_the_job, running)

// RD-16
BOOST_AUTO_TEST_CASE(a_release_is_answered_when_the_first_host_has_taken_it_in) {
  const auto idle = said.idle;
  const auto answer = release();
  BOOST_TEST(answer->said == "");
  is_done(1);
  BOOST_TEST(answer->said == "done");
  BOOST_TEST(said.idle == idle + 1);
}

BOOST_AUTO_TEST_CASE(a_first_host_that_says_nothing_is_not_waited_for_long) {
  const auto answer = release();
  pass(limits::node_file_word_s);
  BOOST_TEST(answer->said == "done: its first host has not said that the node file is new");
  is_done(1);
  BOOST_TEST(said.idle > 0);
}

BOOST_AUTO_TEST_CASE(a_run_that_ends_meanwhile_has_no_node_file) {
  const auto answer = release();
  report([](auto m) { m.initRunExited().initRef().setRun(1); });
  run();
  BOOST_TEST(answer->said == "done");
}

BOOST_AUTO_TEST_CASE(what_is_refused_is_refused_at_once) {
  BOOST_TEST(release("borg")->said == "refused 15010");
}

BOOST_AUTO_TEST_SUITE_END()
