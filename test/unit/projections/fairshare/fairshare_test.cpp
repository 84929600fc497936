// The usage of entities as a fold of the log: what jobs add, what a decay leaves, and which jobs made it.
#include <boost/test/unit_test.hpp>

#include <random>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "projections/fairshare/fairshare_why.hpp"
#include "projections/status/fairshare_query.hpp"
#include "test/support/made_history.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr std::int64_t second = 1'000'000'000;
const model::fairshare_policy by_cput{true, "euser", "cput", 3600, 0.5};

// A cluster with a scheduler that counts.
struct counting {
  log::memory_event_store store;
  made_history history{store, 1};
  std::uint64_t scheduler = 0;
  std::uint64_t jobs = 0;

  explicit counting(const model::fairshare_policy& policy = by_cput) {
    history.written = [this](const log::record& r) {
      if (schema::is(r.event(), schema::SchedulerEvent::CREATED)) scheduler = r.get().getStream();
    };
    history.begin();
    tell(policy);
  }

  std::int64_t now_ns() const { return history.now.wall_ns(); }
  const projections::fairshare& shares() const { return history.now.shares(); }
  double usage(const std::string& entity, std::int64_t later_s = 0) const {
    return shares().usage("default", entity, now_ns() + later_s * second);
  }

  void tell(const model::fairshare_policy& policy) {
    history.write(scheduler, [&](auto e) { model::write_fairshare_policy(policy, e.initScheduler().initFairsharePolicy()); });
  }
  void set(const std::string& entity, double usage) {
    history.write(scheduler, [&](auto e) {
      auto s = e.initScheduler().initFairshareSet();
      s.setEntity(entity);
      s.setUsage(usage);
    });
  }
  void decay() {
    history.write(scheduler, [](auto e) { e.initScheduler().setFairshareDecayed(); });
  }
  void trim(const std::string& entity) {
    history.write(scheduler, [&](auto e) { e.initScheduler().initFairshareTrimmed(1).set(0, entity); });
  }
  void pass(std::int64_t seconds) { history.pass(seconds); }

  // Submitted and running.
  std::uint64_t run(const std::string& user, const std::string& account = "", const std::string& ncpus = "2") {
    const auto id = std::to_string(++jobs) + ".borg";
    const auto job = history.write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(id);
      q.setNumber(jobs);
      q.setOwner(user + "@front");
      q.setEuser(user);
      q.setEgroup("users");
      q.setQueue("workq");
      auto a = q.initAttributes(2);
      a[0].setName("Resource_List");
      a[0].setResource("ncpus");
      a[0].setValue(ncpus);
      a[1].setName("Account_Name");
      a[1].setValue(account);
    });
    assign(job, 1);
    return job;
  }
  // Of alice. Of an array, or of one of its subjobs.
  std::uint64_t queue(const std::string& id, std::uint64_t number, const std::string& indices = "") {
    return history.write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(id);
      q.setNumber(number);
      q.setOwner("alice@front");
      q.setEuser("alice");
      q.setEgroup("users");
      q.setQueue("workq");
      q.setIndices(indices);
    });
  }
  void assign(std::uint64_t job, unsigned run) {
    history.write(job, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.initHosts(1).set(0, "n1");
      a.setPlace("free");
    });
    history.write(job, [&](auto e) { e.initJob().initStarted().setRun(run); });
  }
  static void fill(schema::Usage::Builder u, const std::string& cput, const std::string& walltime) {
    auto list = u.initResources(2);
    list[0].setResource("cput");
    list[0].setValue(cput);
    list[1].setResource("walltime");
    list[1].setValue(walltime);
  }
  void report(std::uint64_t job, const std::string& cput, const std::string& walltime = "00:00:01", unsigned run = 1) {
    history.write(job, [&](auto e) {
      auto u = e.initJob().initUsageReported();
      u.setRun(run);
      fill(u.initUsage(), cput, walltime);
    });
  }
  void exit(std::uint64_t job, const std::string& cput, unsigned run = 1) {
    history.write(job, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(run);
      x.setReported(true);
      if (!cput.empty()) fill(x.initUsage(), cput, "00:00:01");
    });
  }
  void leave(std::uint64_t job, unsigned run = 1) {
    history.write(job, [&](auto e) {
      auto v = e.initJob().initVnodesReleased();
      v.setRun(run);
      v.setExecVnode("(n1:ncpus=1)");
      v.initHosts(1).set(0, "n1");
    });
  }
  void end(std::uint64_t job, const std::string& cput, unsigned run = 1) {
    exit(job, cput, run);
    leave(job, run);
    history.write(job, [](auto e) { e.initJob().initEnded().setSubstate(92); });
  }
  void requeue(std::uint64_t job, unsigned run = 1) {
    exit(job, "", run);
    leave(job, run);
    history.write(job, [&](auto e) { e.initJob().initRequeued().setRun(run); });
  }

  schema::sealed<schema::Reply> why(const std::string& entity, std::int64_t later_s = 0) {
    log::log_reader reader(store);
    const auto asked = schema::make<schema::Fairshare>([&](schema::Fairshare::Builder f) {
      f.setScheduler("default");
      f.setWhy(entity);
    });
    std::optional<schema::sealed<schema::Reply>> reply;
    projections::answer_fairshare_why(reader, 7, *asked, {"root", "borg", schema::Role::ROOT}, now_ns() + later_s * second,
                                      [&](const auto& r) { reply = r; });
    return reply.value();
  }
};

