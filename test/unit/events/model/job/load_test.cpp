// $max_load with suspend: what the load of its hosts means to a job (docs/design/0066-load-of-hosts.md).
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;

namespace {

using kind = model::run_request::kind;

model::host_load load(const job_story& story, bool suspends, const char* host = "borg") { return {story.job.run, host, suspends}; }

// What the run was asked and has not done.
std::vector<kind> owed(const job_story& story) {
  std::vector<kind> all;
  for (const auto& r : story.job.requests) all.push_back(r.what);
  return all;
}
std::vector<kind> just(std::initializer_list<kind> these) { return these; }

}  // namespace

BOOST_AUTO_TEST_SUITE(load_of_hosts)

BOOST_AUTO_TEST_CASE(a_job_is_stopped_and_goes_on_and_keeps_its_vnodes) {
  auto story = given(job_phase::started);
  const auto allocated = story.job.allocated;
  BOOST_TEST(story.when(load(story, true), the_server()) == "signalled");
  BOOST_TEST(story.state() == "U 43");
  BOOST_TEST((owed(story) == just({kind::suspend})));
  BOOST_TEST((story.job.allocated == allocated));
  BOOST_TEST(story.when(load(story, true), the_server()) == "");  // it was told already
  BOOST_TEST(story.obeys(1) == "requestDone");
  BOOST_TEST(story.state() == "U 43");
  BOOST_TEST(story.when(load(story, false), the_server()) == "signalled");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST((owed(story) == just({kind::resume})));
  BOOST_TEST(story.when(load(story, false), the_server()) == "");
}

BOOST_AUTO_TEST_CASE(only_hosts_of_the_run_stop_it_and_only_while_it_runs) {
  for (auto phase : {job_phase::queued, job_phase::held, job_phase::assigned, job_phase::exiting, job_phase::finished}) {
    const auto story = given(phase);
    BOOST_TEST(said(story.ask(load(story, true), the_server())) == "");
  }
  const auto story = given(job_phase::started);
  BOOST_TEST(said(story.ask(load(story, true, "n9"), the_server())) == "");
  BOOST_TEST(said(story.ask(model::host_load{story.job.run + 1, "borg", true}, the_server())) == "");
}

BOOST_AUTO_TEST_CASE(a_job_on_several_hosts_goes_on_when_none_stops_it) {
  auto story = given(job_phase::queued);
  story.when(propose("(borg:ncpus=1)+(n2:ncpus=1)"), the_scheduler());
  story.starts();
  story.when(load(story, true, "n2"), the_server());
  BOOST_TEST(story.when(load(story, true, "borg"), the_server()) == "signalled");
  BOOST_TEST((owed(story) == just({kind::suspend})));  // once is enough
  story.when(load(story, false, "n2"), the_server());
  BOOST_TEST(story.state() == "U 43");
  story.when(load(story, false, "borg"), the_server());
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST((owed(story) == just({kind::suspend, kind::resume})));
}

BOOST_AUTO_TEST_CASE(qsig_and_the_load_do_not_take_each_others_word_away) {
  auto story = given(job_phase::started);
  story.when(load(story, true), the_server());
  BOOST_TEST(said(story.ask(signal("resume"), operator_())).starts_with("15016"));  // nobody has suspended it
  BOOST_TEST(story.when(signal("suspend"), operator_()) == "suspended vnodesReleased");
  BOOST_TEST(story.state() == "S 43");
  BOOST_TEST(story.when(signal("resume"), operator_()) == "resumed vnodesTaken");
  BOOST_TEST(story.state() == "U 43");  // the host is still busy
  BOOST_TEST((owed(story) == just({kind::suspend})));
  story.when(signal("suspend"), operator_());
  BOOST_TEST(story.when(load(story, false), the_server()) == "signalled");
  BOOST_TEST(story.state() == "S 43");
  BOOST_TEST((owed(story) == just({kind::suspend})));
  story.when(signal("resume"), operator_());
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST((owed(story) == just({kind::suspend, kind::resume})));
}

BOOST_AUTO_TEST_CASE(a_stopped_job_ends_and_is_run_again_as_any_other) {
  for (const bool again : {false, true}) {
    auto story = given(job_phase::started);
    story.when(load(story, true), the_server());
    if (again) story.when(rerun(), operator_());
    else story.when(remove(), user());
    BOOST_TEST(story.state().starts_with("U"));
    story.exits(again ? -11 : 271);
    BOOST_TEST(story.state().starts_with("E"));
    BOOST_TEST(story.job.busy_hosts.empty());
    story.leaves();
    BOOST_TEST(story.state().starts_with(again ? "Q" : "F"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
