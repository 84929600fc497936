// The state of a job is what its own events make of it, whatever is told of it beside them; and what is shown is what apply() would make of
// a state that had all of that in it.
#include "projections/status/told_of_job.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "projections/status/query.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/recorded_lives.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/support/told_records.hpp"
#include "test/unit/projections/status/told_histories.hpp"
#include "test/unit/projections/status/told_in_states.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;

namespace {

using records = std::vector<log::record_ptr>;
constexpr attributes::attribute_id told_ids[] = {ids::comment, ids::estimated, ids::topjob, ids::accrue_type, ids::eligible_time,
                                                 ids::sample_starttime};

// Three folds of the same records.
struct folds {
  projections::status now;
  std::map<std::uint64_t, model::job_state> own;  // by the rules of the model alone
  told_in_states told;

  void fold(const log::record& r) {
    now.fold(r);
    told.fold(r, now);
    if (r.kind() != schema::StreamKind::JOB) return;
    auto& job = own[r.get().getStream()];
    model::apply(job, log::place_of(r), r.event().getJob());
    if (job.phase == model::job_phase::forgotten) own.erase(r.get().getStream());
  }

  // Answers how many states were compared that differ from what is shown of their jobs.
  std::size_t check() const {
    std::size_t told_of = 0, seen = 0;
    now.each_stream([&](const model::job_state& job) {
      const auto where = job.id + " at " + std::to_string(now.sequence());
      const auto shown = now.shown(job);
      ++seen;
      BOOST_TEST((shown == told.jobs.at(job.serial).attributes), "what is shown of " << where);
      check_one_by_one(job, shown, where);
      if (now.in_history(job.serial)) return true;
      BOOST_TEST((stored_bytes(job) == stored_bytes(own.at(job.serial))), "the state of " << where);
      told_of += shown != job.attributes;
      return true;
    });
    BOOST_TEST(seen == own.size());
    return told_of;
  }

  void check_one_by_one(const model::job_state& job, const attributes::attribute_set& shown, const std::string& where) const {
    bool same = true;
    for (const auto id : told_ids)
      for (const char* resource : {"", "start_time", "exec_vnode"})
        same &= now.shown(job, id, resource) == shown.get(id, resource).value_or("");
    BOOST_TEST(same, "what is shown one by one of " << where);
  }
};

// After every third record, which is not always the same kind of event.
void check(const records& all) {
  folds f;
  std::size_t told_of = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    f.fold(*all[i]);
    if (i % 3 == 0 || i + 1 == all.size()) told_of += f.check();
  }
  BOOST_TEST(told_of > 100u);
}

// Steps that made_history has not: changes by hand, starts without a word, words behind other words, ends before a start.
class more_steps {
 public:
  more_steps(made_history& of, unsigned seed) : history_(of), random_(seed) {}

  void step() {
    if (history_.jobs().empty()) return;
    const auto serial = history_.jobs()[random_() % history_.jobs().size()];
    const auto job = *history_.now.job(serial);
    using p = model::job_phase;
    if (random_() % 3 == 0 && model::may_happen(job.phase, schema::JobEvent::ALTERED)) return alter(serial);
    switch (job.phase) {
      case p::held:
      case p::queued:
        if (random_() % 5 == 0) return remove(serial);
        return random_() % 3 == 0 ? hold(serial) : assign(serial, job.run + 1);
      case p::assigned: return go_on_with_start(serial, job.run);
      case p::suspended:
        if (!job.resume_wanted) history_.write(serial, [](auto e) { e.initJob().setResumeWanted(); });
        return;
      case p::exiting:
        if (!job.allocated.empty()) return;
        history_.write(serial, [&](auto e) {
          auto r = e.initJob().initRequeued();
          r.setRun(job.run);
          r.setComment(some("", "Job requeued, execution node down"));
        });
        return;
      default: return;
    }
  }

 private:
  const char* some(const char* one, const char* other) { return random_() % 2 ? one : other; }