double sum_of(schema::FairshareAnswer::Reader answer) {
  double sum = 0;
  for (auto j : answer.getJobs()) sum += j.getCounts();
  return sum;
}

const auto nearly = boost::test_tools::tolerance(1e-9);

}  // namespace

BOOST_AUTO_TEST_SUITE(fairshare_usage)

BOOST_AUTO_TEST_CASE(everybody_begins_with_one_and_jobs_add_what_they_use) {  // MS-107
  counting c;
  BOOST_TEST(c.usage("user1") == 1);
  const auto job = c.run("user1");
  c.report(job, "00:00:10");
  BOOST_TEST(c.usage("user1") == 11);
  c.report(job, "00:00:25");
  BOOST_TEST(c.usage("user1") == 26);
  BOOST_TEST(c.usage("user2") == 1);
  c.end(job, "00:00:30");
  BOOST_TEST(c.usage("user1") == 31);
  c.end(c.run("user1"), "00:01:00");  // too short to have told anything before
  BOOST_TEST(c.usage("user1") == 91);
}

BOOST_AUTO_TEST_CASE(a_formula_takes_what_was_used_or_else_what_was_asked_for) {
  counting c({true, "euser", "ncpus*walltime", 3600, 0.5});
  c.report(c.run("user1"), "00:00:00", "00:00:11");  // golden pbsfs F10: 2 cpus for 11 s
  BOOST_TEST(c.usage("user1") == 23);
}

BOOST_AUTO_TEST_CASE(less_than_was_told_before_takes_nothing_back) {
  counting c;
  const auto job = c.run("user1");
  c.report(job, "00:00:10");
  c.report(job, "00:00:05");
  BOOST_TEST(c.usage("user1") == 11);
  c.report(job, "00:00:12");
  BOOST_TEST(c.usage("user1") == 13);
  c.end(job, "");  // nobody measured its end
  BOOST_TEST(c.usage("user1") == 13);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_repeated_counts_again) {
  counting c;
  const auto job = c.run("user1");
  c.report(job, "00:00:10");
  c.requeue(job);
  BOOST_TEST(c.usage("user1") == 11);
  c.assign(job, 2);
  c.report(job, "00:00:04", "00:00:01", 2);
  BOOST_TEST(c.usage("user1") == 15);
}

