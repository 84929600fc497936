// What the server itself says of a scheduler (MS-10).
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/model/scheduler/places.hpp"
#include "test/unit/actors/server/reactions/watched_schedulers.hpp"

using namespace annals;
using test::targets;

namespace {

struct cluster : test::watched_schedulers<reactions::scheduler_comments> {
  const std::uint64_t s = scheduler("s1", {{"partition", "P1"}, {"scheduling", "True"}});
  void ends(int times) {
    for (int i = 0; i < times; ++i) {
      came(s);
      went(s);
    }
  }
  // As the server's own request leaves it.
  void said(const char* comment) { change(s, {{"comment", comment}}, schema::Role::SERVER); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduler_comments, cluster)

BOOST_AUTO_TEST_CASE(three_ends_within_an_hour_need_attention_and_a_quiet_while_is_good) {  // MS-10
  ends(2);
  BOOST_TEST(due().empty());
  ends(1);
  BOOST_TEST(due() == targets{"NEEDS_ATTENTION of s1"});
  const auto change = ordered<reactions::manage_object>().request.get().getManage();
  BOOST_TEST(schema::str(change.getName()) == "s1");
  BOOST_TEST(schema::str(change.getChanges()[0].getValue()) == "NEEDS_ATTENTION");
  said("NEEDS_ATTENTION");
  BOOST_TEST(due().empty());
  came(s);
  BOOST_TEST(due().empty());
  BOOST_TEST(wait() == limits::scheduler_steady_s);
  later(limits::scheduler_steady_s);
  BOOST_TEST(due() == targets{"READY_TO_USE of s1"});
  said("READY_TO_USE");
  BOOST_TEST(due().empty());
  went(s);
  BOOST_TEST(due() == targets{"NEEDS_ATTENTION of s1"});  // the hour is not over
}

BOOST_AUTO_TEST_CASE(ends_that_lie_more_than_an_hour_apart_are_nothing) {
  ends(2);
  later(3600);
  ends(2);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(starts_that_fail_count_and_ends_that_were_asked_for_do_not) {
  for (int i = 0; i < 5; ++i) {
    came(s);
    went(s, model::told_to_end);
  }
  BOOST_TEST(due().empty());
  change(s, {{"scheduling", "False"}});
  ends(5);
  BOOST_TEST(due().empty());
  change(s, {{"scheduling", "True"}});
  for (int i = 0; i < 3; ++i) failed(s);
  BOOST_TEST(due() == targets{"NEEDS_ATTENTION of s1"});
}

BOOST_AUTO_TEST_CASE(what_a_site_says_stays) {
  change(s, {{"comment", "in repair"}});
  ends(4);
  BOOST_TEST(due().empty());
  change(s, {{"comment", "NEEDS_ATTENTION"}});
  came(s);
  later(1000);
  BOOST_TEST(due().empty());
  went(s);
  change(s, {{"comment", nullptr}});
  BOOST_TEST(due().empty());
  ends(1);
  BOOST_TEST(due() == targets{"NEEDS_ATTENTION of s1"});
}

BOOST_AUTO_TEST_SUITE_END()
