// How much of what it was given and asked for a run made use of.
#include <boost/test/unit_test.hpp>

#include "events/values/job_id.hpp"
#include "projections/usage/efficiency.hpp"
#include "test/support/folded_log.hpp"

using namespace annals;
using projections::efficiency_sum;
using projections::job_efficiency;
using projections::run_efficiency;

namespace {

using texts = std::vector<std::pair<std::string, std::string>>;

void fill(schema::Usage::Builder to, const texts& from) {
  model::usage_set set;
  for (const auto& [resource, value] : from) set.set(resource, value);
  model::write_usage(set, to);
}

void fill(capnp::List<schema::Attribute>::Builder to, const char* name, const texts& from) {
  for (unsigned i = 0; i < from.size(); ++i) {
    to[i].setName(name);
    to[i].setResource(from[i].first);
    to[i].setValue(from[i].second);
  }
}

// The fold, with the runs that it has told of.
struct told_runs {
  job_efficiency fold_;
  std::vector<run_efficiency> over;
  void fold(const log::record& r) {
    if (auto run = fold_.fold(r)) over.push_back(*run);
  }
};

struct followed_job : test::folded_log<told_runs> {
  std::uint64_t stream = 0;

  void tell(const std::function<void(schema::JobEvent::Builder)>& f) {
    std::vector<model::event> events;
    events.push_back(model::make_event([&](auto e) { f(e.initJob()); }));
    stream = write(stream, std::move(events));
    later(10);
  }
  void submit(const texts& asked) {
    tell([&](auto e) {
      auto q = e.initQueued();
      q.setId("12.borg");
      q.setOwner("alice@front");
      q.setQueue("workq");
      fill(q.initAttributes(static_cast<unsigned>(asked.size())), "Resource_List", asked);
    });
  }
  void change(const char* name, const texts& to) {
    tell([&](auto e) { fill(e.initAltered().initChanges(static_cast<unsigned>(to.size())), name, to); });
  }
  void assign(std::uint32_t run) {
    tell([&](auto e) { e.initAssigned().setRun(run); });
  }
  void exit(const texts& used) {
    tell([&](auto e) { fill(e.initExited().initUsage(), used); });
  }
  void end() {
    tell([](auto e) { e.initEnded(); });
  }
  void requeue() {
    tell([](auto e) { e.initRequeued(); });
  }
};

const texts half_used{{"cput", "00:00:50"}, {"mem", "1gb"}, {"ncpus", "2"}, {"walltime", "00:00:50"}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(efficiency, followed_job)

BOOST_AUTO_TEST_CASE(a_run_is_told_of_when_it_is_over) {
  submit({{"ncpus", "2"}, {"mem", "4gb"}, {"walltime", "00:03:20"}});
  assign(1);
  BOOST_REQUIRE(fold.fold_.open().size() == 1u);
  BOOST_TEST(fold.fold_.open()[0].ended_ns == 0);
  exit(half_used);
  BOOST_TEST(fold.over.empty());
  BOOST_TEST(fold.fold_.open()[0].ended_sequence == 3u);
  end();
  BOOST_REQUIRE(fold.over.size() == 1u);
  BOOST_TEST(fold.fold_.open().empty());
  const auto& run = fold.over[0];
  BOOST_TEST(run.job == "12.borg");
  BOOST_TEST(run.user == "alice");
  BOOST_TEST(run.queue == "workq");
  BOOST_TEST(run.cpu_given_s() == 100u);
  BOOST_TEST(run.cpu().value() == 0.5);
  BOOST_TEST(run.memory().value() == 0.25);
  BOOST_TEST(run.walltime().value() == 0.25);
}

BOOST_AUTO_TEST_CASE(what_was_not_asked_for_has_no_part_and_a_run_without_time_no_cpu) {
  submit({{"ncpus", "2"}});
  assign(1);
  exit({});
  end();
  BOOST_REQUIRE(fold.over.size() == 1u);
  BOOST_TEST(fold.over[0].ncpus == 2u);  // nobody measured: what it asked for
  BOOST_TEST(!fold.over[0].cpu());
  BOOST_TEST(!fold.over[0].memory());
  BOOST_TEST(!fold.over[0].walltime());
}

BOOST_AUTO_TEST_CASE(what_was_altered_counts_as_the_job_shows_it_at_the_end) {
  submit({{"ncpus", "2"}, {"mem", "4gb"}});
  assign(1);
  tell([](auto e) {
    auto m = e.initMoved();
    m.setQueue("other");
    fill(m.initChanges(1), "Resource_List", {{"walltime", "00:00:50"}});
  });
  change("Resource_List", {{"mem", "2gb"}});
  exit(half_used);
  end();
  const auto& run = fold.over.at(0);
  BOOST_TEST(run.queue == "other");
  BOOST_TEST(run.memory().value() == 0.5);
  BOOST_TEST(run.walltime().value() == 1.0);
}

BOOST_AUTO_TEST_CASE(each_run_counts_and_one_that_did_not_start_does_not) {
  submit({{"ncpus", "2"}, {"mem", "4gb"}});
  assign(1);
  tell([](auto e) { e.initStartFailed().setRun(1); });
  requeue();
  assign(2);
  tell([](auto e) { fill(e.initReduced().initChanges(1), "Resource_List", {{"mem", "1gb"}}); });
  tell([](auto e) { fill(e.initUsageReported().initUsage(), half_used); });
  exit({});  // lost: what was known before counts
  requeue();
  assign(3);
  exit(half_used);
  end();
  BOOST_REQUIRE(fold.over.size() == 2u);
  BOOST_TEST(fold.over[0].run == 2u);
  BOOST_TEST(fold.over[0].cpu().value() == 0.5);
  BOOST_TEST(fold.over[0].memory().value() == 1.0);
  BOOST_TEST(fold.over[1].run == 3u);
  BOOST_TEST(fold.over[1].memory().value() == 0.25);  // it asks again what it asked before it was reduced
}

BOOST_AUTO_TEST_CASE(an_array_has_no_run_and_those_of_its_subjobs_are_told_of_once) {
  tell([](auto e) {
    auto q = e.initQueued();
    q.setId("12[].borg");
    q.setIndices("1-2");
  });
  const auto array = std::exchange(stream, 0);
  tell([](auto e) {
    auto q = e.initQueued();
    q.setId("12[2].borg");
    q.setNumber(values::subjob_number(12, 2));
  });
  assign(1);
  exit(half_used);
  requeue();
  tell([](auto e) { e.setForgotten(); });
  stream = array;
  tell([](auto e) { e.initSubjobLeft().setIndex(2); });
  end();
  BOOST_REQUIRE(fold.over.size() == 1u);
  BOOST_TEST(fold.over[0].job == "12[2].borg");
  BOOST_TEST(fold.fold_.open().empty());
}

BOOST_AUTO_TEST_CASE(the_same_records_tell_of_the_same_runs) {
  submit({{"ncpus", "2"}, {"mem", "4gb"}});
  for (std::uint32_t run = 1; run <= 3; ++run) {
    assign(run);
    exit(half_used);
    if (run < 3) requeue();
  }
  const auto followed = std::exchange(fold, {});
  replay();
  BOOST_TEST((fold.over == followed.over));
  BOOST_TEST((fold.fold_.open() == followed.fold_.open()));
  BOOST_TEST(fold.over.size() == 2u);
}

BOOST_AUTO_TEST_CASE(jobs_that_nobody_wants_are_not_followed) {
  fold.fold_ = job_efficiency([](std::string_view id, std::string_view user) { return id == "12.borg" && user == "bob"; });
  submit({});
  assign(1);
  BOOST_TEST(fold.fold_.open().empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_sum_weighs_each_run_by_the_cpu_time_it_was_given) {
  efficiency_sum sum;
  BOOST_TEST(!sum.cpu());
  run_efficiency large, small;
  large.ncpus = 9, large.walltime_s = 100, large.cput_s = 900, large.mem_kb = 10, large.mem_asked_kb = 10;
  small.ncpus = 1, small.walltime_s = 100, small.cput_s = 0, small.mem_kb = 0, small.mem_asked_kb = 10;
  sum.add(large);
  sum.add(small);
  BOOST_TEST(sum.runs() == 2u);
  BOOST_TEST(sum.cpu().value() == 0.9);
  BOOST_TEST(sum.memory().value() == 0.9);
  BOOST_TEST(!sum.walltime());
}