  void alter(std::uint64_t serial) {
    struct change {
      const char *name, *resource, *value;
    };
    static constexpr change changes[] = {
        {"comment", "", "by hand"},
        {"comment", "", ""},
        {"eligible_time", "", "00:10:00"},
        {"eligible_time", "", ""},
        {"estimated", "start_time", "1795300000"},
        {"estimated", "soft_walltime", "01:00:00"},
        {"estimated", "soft_walltime", ""},
        {"schedselect", "", "1:ncpus=1"},
        {"Resource_List", "place", "scatter"},
        {"Priority", "", "7"},
    };
    const auto& first = changes[random_() % std::size(changes)];
    const auto& second = changes[random_() % std::size(changes)];
    history_.write(serial, [&](auto e) {
      auto list = e.initJob().initAltered().initChanges(2);
      unsigned i = 0;
      for (const auto* c : {&first, &second}) {
        list[i].setName(c->name);
        list[i].setResource(c->resource);
        list[i].setValue(c->value);
        list[i++].setOp(*c->value == '\0' ? schema::AttributeOp::UNSET : schema::AttributeOp::SET);
      }
    });
  }

  void hold(std::uint64_t serial) {
    history_.write(serial, [&](auto e) {
      auto h = e.initJob().initHeld();
      h.initHolds(1).set(0, schema::HoldType::USER);
      h.setComment(some("", "Job held by user1 on Sat Nov 21 00:27:00 2026"));
    });
  }

  void remove(std::uint64_t serial) {
    if (random_() % 2) history_.write(serial, [](auto e) { e.initJob().initDeleteRequested(); }, {"user1", "front", schema::Role::USER});
    history_.write(serial, [&](auto e) {
      auto end = e.initJob().initEnded();
      end.setSubstate(91);
      end.setCommentSuffix(some(" and terminated", " and failed"));
    });
  }

  void assign(std::uint64_t serial, std::uint32_t run) {
    const auto& host = history_.now.hosts().begin()->second;
    history_.write(serial, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(" + host.vnodes.front().name + ":ncpus=1:mem=512kb)");
      a.setExecHost(host.name + "/0");
      a.initHosts(1).set(0, host.name);
      a.setPlace("free");
      a.setComment(some("", "Job was sent for execution at Sat Nov 21 at 00:27 on (n1:ncpus=1)"));  // as an earlier run's
    });
  }

  void go_on_with_start(std::uint64_t serial, std::uint32_t run) {
    const auto which = random_() % 4;
    history_.write(serial, [&](auto e) {
      if (which == 3) return e.initJob().initStarted().setRun(run);
      auto s = e.initJob().initRunStep();
      s.setRun(run);
      if (which == 0) return s.initStep().initSistersAsked().initHosts(1).set(0, "n2");
      (which == 1 ? s.initStep().initSisterJoined() : s.initStep().initSisterFailed()).setHost("n2");
    });
  }

  made_history& history_;
  std::mt19937 random_;
};

