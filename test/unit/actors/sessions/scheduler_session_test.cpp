// When a scheduler's cycles begin by time, and what the log says of one that is not there.
#include "actors/sessions/scheduler_session.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <vector>

#include "events/model/exit_codes.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/values/job_id.hpp"
#include "test/support/stepped_system.hpp"
#include "test/support/told_records.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

struct scene {
  projections::status status;
  test::told_records records;
  test::still_clock clock;
  std::map<std::uint64_t, std::int64_t> reminders;  // number -> seconds
  std::vector<std::string> complaints;
  std::shared_ptr<test::fake_peer> peer = std::make_shared<test::fake_peer>(wire::identity::kind::scheduler, "s1");
  std::unique_ptr<actors::scheduler_session> session;

  explicit scene(const std::string& name = "s1") {
    happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
    happen(2, [&](auto e) { e.initScheduler().initCreated().setName(name); });
    happen(3, [](auto e) { e.initQueue().initCreated().setName("q1"); });
    happen(3, [](auto e) { put(e.initQueue().initChanged().initChanges(1), "partition", "P1"); });
    set("partition", "P1");
    set("scheduling", "True");
    begin(name);
  }
  void begin(const std::string& name) {
    session = std::make_unique<actors::scheduler_session>(
        status, name,
        actors::scheduler_session::outlets{clock,
                                           [this](std::chrono::seconds after, std::uint64_t number) { reminders[number] = after.count(); },
                                           [this](const std::string& text) { complaints.push_back(text); }});
  }

  static void put(capnp::List<schema::Attribute>::Builder list, const char* name, const char* value) {
    list[0].setName(name);
    list[0].setValue(value);
  }
  template <class Fill>
  void happen(std::uint64_t stream, const Fill& fill) {
    records.wall_ns = clock.ns;
    const auto record = records.next(stream, fill);
    status.fold(record);
    if (!session) return;
    session->folded(record);
    session->all_folded();
  }
  void set(const char* name, const char* value) {
    happen(2, [&](auto e) { put(e.initScheduler().initChanged().initChanges(1), name, value); });
  }
  void submit(unsigned number) {
    happen(100 + number, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setNumber(number);
      j.setId(std::to_string(number) + ".borg");
      j.setQueue("q1");
    });
  }
  void submit_array() {
    happen(101, [](auto e) {
      auto j = e.initJob().initQueued();
      j.setNumber(1);
      j.setId("1[].borg");
      j.setQueue("q1");
      j.setIndices("1-9");
    });
  }
  void assign(std::uint64_t stream, std::uint32_t run) {
    happen(stream, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.initHosts(1).set(0, "n1");
    });
  }
  // A start that failed, up to where the job is to be queued again; the cycle that its vnodes ask for is over.
  void fail(std::uint64_t stream, std::uint32_t run, std::int64_t rest_s = 0) {
    assign(stream, run);
    happen(stream, [&](auto e) {
      auto f = e.initJob().initStartFailed();
      f.setRun(run);
      f.setCode(model::exit_hook_rejected);
    });
    happen(stream, [&](auto e) { e.initJob().initVnodesReleased().setExecVnode("(n1:ncpus=1)"); });
    (void)cycle();
    happen(stream, [&](auto e) {
      auto r = e.initJob().initRequeued();
      r.setRun(run);
      r.setExitStatus(model::exit_hook_rejected);
      if (rest_s > 0) r.setRestsUntilNs(clock.ns + rest_s * 1'000'000'000);
    });
  }
  // Why the cycle that it was told to begin since the last look does; it ends at once. "": none.
  std::string cycle() {
    std::string why;
    for (const auto& m : peer->sent)
      if (m.root<schema::ToScheduler>().isCycle()) why = schema::str(m.root<schema::ToScheduler>().getCycle().getTrigger());
    peer->sent.clear();
    if (!why.empty()) session->said(schema::make<schema::FromScheduler>([](auto m) { m.initCycleEnded(); }).get());
    return why;
  }
  std::uint64_t last_reminder() const { return reminders.rbegin()->first; }
};