BOOST_AUTO_TEST_CASE(what_subjobs_use_counts_and_their_array_uses_nothing) {
  counting c;
  const auto array = c.queue("9[].borg", 9, "1-2");
  for (std::uint32_t index : {1, 2}) {
    c.history.write(array, [&](auto e) {
      auto b = e.initJob().initSubjobBegan();
      b.setIndex(index);
      b.setRun(1);
    });
    const auto subjob = c.queue("9[" + std::to_string(index) + "].borg", values::subjob_number(9, index));
    c.assign(subjob, 1);
    c.report(subjob, "00:00:10");
    c.end(subjob, "00:00:20");
    c.history.write(array, [&](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(index);
      l.setRun(1);
    });
  }
  c.history.write(array, [](auto e) { e.initJob().initEnded().setSubstate(92); });
  BOOST_TEST(c.usage("alice") == 41);
}

BOOST_AUTO_TEST_CASE(usage_decays_at_each_multiple_of_the_time_whoever_asks_when) {  // MS-107
  counting c;
  c.set("user1", 100);
  BOOST_TEST(c.usage("user1", 3500) == 100);
  BOOST_TEST(c.usage("user1", 3601) == 50);
  BOOST_TEST(c.usage("user1", 7201) == 25);
  BOOST_TEST(c.usage("user1") == 100);  // asking changes nothing
  BOOST_TEST(c.usage("user1", 3600LL * 1'000'000) == 1);
  c.pass(3601);
  c.report(c.run("user1"), "00:00:10");
  BOOST_TEST(c.usage("user1") == 60);
  BOOST_TEST(c.usage("user1", 3600) == 30);
  BOOST_TEST((c.shares().last_decay_ns("default", c.now_ns()) > 0));
}

BOOST_AUTO_TEST_CASE(usage_is_set_decayed_and_forgotten_by_hand) {  // MS-113
  counting c;
  c.set("user1", 100);
  c.set("user2", 1.5);
  c.set("user3", 0);
  BOOST_TEST(c.usage("user1") == 100);
  BOOST_TEST(c.usage("user3") == 1);
  c.decay();
  BOOST_TEST(c.usage("user1") == 50);
  BOOST_TEST(c.usage("user2") == 1);
  c.trim("user1");
  BOOST_TEST(c.usage("user1") == 1);
  BOOST_TEST(c.shares().usages("default", c.now_ns()).size() == 2u);
}

