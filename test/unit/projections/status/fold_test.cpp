// What the status projection keeps after each kind of event, and that it lets go of what is gone.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>

#include "events/attributes/ids.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/support/told_records.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct cluster {
  log::memory_event_store store;
  made_history history{store, 1};
  cluster() { history.begin(); }
  const projections::status& now() const { return history.now; }
  // The job goes on until it is in this phase, or gone.
  void bring(std::uint64_t serial, model::job_phase phase) {
    for (int i = 0; i < 1000 && now().job(serial) && now().job(serial)->phase != phase; ++i) history.move(serial);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(counts_are_those_of_the_jobs_there_are) {
  cluster c;
  for (int i = 0; i < 400; ++i) {
    c.history.step();
    std::map<std::string, std::map<char, std::uint64_t>> expected;
    c.now().each_job([&](const model::job_state& job) {
      ++expected[""][model::state_letter(job)];
      ++expected[std::string(job.queue())][model::state_letter(job)];
      return true;
    });
    for (const auto& [queue, by_state] : expected) {
      std::uint64_t total = 0;
      for (const auto& [letter, count] : by_state) {
        total += count;
        BOOST_TEST(c.now().jobs_of(queue).by_state.at(letter) == count);
      }
      BOOST_TEST(c.now().jobs_of(queue).total == total);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_reason_becomes_the_comment_of_a_job_that_waits_and_of_no_other) {
  cluster c;
  c.history.submit("user1");
  c.history.submit("user1");
  const auto waits = c.history.jobs()[0], runs = c.history.jobs()[1];
  c.bring(waits, model::job_phase::queued);
  c.bring(runs, model::job_phase::started);
  const auto comment_of = [&](std::uint64_t job) { return c.now().shown(*c.now().job(job), attributes::job::comment); };
  const auto before = comment_of(runs);
  for (int i = 0; i < 20; ++i) c.history.cycle();  // each tells of some of the jobs
  const auto told = comment_of(waits);
  BOOST_TEST((told.starts_with("Not Running: ") || told.starts_with("Can Never Run: ")), told);
  BOOST_TEST(comment_of(runs) == before);
}

BOOST_AUTO_TEST_CASE(a_job_that_never_ran_is_told_with_who_or_what_has_ended_it) {
  cluster c;
  const auto submit = [&] {
    c.history.submit("user1");
    c.bring(c.history.jobs().back(), model::job_phase::queued);
    return c.history.jobs().back();
  };
  const auto told = [&](std::uint64_t job) {
    return answer(c.now(), {.names = {c.now().job(job)->id}, .history = schema::History::ALSO, .wanted = {"job_state"}, .why = true});
  };
  const auto depends = submit(), deleted = submit();
  c.history.write(depends, [](auto e) {
    auto end = e.initJob().initEnded();
    end.setSubstate(92);
    end.setReason("Job deleted as result of dependency on job 1.borg");
  });
  const auto of_depends = told(depends);
  BOOST_TEST(of_depends.find(": job_state=F why=Job deleted as result of dependency on job 1.borg./") != std::string::npos, of_depends);
  c.history.write(deleted, [](auto e) { e.initJob().initDeleteRequested(); }, {"alice", "front", schema::Role::USER});
  c.history.write(deleted, [](auto e) { e.initJob().initEnded().setSubstate(91); });
  BOOST_TEST(c.now().in_history(deleted));
  BOOST_TEST(told(deleted).find(": job_state=F why=It was deleted by alice@front./") != std::string::npos, told(deleted));
}

BOOST_AUTO_TEST_CASE(a_waiting_job_has_its_reason_as_data_until_it_waits_no_more) {
  cluster c;
  c.history.submit("user1");
  const auto job = c.history.jobs()[0];
  c.bring(job, model::job_phase::queued);
  BOOST_TEST(!c.now().why(job));
  const auto scheduler = c.now().schedulers().at("default").serial;
  const auto say = [&](const std::string& text, const std::string& behind, std::uint64_t cycle) {
    c.history.write(scheduler, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.setCycle(cycle);
      r.initTexts(1).set(0, text);
      r.initWhys(1)[0].setAsked("8");
      if (!behind.empty()) r.initBlockers(1).set(0, behind);
      auto j = r.initJobs(2);
      j[0].setJob(job);
      j[0].setBehind(!behind.empty());
      j[1].setJob(job + 1000);  // of no job
    });
    return c.now().wall_ns();
  };
  const auto first = say("Not Running: a", "", 4);
  const auto second = say("Not Running: a", "7.borg", 5);
  const auto* why = c.now().why(job);
  BOOST_REQUIRE(why);
  BOOST_TEST(why->why->text == "Not Running: a");
  BOOST_TEST(schema::str(why->why->data().getAsked()) == "8");
  BOOST_TEST(why->behind_id() == "7.borg");
  BOOST_TEST(why->since_ns == first);  // it is the same reason
  BOOST_TEST(why->said->wall_ns == second);
  BOOST_TEST(why->said->cycle == 5u);
  BOOST_TEST(c.now().scheduler_name(why->said->scheduler) == "default");
  const auto third = say("Not Running: b", "", 6);
  BOOST_TEST(c.now().why(job)->since_ns == third);
  BOOST_TEST(c.now().why(job)->behind_id() == "");
  c.bring(job, model::job_phase::started);
  BOOST_TEST(!c.now().why(job));
}

BOOST_AUTO_TEST_CASE(reasons_that_nobody_has_any_more_go) {
  cluster c;
  c.history.submit("user1");
  const auto job = c.history.jobs()[0];
  projections::waiting_reasons kept;
  for (unsigned i = 0; i < 10'000; ++i) {
    const auto said = schema::make<schema::CycleReasons>([&](schema::CycleReasons::Builder r) {
      r.initTexts(1).set(0, "Not Running: " + std::to_string(i));
      r.initJobs(1)[0].setJob(job);
    });
    kept.fold(1, i, said.get(), [](std::uint64_t) { return true; });
  }
  BOOST_TEST(kept.reasons() < 200u);
  BOOST_TEST(kept.find(job)->why->text == "Not Running: 9999");
  kept.forget(job);
  BOOST_TEST(!kept.find(job));
}

BOOST_AUTO_TEST_CASE(a_forgotten_job_is_found_by_neither_serial_nor_id) {
  cluster c;
  c.history.submit("user1");
  const auto serial = c.history.jobs()[0];
  BOOST_TEST(c.now().holds(schema::StreamKind::JOB, serial));
  BOOST_TEST(c.now().job_by_id("1.borg") == c.now().job(serial));
  BOOST_TEST(c.now().job_by_id("1") == c.now().job(serial));
  c.bring(serial, model::job_phase::forgotten);
  BOOST_TEST(!c.now().holds(schema::StreamKind::JOB, serial));
  BOOST_TEST(!c.now().job_by_id("1.borg"));
  BOOST_TEST(c.now().jobs_of("").total == 0u);
}

BOOST_AUTO_TEST_CASE(a_removed_host_takes_its_vnodes_along) {
  cluster c;
  const auto host = c.history.write(0, [](auto e) { e.initHost().initAdded().setName("late"); });
  c.history.write(host, [](auto e) { e.initHost().initVnodeCreated().setName("late"); });
  BOOST_REQUIRE(c.now().host_of_vnode("late"));
  BOOST_TEST(c.now().host_of_vnode("late")->name == "late");
  c.history.write(host, [](auto e) { e.initHost().initRemoved().setName("late"); });  // with a vnode still there
  BOOST_TEST(!c.now().host_of_vnode("late"));
  BOOST_TEST(!c.now().holds(schema::StreamKind::HOST, host));
  const auto again = c.history.write(0, [](auto e) { e.initHost().initAdded().setName("late"); });
  c.history.write(again, [](auto e) { e.initHost().initVnodeCreated().setName("late"); });
  BOOST_TEST(c.now().host_of_vnode("late")->serial == again);
}

BOOST_AUTO_TEST_CASE(a_queue_that_was_deleted_and_made_again_is_another_queue) {
  cluster c;
  const auto create = [](auto e) { e.initQueue().initCreated().setName("fast"); };
  const auto first = c.history.write(0, create);
  c.history.write(first, [](auto e) {
    auto change = e.initQueue().initChanged().initChanges(1)[0];
    change.setName("Priority");
    change.setValue("7");
  });
  c.history.write(first, [](auto e) { e.initQueue().initDeleted().setName("fast"); });
  BOOST_TEST(!c.now().queues().contains("fast"));
  const auto second = c.history.write(0, create);
  BOOST_TEST(!c.now().holds(schema::StreamKind::QUEUE, first));
  BOOST_TEST(c.now().holds(schema::StreamKind::QUEUE, second));
  BOOST_TEST(!c.now().queues().at("fast").attributes.get(attributes::queue::Priority).has_value());
}

BOOST_AUTO_TEST_CASE(jobs_are_listed_by_number_but_for_those_that_wait_with_another_rank) {
  cluster c;
  for (int i = 0; i < 600; ++i) {
    c.history.step();
    std::vector<std::int64_t> ranks;
    std::vector<std::uint64_t> ended;
    c.now().each_job([&](const model::job_state& job) {
      if (job.ended()) ended.push_back(job.number);
      else ranks.push_back(job.queue_rank);
      return true;
    });
    BOOST_TEST(ranks.size() + ended.size() == c.history.jobs().size());
    BOOST_TEST(std::is_sorted(ranks.begin(), ranks.end()));
    BOOST_TEST(std::is_sorted(ended.begin(), ended.end()));
  }
}

BOOST_AUTO_TEST_CASE(a_top_job_that_asks_for_another_place_is_told_none_until_the_next_cycle) {
  constexpr std::uint64_t scheduler = 3, job = 10;
  projections::status status;
  told_records records;
  const auto happens = [&](std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) {
    status.fold(records.next(stream, event));
  };
  const auto told = [&] {
    happens(scheduler, [](auto e) {
      auto estimate = e.initScheduler().initCycleReasons().initEstimates(1)[0];
      estimate.setJob(job);
      estimate.setStartNs(1'795'222'000'000'000'000);
      estimate.setExecVnode("(n1:ncpus=1)");
    });
    return status.shown(*status.job(job)).get(attributes::job::estimated, "exec_vnode").has_value();
  };
  const auto shows_after = [&](const char* name, const char* resource, const char* value) {
    happens(job, [&](auto e) {
      auto c = e.initJob().initAltered().initChanges(1)[0];
      c.setName(name);
      c.setResource(resource);
      c.setValue(value);
    });
    const auto shown = status.shown(*status.job(job));
    BOOST_TEST(shown.has(attributes::job::estimated) == shown.has(attributes::job::topjob));
    return std::string(shown.get(attributes::job::estimated, "exec_vnode").value_or("none"));
  };
  happens(1, [](auto e) { e.initServer().initStarted().setServerName("p1"); });
  happens(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
  happens(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  happens(job, [](auto e) {
    auto q = e.initJob().initQueued();
    q.setId("1.p1");
    q.setNumber(1);
    q.setQueue("workq");
  });
  BOOST_TEST(told());
  BOOST_TEST(shows_after("Job_Name", "", "other") == "(n1:ncpus=1)");
  BOOST_TEST(shows_after("schedselect", "", "1:ncpus=1:host=n2") == "none");
  BOOST_TEST(told());
  BOOST_TEST(shows_after("Resource_List", "place", "excl") == "none");
}

BOOST_AUTO_TEST_CASE(a_suspended_job_is_a_top_job_until_it_goes_on) {  // sched_preempt_enforce_resumption
  constexpr std::uint64_t job = 10;
  constexpr const char* place = "(p1:ncpus=1)";
  projections::status status;
  told_records records;
  const auto happens = [&](std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) {
    status.fold(records.next(stream, event));
  };
  happens(1, [](auto e) { e.initServer().initStarted().setServerName("p1"); });
  happens(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
  happens(3, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  happens(job, [](auto e) {
    auto q = e.initJob().initQueued();
    q.setId("1.p1");
    q.setNumber(1);
    q.setQueue("workq");
  });
  happens(job, [&](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode(place);
  });
  happens(job, [](auto e) { e.initJob().initStarted().setRun(1); });
  happens(job, [](auto e) { e.initJob().initSuspended().setRun(1); });
  happens(job, [&](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(1);
    r.setExecVnode(place);
    r.setWhy(schema::ReleaseReason::SUSPENDED);
  });
  happens(job, [](auto e) { e.initJob().setResumeWanted(); });
  happens(3, [&](auto e) {
    auto estimate = e.initScheduler().initCycleReasons().initEstimates(1)[0];
    estimate.setJob(job);
    estimate.setStartNs(1'795'222'000'000'000'000);
    estimate.setExecVnode(place);
  });
  BOOST_TEST(status.shown(*status.job(job), attributes::job::topjob) == "True");
  BOOST_TEST(status.shown(*status.job(job), attributes::job::estimated, "start_time") == "1795222000");
  happens(job, [](auto e) { e.initJob().initResumed().setRun(1); });
  happens(job, [&](auto e) {
    auto t = e.initJob().initVnodesTaken();
    t.setRun(1);
    t.setExecVnode(place);
  });
  BOOST_TEST(!status.shown(*status.job(job)).has(attributes::job::topjob));
  BOOST_TEST(status.shown(*status.job(job)).has(attributes::job::estimated));
}
