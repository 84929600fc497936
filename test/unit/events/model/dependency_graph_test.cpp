// No job waits for itself over others (docs/design/0054-dependencies.md).
#include "events/model/dependency_graph.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct jobs {
  model::dependency_graph graph;
  std::map<std::uint64_t, model::dependency_graph::progress> others;

  static model::event queued(const given_values& attributes) {
    return model::make_event([&](auto e) {
      fill(e.initJob().initQueued().initAttributes(static_cast<unsigned>(attributes.size())), attributes);
    });
  }
  static model::event altered(const given_values& changes) {
    return model::make_event([&](auto e) {
      fill(e.initJob().initAltered().initChanges(static_cast<unsigned>(changes.size())), changes);
    });
  }
  bool happens(std::uint64_t number, const model::event& e) {
    if (graph.check(number, e.get().getJob())) return false;
    graph.apply(number, e.get().getJob(), [this](std::uint64_t other) { return others[other]; });
    return true;
  }
  bool submit(std::uint64_t number, const std::string& depend) { return happens(number, queued({{"depend", "", depend}})); }
  bool alter(std::uint64_t number, const std::string& depend) { return happens(number, altered({{"depend", "", depend}})); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(dependency_graph)

BOOST_AUTO_TEST_CASE(a_circle_is_refused) {
  jobs j;
  BOOST_TEST(j.submit(1, "on:1"));
  BOOST_TEST(!j.alter(1, "afterok:1"));
  BOOST_TEST(j.submit(2, "afterok:1.borg@borg"));
  BOOST_TEST(j.submit(3, "afterok:9,afterany:2.borg@borg"));
  BOOST_TEST(!j.alter(1, "afterok:3"));
  BOOST_TEST(!j.submit(4, "afterok:3,before:1"));
  BOOST_TEST(j.submit(4, "before:1"));
  BOOST_TEST(j.alter(1, "afterok:4,afternotok:9"));
  BOOST_TEST(!j.alter(4, "after:2"));
}

BOOST_AUTO_TEST_CASE(what_was_met_or_run_is_waited_for_no_more) {
  jobs j;
  j.submit(1, "on:1");
  j.submit(2, "afterok:1.borg@borg");
  BOOST_TEST(!j.alter(1, "afterok:2"));
  BOOST_TEST(j.happens(2, jobs::altered({{"depend", "", "afterok:1.borg@borg", schema::AttributeOp::DECREMENT}})));
  BOOST_TEST(j.alter(1, "afterok:2"));
  BOOST_TEST(!j.happens(2, jobs::altered({{"depend", "", "afterok:1.borg@borg", schema::AttributeOp::INCREMENT}})));
  BOOST_TEST(j.happens(1, model::make_event([](auto e) { e.initJob().initAssigned(); })));
  BOOST_TEST(j.alter(2, "afterok:1"));
  BOOST_TEST(j.happens(2, jobs::altered({{"depend", "", "", schema::AttributeOp::UNSET}})));
  BOOST_TEST(j.happens(1, model::make_event([](auto e) { e.initJob().initEnded(); })));
  BOOST_TEST((j.graph == model::dependency_graph()));
}

BOOST_AUTO_TEST_CASE(of_a_set_one_is_run) {
  jobs j;
  j.submit(1, "on:1");
  j.submit(2, "runone:1");
  j.submit(3, "runone:2");
  const auto assigned = model::make_event([](auto e) { e.initJob().initAssigned(); });
  BOOST_TEST(j.happens(2, assigned));
  BOOST_TEST(!j.happens(1, assigned));
  BOOST_TEST(!j.happens(3, assigned));
  BOOST_TEST(j.happens(2, model::make_event([](auto e) { e.initJob().initRequeued(); })));
  BOOST_TEST(j.happens(3, assigned));
  BOOST_TEST(j.happens(3, model::make_event([](auto e) { e.initJob().initEnded(); })));
  BOOST_TEST(!j.happens(1, assigned));
}

BOOST_AUTO_TEST_CASE(who_names_a_job_that_runs_or_is_over_is_not_run) {
  jobs j;
  using progress = model::dependency_graph::progress;
  for (const auto is : {progress::runs, progress::over}) {
    jobs before;
    before.others[1] = is;
    before.submit(2, "runone:1");
    BOOST_TEST(!before.happens(2, model::make_event([](auto e) { e.initJob().initAssigned(); })));
  }
  j.others[1] = progress::over;
  j.submit(2, "runone:1");
  BOOST_TEST(j.happens(2, model::make_event([](auto e) { e.initJob().initEnded(); })));
  BOOST_TEST((j.graph == model::dependency_graph()));
}

BOOST_AUTO_TEST_SUITE_END()