BOOST_AUTO_TEST_CASE(nothing_counts_while_it_is_off_and_nothing_of_before_when_it_comes_on) {
  counting c({false, "euser", "cput", 3600, 0.5});
  const auto job = c.run("user1");
  c.report(job, "00:00:10");
  BOOST_TEST(c.usage("user1") == 1);
  c.tell(by_cput);
  c.report(job, "00:00:15");
  BOOST_TEST(c.usage("user1") == 6);
  c.set("user2", 100);
  c.tell({false, "euser", "cput", 3600, 0.5});
  c.report(job, "00:00:50");
  BOOST_TEST(c.usage("user1") == 6);
  BOOST_TEST(c.usage("user2", 100'000) == 100);
  c.tell(by_cput);
  c.report(job, "00:01:00");
  BOOST_TEST(c.usage("user1") == 16);
}

BOOST_AUTO_TEST_CASE(another_formula_counts_from_its_moment_on) {
  counting c;
  const auto job = c.run("user1");
  c.report(job, "00:00:10", "00:01:00");
  c.tell({true, "euser", "walltime", 3600, 0.5});
  c.report(job, "00:00:20", "00:01:05");
  BOOST_TEST(c.usage("user1") == 16);
}

BOOST_AUTO_TEST_CASE(the_entity_is_what_the_policy_says) {
  const auto entities = [](const char* form) {
    counting c({true, form, "cput", 3600, 0.5});
    c.report(c.run("user1", "a17"), "00:00:10");
    const auto all = c.shares().usages("default", c.now_ns());
    return all.size() == 1 ? all[0].entity : std::string();
  };
  BOOST_TEST(entities("euser") == "user1");
  BOOST_TEST(entities("egroup") == "users");
  BOOST_TEST(entities("Account_Name") == "a17");
  BOOST_TEST(entities("queue") == "workq");
  BOOST_TEST(entities("egroup:euser") == "users:user1");
}

BOOST_AUTO_TEST_CASE(a_scheduler_is_told_what_changed_and_everything_after_a_decay) {
  counting c;
  projections::fairshare::told told;
  c.set("user1", 10);
  c.set("user2", 20);
  const auto news = [&](std::int64_t later_s = 0) { return c.shares().news_for("default", c.now_ns() + later_s * second, told); };
  const auto first = news();
  BOOST_TEST(first.all);
  BOOST_TEST(first.usages.size() == 2u);
  BOOST_TEST(news().usages.empty());
  c.report(c.run("user1"), "00:00:10");
  const auto changed = news();
  BOOST_TEST(!changed.all);
  BOOST_REQUIRE(changed.usages.size() == 1u);
  BOOST_TEST(changed.usages[0].entity == "user1");
  BOOST_TEST(changed.usages[0].usage == 20);
  const auto decayed = news(3601);
  BOOST_TEST(decayed.all);
  BOOST_TEST(decayed.usages.size() == 2u);
  c.decay();
  BOOST_TEST(news(3601).all);
}

BOOST_AUTO_TEST_CASE(a_fold_of_the_same_records_has_the_same_numbers_to_the_bit) {  // MS-107: exact after any crash
  counting c({true, "euser", "cput*1.1+walltime/3", 50, 0.77});
  std::mt19937 random(16);
  for (int i = 0; i < 400; ++i) {
    c.history.step();
    if (random() % 10 == 0) c.set("user" + std::to_string(random() % 5), static_cast<double>(random() % 1000) / 7);
    if (random() % 40 == 0) c.decay();
    if (random() % 40 == 0) c.trim("user1");
    if (random() % 4 == 0) c.pass(static_cast<std::int64_t>(random() % 90));
    (void)c.usage("user1", 1000);
  }
  projections::status again;
  log::log_reader reader(c.store);
  BOOST_REQUIRE(static_cast<bool>(reader.read(1, [&](const log::record_ptr& r) {
    again.fold(*r);
    return true;
  })));
  const auto at = c.now_ns() + 12345 * second;
  const auto usages = c.shares().usages("default", at);
  BOOST_TEST(usages.size() > 2u);
  BOOST_TEST((again.shares().usages("default", at) == usages));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(why)

BOOST_AUTO_TEST_CASE(the_jobs_that_made_a_usage_are_named_with_what_is_left) {
  counting c;
  const auto first = c.run("user1"), other = c.run("user2"), second_job = c.run("user1");
  c.report(first, "00:00:20");
  c.report(other, "00:10:00");
  c.decay();
  c.report(second_job, "00:00:30");
  c.end(first, "00:00:24");
  const auto reply = c.why("user1");
  const auto answer = reply.get().getFairshare();
  BOOST_REQUIRE(answer.getJobs().size() == 3u);
  BOOST_TEST(schema::str(answer.getJobs()[0].getJob()) == "start");
  BOOST_TEST(answer.getJobs()[0].getCounts() == 0.5);
  BOOST_TEST(schema::str(answer.getJobs()[1].getJob()) == "1.borg");
  BOOST_TEST(answer.getJobs()[1].getUsed() == 24);
  BOOST_TEST(answer.getJobs()[1].getCounts() == 14);
  BOOST_TEST(schema::str(answer.getJobs()[2].getJob()) == "3.borg");
  BOOST_TEST(answer.getJobs()[2].getCounts() == 30);
  BOOST_REQUIRE(answer.getUsages().size() == 1u);
  BOOST_TEST(answer.getUsages()[0].getUsage() == c.usage("user1"));
  BOOST_TEST(sum_of(answer) == c.usage("user1"), nearly);
}

BOOST_AUTO_TEST_CASE(a_usage_set_by_hand_stands_for_everything_before) {
  counting c;
  c.report(c.run("user1"), "00:00:20");
  c.set("user1", 8);
  c.report(c.run("user1"), "00:00:20");
  const auto reply = c.why("user1", 3601);
  const auto jobs = reply.get().getFairshare().getJobs();
  BOOST_REQUIRE(jobs.size() == 2u);
  BOOST_TEST(schema::str(jobs[0].getJob()) == "set by root@borg");
  BOOST_TEST(jobs[0].getCounts() == 4);
  BOOST_TEST(jobs[1].getCounts() == 10);
  BOOST_TEST(sum_of(reply.get().getFairshare()) == c.usage("user1", 3601), nearly);
}

BOOST_AUTO_TEST_CASE(what_is_left_adds_up_whatever_happened) {
  counting c({true, "euser", "cput+walltime", 40, 0.6});
  std::mt19937 random(113);
  for (int i = 0; i < 600; ++i) {
    c.history.step();
    if (random() % 30 == 0) c.set("user" + std::to_string(random() % 3), static_cast<double>(random() % 1000));
    if (random() % 60 == 0) c.decay();
    if (random() % 5 == 0) c.pass(static_cast<std::int64_t>(random() % 60));
    if (i % 100 == 99)
      for (const auto* user : {"user0", "user1", "user2", "nobody"}) {
        const auto later = static_cast<std::int64_t>(random() % 100);
        const auto reply = c.why(user, later);
        BOOST_TEST(sum_of(reply.get().getFairshare()) == c.usage(user, later), nearly);
        BOOST_TEST(reply.get().getFairshare().getUsages()[0].getUsage() == c.usage(user, later), nearly);
      }
  }
}

BOOST_AUTO_TEST_CASE(of_very_many_jobs_the_oldest_are_one_row) {
  projections::fairshare_why why;
  model::job_state job;
  const auto jobs = 2 * projections::why_rows_max + 500;
  for (std::size_t i = 1; i <= jobs; ++i) {
    job.id = std::to_string(i) + ".borg";
    why.used(job, 1, static_cast<std::int64_t>(i));
    if (i % 5000 == 0) why.scaled(0.5);
  }
  BOOST_TEST(why.rows().size() < 2 * projections::why_rows_max);
  BOOST_TEST(why.rows()[1].what == "earlier");
  BOOST_TEST(why.rows().back().what == std::to_string(jobs) + ".borg");
  double expected = 1;
  for (std::size_t i = 1; i <= jobs; ++i) {
    expected += 1;
    if (i % 5000 == 0) expected *= 0.5;
  }
  BOOST_TEST(why.sum() == expected, nearly);
}

BOOST_AUTO_TEST_CASE(only_managers_are_answered) {
  counting c;
  log::log_reader reader(c.store);
  const auto asked = schema::make<schema::Fairshare>([&](schema::Fairshare::Builder f) {
    f.setScheduler("default");
    f.setWhy("user1");
  });
  std::uint32_t code = 0;
  const auto take = [&](const schema::sealed<schema::Reply>& r) { code = r.get().isRejected() ? r.get().getRejected().getCode() : 0; };
  const model::requester user{"user1", "borg", schema::Role::USER};
  projections::answer_fairshare_why(reader, 1, *asked, user, 0, take);
  BOOST_TEST(code == 15007u);
  projections::answer_fairshare(c.history.now, 1, *asked, user, 0, take);
  BOOST_TEST(code == 15007u);
  const auto unknown = schema::make<schema::Fairshare>([&](schema::Fairshare::Builder f) { f.setScheduler("nosuch"); });
  projections::answer_fairshare(c.history.now, 1, *unknown, {"root", "borg", schema::Role::ROOT}, 0, take);  // MS-111
  BOOST_TEST(code != 0u);
}

BOOST_AUTO_TEST_SUITE_END()
