// A run that waits for its vnodes to get their environment (docs/design/0052-provisioning.md).
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

auto provisioned_run() {
  auto story = given(job_phase::queued);
  story.when(propose("(borg:ncpus=1:aoe=suse)"), the_scheduler());
  return story;
}
model::job_command told(const char* failed = "", const char* vnode = "borg", std::uint32_t run = 1) {
  return model::vnode_provisioned{run, vnode, failed};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_provisioning)

BOOST_AUTO_TEST_CASE(a_run_is_sent_when_its_last_vnode_has_its_environment) {
  auto story = provisioned_run();
  BOOST_TEST(story.state() == "R 71");
  BOOST_TEST(model::pending_effects(story.job, story.settings).empty());
  BOOST_TEST(story.when(told("", "other"), the_server()) == "");
  BOOST_TEST(story.when(told("", "borg", 2), the_server()) == "");
  BOOST_TEST(story.when(told(), the_server()) == "altered");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(model::pending_effects(story.job, story.settings).size() == 1u);
  BOOST_TEST(story.when(told(), the_server()) == "");
}

BOOST_AUTO_TEST_CASE(a_run_whose_vnode_failed_goes_back_to_its_queue) {
  auto story = provisioned_run();
  BOOST_TEST(story.when(told("no disk"), the_server()) == "startFailed vnodesReleased requeued");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.comment().starts_with("Job requeued, provisioning of borg failed: no disk; not tried again before "));
  BOOST_TEST(!story.job.attributes.has(ids::prov_vnode));
  BOOST_TEST(story.later(1).when(propose(), the_scheduler()) == "assigned");
  BOOST_TEST(story.state() == "R 41");
}

BOOST_AUTO_TEST_CASE(it_is_not_lost_while_its_host_is_made_anew) {
  auto story = provisioned_run();
  BOOST_TEST(story.when(model::run_lost{1, true, true}, the_server()) == "");
}

BOOST_AUTO_TEST_SUITE_END()