records invented(unsigned seed, int steps) {
  log::memory_event_store store;
  made_history history(store, seed);
  more_steps more(history, seed + 100);
  history.begin();
  for (int i = 0; i < steps; ++i) {
    history.step();
    more.step();
    if (i % 4 == 0) history.cycle();
    if (i % 25 == 3) history.change_server("eligible_time_enable", i % 75 == 53 ? "False" : "True");
    if (i % 60 == 20) history.pass(604'800);
    if (i % 60 == 25) history.pass(-604'800);
    if (i % 70 == 30) tell_of_array(history, 1'000'000 + static_cast<std::uint64_t>(i));
  }
  return records_of(store);
}

records of_a_cluster(unsigned seed, bool with_history) {
  recorded_cluster c("strict_ordering: True all\n");
  c.change_server("job_history_enable", with_history ? "True" : "False");
  live(c, seed, 40);
  c.change_server("eligible_time_enable", "True");
  c.refuses = false;
  live_with_reservations(c, seed, 40);
  c.submit_array("user1", "1-9:2", 2, 100);
  for (int i = 0; i < 10; ++i) {
    c.cycle();
    c.later(60);
  }
  return records_of(c.store);
}

// A queued job, told event by event.
struct story {
  static constexpr std::uint64_t scheduler = 3, job = 10, other = 11;
  projections::status status;
  told_records records;

  story() {
    happens(1, [](auto e) { e.initServer().initStarted().setServerName("p1"); });
    happens(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    happens(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    for (const auto serial : {job, other})
      happens(serial, [&](auto e) {
        auto q = e.initJob().initQueued();
        q.setId(std::to_string(serial) + ".p1");
        q.setNumber(serial);
        q.setOwner("user1@front");
        q.setQueue("workq");
      });
  }
  void happens(std::uint64_t stream, const std::function<void(schema::Event::Builder)>& event) { status.fold(records.next(stream, event)); }
  void say(const std::string& text) {
    happens(scheduler, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, text);
      auto list = r.initJobs(2);
      list[0].setJob(job);
      list[1].setJob(other);
    });
  }
  void assign(std::uint32_t run, const char* comment) {
    happens(job, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(p1:ncpus=1)");
      a.setExecHost("p1/0");
      a.initHosts(1).set(0, "p1");
      a.setComment(comment);
    });
  }
  void requeue(std::uint32_t run) {
    happens(job, [&](auto e) { e.initJob().initStartFailed().setRun(run); });
    happens(job, [&](auto e) {
      auto v = e.initJob().initVnodesReleased();
      v.setRun(run);
      v.setExecVnode("(p1:ncpus=1)");
      v.initHosts(1).set(0, "p1");
    });
    happens(job, [&](auto e) { e.initJob().initRequeued().setRun(run); });
  }
  std::string comment() const { return status.shown(*status.job(job), ids::comment); }
  std::string own_comment() const { return std::string(status.job(job)->attribute(ids::comment)); }
  const std::string* kept(std::uint64_t serial) const { return status.told_of(*status.job(serial)).comment.get(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(told_of_jobs)

BOOST_AUTO_TEST_CASE(is_shown_beside_states_that_are_the_models_in_invented_histories) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) check(invented(seed, 160));
}

BOOST_AUTO_TEST_CASE(is_shown_beside_states_that_are_the_models_in_a_recorded_cluster) {
  check(of_a_cluster(5, true));
  check(of_a_cluster(6, false));
}

BOOST_FIXTURE_TEST_CASE(is_no_reason_for_a_rule, story) {
  const auto outcome = [&] {
    return model::decide(*status.job(job), release({HoldType::USER}), {status.wall_ns(), operator_()}, small_settings());
  };
  say("Not Running: a");
  BOOST_TEST(comment() == "Not Running: a");
  BOOST_REQUIRE(outcome().accepted());
  BOOST_TEST(outcome().events().empty());  // a comment of its own would be taken off
}

BOOST_FIXTURE_TEST_CASE(is_gone_when_the_same_is_said_again_by_its_own_events, story) {
  assign(1, "Job run");
  BOOST_TEST(comment() == "Job run");
  requeue(1);
  say("Not Running: a");
  BOOST_TEST(comment() == "Not Running: a");
  BOOST_TEST(own_comment() == "Job run");
  assign(2, "Job run");
  BOOST_TEST(comment() == "Job run");
  BOOST_TEST(status.told_of(*status.job(job)).empty());
}

BOOST_FIXTURE_TEST_CASE(has_the_words_of_its_end_behind_it, story) {
  say("Not Running: a");
  happens(job, [](auto e) { e.initJob().initEnded().setCommentSuffix(" and terminated"); });
  BOOST_TEST(comment() == "Not Running: a and terminated");
  BOOST_TEST(own_comment() == "");
}

BOOST_FIXTURE_TEST_CASE(stays_in_the_row_of_a_finished_job, story) {
  happens(1, [](auto e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("job_history_enable");
    c.setValue("True");
  });
  say("Not Running: a");
  happens(job, [](auto e) { e.initJob().initEnded().setCommentSuffix(" and terminated"); });
  BOOST_REQUIRE(status.in_history(job));
  BOOST_TEST(comment() == "Not Running: a and terminated");
  BOOST_TEST(projections::job_row(status, *status.job(job), 0).get(ids::comment).value_or("") == "Not Running: a and terminated");
}

BOOST_FIXTURE_TEST_CASE(is_one_text_for_all_jobs_that_have_it, story) {
  say("Not Running: a");
  BOOST_REQUIRE(kept(job));
  BOOST_TEST(kept(job) == kept(other));
  BOOST_TEST(kept(job) == &status.why(job)->why->text);
  projections::status restored;
  stored::restore_whole(stored_bytes(status), restored);
  const auto first = restored.told_of(*restored.job(job)).comment, second = restored.told_of(*restored.job(other)).comment;
  BOOST_REQUIRE(first);
  BOOST_TEST(*first == "Not Running: a");
  BOOST_TEST(first == second);
}

BOOST_AUTO_TEST_SUITE_END()
