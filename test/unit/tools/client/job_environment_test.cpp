#include <boost/test/unit_test.hpp>

#include "tools/client/job_environment.hpp"

using namespace annals::client;

namespace {
const submitter who{
    {{"FOO", "b,r"}, {"PATH", "/bin"}, {"HOME", "/home/u"}, {"LANG", "C.UTF-8"}, {"PBS_O_QUEUE", "old"}},
    "/work",
    "Linux"};
const std::string origin =
    "PBS_O_HOME=/home/u,PBS_O_LANG=C.UTF-8,PBS_O_PATH=/bin,PBS_O_INTERACTIVE_AUTH_METHOD=resvport,"
    "PBS_O_INTERACTIVE_ENCRYPT_METHOD=,PBS_O_WORKDIR=/work,PBS_O_SYSTEM=Linux";
}  // namespace

BOOST_AUTO_TEST_SUITE(job_environment)

BOOST_AUTO_TEST_CASE(only_variables_that_the_submitter_has_are_told) {
  BOOST_TEST(variable_list(who, {}, false) == origin);
}

BOOST_AUTO_TEST_CASE(chosen_variables_follow_with_commas_escaped) {
  BOOST_TEST(variable_list(who, {{"A", "1"}, {"E", "q,r"}, {"W", "a\\b"}}, false) == origin + ",A=1,E=q\\,r,W=a\\\\b");
}

BOOST_AUTO_TEST_CASE(everything_is_the_environment_but_for_an_outer_jobs_origin) {
  BOOST_TEST(variable_list(who, {{"FOO", "mine"}}, true) == origin + ",FOO=mine,PATH=/bin,HOME=/home/u,LANG=C.UTF-8");
}

BOOST_AUTO_TEST_SUITE_END()