struct connected : scene {
  connected() {
    session->connected(peer);
    BOOST_REQUIRE_EQUAL(cycle(), "scheduler started");
  }
  // Whether the scheduler has been told of job 1 since the last look, and is to begin a cycle.
  bool offered() {
    bool told = false;
    for (const auto& m : peer->sent)
      if (const auto to = m.root<schema::ToScheduler>(); to.isView())
        for (auto job : to.getView().getJobs()) told |= job.getSerial() == 101 && job.getExecVnode().size() == 0;
    return !cycle().empty() && told;
  }
  void add_hook(std::uint64_t stream, const char* name) {
    happen(stream, [&](auto e) { e.initHook().initCreated().setName(name); });
    happen(stream, [](auto e) { put(e.initHook().initChanged().initChanges(1), "event", "postqueuejob"); });
    happen(stream, [](auto e) {
      auto i = e.initHook().initImported();
      i.setContentType(std::string(model::python_content));
      i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
    });
  }
  // Because of the event with this sequence.
  void hook_ran(std::uint64_t stream, std::uint64_t cause) {
    records.cause = cause;
    happen(stream, [](auto e) { e.initHook().initRan().setSubject("1.borg"); });
    records.cause = 0;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sessions)

BOOST_FIXTURE_TEST_CASE(a_cycle_begins_when_its_iteration_is_over, connected) {  // MS-89
  BOOST_TEST(reminders.size() == 1u);
  BOOST_TEST(reminders.at(last_reminder()) == 600);
  const auto before = last_reminder();
  set("scheduler_iteration", "30");
  BOOST_TEST(cycle() == "settings changed");
  BOOST_TEST(reminders.at(last_reminder()) == 30);
  session->reminded(before);  // it does not count any more
  BOOST_TEST(cycle() == "");
  session->reminded(last_reminder());
  BOOST_TEST(cycle() == "scheduling iteration");
  BOOST_TEST(reminders.size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(questions_that_a_cycle_left_are_asked_again_at_once, connected) {
  set("scheduler_iteration", "30");
  (void)cycle();
  session->reminded(last_reminder());
  peer->sent.clear();
  session->said(schema::make<schema::FromScheduler>([](auto m) { m.initCycleEnded().setLeftQuestions(true); }).get());
  BOOST_TEST(cycle() == "new reservation");
  BOOST_TEST(cycle() == "");
}

namespace {

// The cycle that it was told to begin since the last look, and has now proposed so many runs.
struct begun {
  std::string trigger;
  std::uint64_t number = 0;
  std::vector<std::uint64_t> without;
};
begun cycle_with(scene& s, int runs) {
  begun b;
  for (const auto& m : s.peer->sent) {
    if (!m.root<schema::ToScheduler>().isCycle()) continue;
    const auto c = m.root<schema::ToScheduler>().getCycle();
    b = {schema::str(c.getTrigger()), c.getNumber(), {}};
    for (const auto job : c.getWithout()) b.without.push_back(job);
  }
  s.peer->sent.clear();
  for (int i = 0; i < runs; ++i) s.session->said(schema::make<schema::FromScheduler>([](auto m) { m.initRun(); }).get());
  if (b.number != 0) s.session->said(schema::make<schema::FromScheduler>([](auto m) { m.initCycleEnded(); }).get());
  return b;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(others_get_the_room_of_refused_jobs_at_once, connected) {
  using jobs = std::vector<std::uint64_t>;
  for (const unsigned number : {1u, 2u, 3u}) submit(number);
  auto c = cycle_with(*this, 2);
  BOOST_TEST(c.trigger == "new job");
  BOOST_TEST(c.without.empty());
  session->settled({"s1", 101, c.number, true, {15169, "no license"}});
  BOOST_TEST(cycle_with(*this, 0).number == 0u);  // the fate of the other is not known yet
  session->settled({"s1", 102, c.number, false, {}});
  c = cycle_with(*this, 1);
  BOOST_TEST(c.trigger == "runs refused");
  BOOST_TEST(c.without == jobs{101}, boost::test_tools::per_element());
  session->settled({"s1", values::subjob_number(103, 4), c.number, true, {15169, "no license"}});
  c = cycle_with(*this, 0);
  BOOST_TEST(c.trigger == "runs refused");
  BOOST_TEST(c.without == jobs{103}, boost::test_tools::per_element());  // those that came before it knows
  c = cycle_with(*this, 1);
  BOOST_TEST(c.trigger == "new job");  // the second and the third came when the first cycle had begun
  BOOST_TEST(c.without.empty());
}

BOOST_FIXTURE_TEST_CASE(no_cycle_follows_when_each_run_would_be_refused, connected) {
  submit(1);
  const auto c = cycle_with(*this, 2);
  session->settled({"s1", 101, c.number, true, model::refuse(values::pbs_error::server_down)});
  session->settled({"s1", 102, c.number, true, model::refuse(values::pbs_error::system_error)});
  BOOST_TEST(cycle_with(*this, 0).number == 0u);
  session->settled({"s1", 101, 0, true, {15016, "no"}});  // of qrun
  BOOST_TEST(cycle_with(*this, 0).number == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_comment_alone_lets_no_cycle_begin, connected) {
  submit(1);
  BOOST_TEST(cycle() == "new job");
  happen(101, [](auto e) { put(e.initJob().initAltered().initChanges(1), "comment", "Not Running: PBS Error: not at 12:01"); });
  BOOST_TEST(cycle() == "");
  happen(101, [](auto e) {
    auto changes = e.initJob().initAltered().initChanges(2);
    put(changes, "comment", "Not Running: PBS Error: not here");
    changes[1].setName("project");
    changes[1].setValue("late");
  });
  BOOST_TEST(cycle() == "job changed");
}

BOOST_FIXTURE_TEST_CASE(a_job_waits_for_others_to_come, connected) {  // MS-33, MS-92
  submit(1);
  BOOST_TEST(cycle() == "new job");  // unset: at once
  set("job_accumulation_time", "5");
  BOOST_TEST(cycle() == "settings changed");
  const auto before = reminders.size();
  submit(2);
  submit(3);
  BOOST_TEST(cycle() == "");
  BOOST_TEST(reminders.size() == before + 1);
  BOOST_TEST(reminders.at(last_reminder()) == 5);
  session->reminded(last_reminder());
  BOOST_TEST(cycle() == "new job");
  // A cycle that something else begins places what has come.
  submit(4);
  const auto pending = last_reminder();
  happen(101, [](auto e) { e.initJob().initEnded(); });
  BOOST_TEST(cycle() == "job ended");
  session->reminded(pending);
  BOOST_TEST(cycle() == "");
  set("job_accumulation_time", "0");
  (void)cycle();
  submit(5);
  BOOST_TEST(cycle() == "new job");
}

struct default_scene : scene {
  default_scene() : scene("default") {
    set_server("scheduling", "True");
    session->connected(peer);
    BOOST_REQUIRE_EQUAL(cycle(), "scheduler started");
  }
  void set_server(const char* name, const char* value) {
    happen(1, [&](auto e) { put(e.initServer().initChanged().initChanges(1), name, value); });
  }
};

// It stands on the server and on the default scheduler: one cycle, not two.
BOOST_FIXTURE_TEST_CASE(what_only_mirrors_the_server_asks_for_no_cycle, default_scene) {
  set_server("scheduling", "False");
  set("scheduling", "False");
  BOOST_TEST(cycle() == "");
  set_server("scheduling", "True");
  BOOST_TEST(cycle() == "settings changed");
  set("scheduling", "True");
  BOOST_TEST(cycle() == "");
  set("log_events", "2047");
  BOOST_TEST(cycle() == "settings changed");
}

BOOST_FIXTURE_TEST_CASE(a_job_whose_start_failed_rests, connected) {
  submit(1);
  BOOST_TEST(offered());
  fail(101, 1);  // of a log from before there were pauses
  BOOST_TEST(offered());
  const auto before = reminders.size();
  fail(101, 2, 8);
  BOOST_TEST(!offered());
  BOOST_REQUIRE(reminders.size() == before + 1);
  BOOST_TEST(reminders.at(last_reminder()) == 8);
  session->want_cycle("new job");  // another job's
  BOOST_TEST(!offered());
  clock.ns += 7'500'000'000;  // the clock was set back meanwhile
  session->reminded(last_reminder());
  BOOST_TEST(!offered());
  BOOST_TEST(reminders.at(last_reminder()) == 1);
  clock.ns += 500'000'000;
  session->reminded(last_reminder());
  BOOST_TEST(offered());
}

// One of them may hold it.
BOOST_FIXTURE_TEST_CASE(a_job_is_not_there_before_its_postqueuejob_hooks_have_ended, connected) {
  add_hook(4, "a");
  add_hook(5, "b");
  submit(1);
  const auto queued = records.sequence;
  BOOST_TEST(cycle() == "");
  session->want_cycle("job ended");  // another job's
  BOOST_TEST(!offered());
  hook_ran(4, queued);
  hook_ran(5, queued - 1);
  BOOST_TEST(cycle() == "");
  hook_ran(5, queued);
  BOOST_TEST(offered());
}

BOOST_FIXTURE_TEST_CASE(a_scheduler_that_comes_while_hooks_look_at_a_job_is_not_told_of_it, connected) {
  add_hook(4, "a");
  submit(1);
  const auto queued = records.sequence;
  session->disconnected(peer);
  session->connected(peer);
  BOOST_TEST(!offered());
  hook_ran(4, queued);
  BOOST_TEST(offered());
}

BOOST_FIXTURE_TEST_CASE(a_hook_that_is_deleted_keeps_no_job_back, connected) {
  add_hook(4, "a");
  submit(1);
  BOOST_TEST(!offered());
  happen(4, [](auto e) { e.initHook().initDeleted().setName("a"); });
  BOOST_TEST(offered());
}

// Its files can't be read, say: its run stays owed.
BOOST_FIXTURE_TEST_CASE(a_hook_that_does_not_end_keeps_no_job_back_for_ever, connected) {
  add_hook(4, "a");
  happen(4, [](auto e) { put(e.initHook().initChanged().initChanges(1), "alarm", "7"); });
  submit(1);
  BOOST_TEST(!offered());
  BOOST_TEST(reminders.at(last_reminder()) == 17);
  const auto before = last_reminder();
  clock.ns += 9'000'000'000;
  submit(2);
  hook_ran(4, records.sequence);
  session->reminded(before);
  BOOST_TEST(!offered());
  clock.ns += 17'000'000'000;
  session->reminded(last_reminder());
  BOOST_TEST(offered());
  BOOST_REQUIRE(complaints.size() == 1u);
  BOOST_TEST(complaints[0] == "postqueuejob hooks do not end: s1 does not wait for them with the jobs that have come");
}

BOOST_FIXTURE_TEST_CASE(a_pause_outlives_the_server, connected) {
  submit(1);
  fail(101, 1, 8);
  reminders.clear();
  peer->sent.clear();
  begin("s1");  // with the same log
  session->connected(peer);
  for (const auto& m : peer->sent)
    if (const auto to = m.root<schema::ToScheduler>(); to.isView()) BOOST_TEST(to.getView().getJobs().size() == 0u);
  BOOST_TEST(reminders.at(last_reminder()) == 8);
}

// Another scheduler has let it rest.
BOOST_FIXTURE_TEST_CASE(a_job_that_comes_from_another_partition_rests_on, connected) {
  happen(4, [](auto e) { e.initQueue().initCreated().setName("q2"); });
  happen(102, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setNumber(2);
    j.setId("2.borg");
    j.setQueue("q2");
  });
  fail(102, 1, 8);
  BOOST_TEST(reminders.at(last_reminder()) == 8);
  happen(102, [](auto e) { e.initJob().initMoved().setQueue("q1"); });
  const auto told_of = [&] {
    bool told = false;
    for (const auto& m : peer->sent)
      if (const auto to = m.root<schema::ToScheduler>(); to.isView())
        for (auto job : to.getView().getJobs()) told |= job.getSerial() == 102;
    return told;
  };
  BOOST_TEST(!told_of());
  (void)cycle();
  clock.ns += 8'000'000'000;
  session->reminded(last_reminder());
  BOOST_TEST(told_of());
  BOOST_TEST(cycle() == "job changed");
}

// A cycle gets all that is due at its time, whatever began it: to decide the cycle again from the log, no reminder is needed.
BOOST_FIXTURE_TEST_CASE(a_cycle_has_what_has_rested_by_its_time, connected) {
  submit(1);
  BOOST_TEST(offered());
  fail(101, 1, 8);
  BOOST_TEST(!offered());
  clock.ns += 8'000'000'000;
  session->want_cycle("scheduling iteration");
  BOOST_TEST(offered());
  session->reminded(last_reminder());
  BOOST_TEST(cycle() == "");
}

// It would be decided with a claim that the log does not tell of.
BOOST_FIXTURE_TEST_CASE(no_cycle_begins_while_a_job_is_asked_for_by_hand, connected) {
  struct nobody final : actors::reply_to {
    void done(std::uint64_t, const std::string&) override {}
    void refused(std::uint64_t, const model::rejection&) override {}
  };
  const auto ask = [&] {
    model::job_state job;
    job.serial = 101;
    session->run_job(job, std::nullopt, std::make_shared<nobody>());
  };
  submit(1);
  BOOST_TEST(offered());
  ask();
  session->want_cycle("job ended");
  BOOST_TEST(cycle() == "");
  session->said(schema::make<schema::FromScheduler>([&](auto m) { m.initCannotRun().setJob(101); }).get());
  BOOST_TEST(cycle() == "job ended");
  ask();
  session->said(schema::make<schema::FromScheduler>([&](auto m) { m.initRun().setJob(101); }).get());
  session->want_cycle("job ended");
  BOOST_TEST(cycle() == "");
  session->settled({"s1", 101, 0, false, {}});
  BOOST_TEST(cycle() == "job ended");
}

BOOST_FIXTURE_TEST_CASE(a_job_of_another_partition_is_no_matter_of_this_scheduler, connected) {
  happen(4, [](auto e) { e.initQueue().initCreated().setName("q2"); });
  happen(101, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setNumber(1);
    j.setId("1.borg");
    j.setQueue("q2");
  });
  (void)cycle();
  const auto before = reminders.size();
  for (const std::uint32_t run : {1u, 2u, 3u}) fail(101, run);
  BOOST_TEST(reminders.size() == before);
}

// qrun prints the comment's words.
BOOST_FIXTURE_TEST_CASE(who_asked_for_a_job_is_told_why_it_can_not_run, connected) {
  struct told final : actors::reply_to {
    std::string text;
    void done(std::uint64_t, const std::string&) override {}
    void refused(std::uint64_t, const model::rejection& why) override { text = why.text; }
  };
  for (const auto& [comment, words] :
       std::map<std::string, std::string>{{"Not Running: Not enough free nodes available", "Not enough free nodes available"},
                                          {"Can Never Run: too big", "too big"},
                                          {"Job is running", "Job is running"},
                                          {"", "Resource temporarily unavailable"}}) {
    model::job_state job;
    job.serial = 7;
    const auto answer = std::make_shared<told>();
    session->run_job(job, std::nullopt, answer);
    session->said(schema::make<schema::FromScheduler>([&](auto m) {
                    auto c = m.initCannotRun();
                    c.setJob(7);
                    c.setReason(comment);
                  }).get());
    BOOST_TEST(answer->text == words);
  }
}

BOOST_FIXTURE_TEST_CASE(who_asked_for_one_of_two_subjobs_hears_of_that_one, connected) {
  struct told final : actors::reply_to {
    std::string text;
    void done(std::uint64_t, const std::string&) override { text = "runs"; }
    void refused(std::uint64_t, const model::rejection& why) override { text = why.text; }
  };
  model::job_state array;
  array.serial = 7;
  array.array.emplace();
  const auto third = std::make_shared<told>(), fourth = std::make_shared<told>();
  session->run_job(array, 3, third);
  session->run_job(array, 4, fourth);
  BOOST_TEST(schema::str(peer->sent.back().root<schema::ToScheduler>().getRunJob().getJob().getIndices()) == "4");
  session->said(schema::make<schema::FromScheduler>([&](auto m) {
                  auto c = m.initCannotRun();
                  c.setJob(values::subjob_number(7, 4));
                  c.setReason("Not Running: no room");
                }).get());
  BOOST_TEST(fourth->text == "no room");
  BOOST_TEST(third->text.empty());
  session->settled({"s1", values::subjob_number(7, 3), 0, false, {}});
  BOOST_TEST(third->text == "runs");
  session->settled({"s1", values::subjob_number(7, 5), 0, true, {15016, "no"}});
  BOOST_TEST(peer->sent.back().root<schema::ToScheduler>().getRefused().getJob() == 7u);
}

BOOST_FIXTURE_TEST_CASE(an_array_wants_a_cycle_when_it_may_run_more, connected) {
  const auto began = [&](std::uint32_t index, std::uint64_t stream) {
    happen(101, [&](auto e) {
      auto b = e.initJob().initSubjobBegan();
      b.setIndex(index);
      b.setRun(1);
    });
    happen(stream, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setNumber(values::subjob_number(1, index));
      j.setId("1[" + std::to_string(index) + "].borg");
      j.setQueue("q1");
    });
  };
  const auto left = [&](std::uint32_t index, bool requeued) {
    happen(101, [&](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(index);
      l.setRun(1);
      l.setRequeued(requeued);
    });
  };
  submit_array();
  BOOST_TEST(cycle() == "new job");
  began(1, 201);
  began(2, 202);
  BOOST_TEST(cycle() == "");
  left(1, false);
  BOOST_TEST(cycle() == "");  // its own end was a reason
  left(2, true);
  BOOST_TEST(cycle() == "job ended");
  happen(101, [](auto e) { put(e.initJob().initAltered().initChanges(1), "max_run_subjobs", "1"); });
  BOOST_TEST(cycle() == "job changed");
  began(3, 203);
  left(3, false);
  BOOST_TEST(cycle() == "job ended");
}

// What a subjob can't be started for may be so for the others; it is its array's again.
BOOST_FIXTURE_TEST_CASE(an_array_rests_of_which_a_subjob_failed_to_start_again, connected) {
  submit_array();
  BOOST_TEST(cycle() == "new job");
  happen(101, [&](auto e) { e.initJob().initSubjobBegan().setIndex(1); });
  happen(201, [&](auto e) {
    auto j = e.initJob().initQueued();
    j.setNumber(values::subjob_number(1, 1));
    j.setId("1[1].borg");
    j.setQueue("q1");
    put(j.initAttributes(1), "run_count", "1");  // of a run before
  });
  const auto before = reminders.size();
  fail(201, 1);
  bool gone = false;
  for (const auto& m : peer->sent)
    if (const auto to = m.root<schema::ToScheduler>(); to.isView())
      for (auto serial : to.getView().getJobsGone()) gone |= serial == 101;
  BOOST_TEST(gone);  // before the array says how long
  (void)cycle();
  BOOST_TEST(reminders.size() == before);
  happen(101, [&](auto e) {
    auto l = e.initJob().initSubjobLeft();
    l.setIndex(1);
    l.setRequeued(true);
    l.setRestsUntilNs(clock.ns + 2'000'000'000);
  });
  BOOST_REQUIRE(reminders.size() == before + 1);
  BOOST_TEST(reminders.at(last_reminder()) == 2);
  for (const auto& m : peer->sent)
    if (const auto to = m.root<schema::ToScheduler>(); to.isView()) BOOST_TEST(to.getView().getJobs().size() == 0u);
  (void)cycle();
  clock.ns += 2'000'000'000;
  session->reminded(last_reminder());
  BOOST_TEST(cycle() == "job changed");
}

BOOST_FIXTURE_TEST_CASE(who_is_not_there_is_complained_of_once, scene) {  // MS-67
  const std::vector<std::string> both = {"Unable to reach scheduler associated with partition [P1]",
                                         "Unable to reach scheduler associated with partition P1"};
  submit(1);
  submit(2);
  BOOST_TEST(complaints == both, boost::test_tools::per_element());
  session->connected(peer);
  complaints.clear();
  submit(3);
  BOOST_TEST(complaints.empty());
  session->disconnected(peer);
  submit(4);
  BOOST_TEST(complaints == both, boost::test_tools::per_element());
  complaints.clear();
  set("scheduling", "False");
  session->connected(peer);
  session->disconnected(peer);
  submit(5);
  BOOST_TEST(complaints.empty());  // nobody expects it to run
}

BOOST_AUTO_TEST_SUITE_END()
