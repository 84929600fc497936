// What qselect's options and --at are turned into.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>

#include "tools/client/query/job_criteria.hpp"
#include "tools/client/query/moment.hpp"

using namespace annals::client;
using annals::schema::CompareOp;

namespace {

struct utc {
  utc() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};
constexpr std::int64_t now = 1795216297;  // Fri Nov 20 23:11:37 2026

}  // namespace

BOOST_FIXTURE_TEST_SUITE(questions, utc)

BOOST_AUTO_TEST_CASE(operators_stand_between_dots_in_front) {
  BOOST_TEST((split_operator(".gt.0").op == CompareOp::GT));
  BOOST_TEST(split_operator(" .eq.-5").value == "-5");
  BOOST_TEST((split_operator("5").op == CompareOp::EQ));
  BOOST_TEST((split_operator(".xx.0").op == CompareOp::EQ));
  BOOST_TEST(split_operator(".xx.0").value == "0");
}

BOOST_AUTO_TEST_CASE(resources_need_an_operator) {
  const auto all = resource_criteria("ncpus.gt.0,walltime.eq.100");
  BOOST_REQUIRE(all && all->size() == 2u);
  BOOST_TEST(((*all)[1] == job_criterion{"Resource_List", "walltime", CompareOp::EQ, "100"}));
  for (const char* bad : {"ncpus=3", "ncpus", "nosuch=1", "select=1:ncpus=1:mem=1gb", "place.eq.excl", "ncpus.xx.1",
                          "ncpus.gt.", "", ",", ".gt.1"}) {
    BOOST_TEST(!resource_criteria(bad), bad);
  }
}

BOOST_AUTO_TEST_CASE(times_name_their_attribute_by_a_letter) {
  const auto c = time_criterion("q.gt.202001010000", now);
  BOOST_REQUIRE(c);
  BOOST_TEST((*c == job_criterion{"qtime", "", CompareOp::GT, "1577836800"}));
  BOOST_TEST(time_criterion(" a.eq.2359", now)->value == "1795219140");
  BOOST_TEST(time_criterion("c.lt.0000", now)->value == "1795219200");  // the next midnight
  for (const char* bad : {"x.gt.0000", "q.gt.0000.lt.2359", "", "q"}) BOOST_TEST(!time_criterion(bad, now), bad);
}

BOOST_AUTO_TEST_CASE(holds_states_and_checkpoints_are_checked) {
  BOOST_TEST(hold_criterion("uo")->value == "ou");
  BOOST_TEST(!hold_criterion("x"));
  BOOST_TEST(state_criterion("QQ")->value == "QQ");
  BOOST_TEST(!state_criterion("Z"));
  BOOST_TEST(checkpoint_criterion("c=10")->value == "c=10");
  BOOST_TEST(checkpoint_criterion(".eq.u")->value == "u");
  BOOST_TEST(!checkpoint_criterion(".gt.5"));
}

BOOST_AUTO_TEST_CASE(a_moment_is_a_date_seconds_or_a_sequence) {
  BOOST_TEST(parse_moment("2026-11-20 23:11:37")->wall_ns == now * 1'000'000'000);
  BOOST_TEST(parse_moment("2026-11-20T23:11")->wall_ns == (now - 37) * 1'000'000'000);
  BOOST_TEST(parse_moment("2026-11-20")->wall_ns == 1795132800 * std::int64_t{1'000'000'000});
  BOOST_TEST(parse_moment("1795216297")->wall_ns == now * 1'000'000'000);
  BOOST_TEST(parse_moment("#1795216297")->sequence == 1795216297u);
  BOOST_TEST(parse_moment("42")->sequence == 42u);
  for (const char* good : {"yesterday", "22:09", "7d", "now"}) BOOST_TEST((parse_moment(good)->what == moment::kind::wall_time), good);
  for (const char* bad :
       {"", "#", "#x", "the other day", "2026-11-20 25:00", "2026-11-20 10:00 x", "99999999999999999999"}) {
    BOOST_TEST(!parse_moment(bad), bad);
  }
}

BOOST_AUTO_TEST_CASE(at_is_taken_out_of_the_arguments) {
  std::vector<std::string> arguments{"-f", "--at", "42", "1.vm"};
  std::string bad;
  const auto at = take_moment(arguments, &bad);
  BOOST_TEST(at->sequence == 42u);
  const std::vector<std::string> rest{"-f", "1.vm"};
  BOOST_TEST(arguments == rest, boost::test_tools::per_element());
  arguments = {"--at=soon"};
  BOOST_TEST(!take_moment(arguments, &bad));
  BOOST_TEST(bad == "soon");
  arguments = {"--at"};
  BOOST_TEST(!take_moment(arguments, &bad));
  arguments = {};
  BOOST_TEST((take_moment(arguments, &bad)->what == moment::kind::now));
}

BOOST_AUTO_TEST_SUITE_END()
