#include <boost/test/unit_test.hpp>

#include "tools/client/assignments.hpp"

namespace annals::client {
static std::ostream& operator<<(std::ostream& out, const assignment& a) { return out << a.name << "=" << a.value; }
}  // namespace annals::client

using namespace annals::client;
using list = std::vector<assignment>;

namespace {
std::optional<std::string> from_environment(const std::string& name) {
  if (name == "A") return "1";
  if (name == "B") return "x y";
  return std::nullopt;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(assignments)

BOOST_AUTO_TEST_CASE(resources_are_split_at_commas_and_the_last_of_a_name_counts) {
  BOOST_TEST(*parse_resource_list("ncpus=2,mem=1gb,ncpus=3") == (list{{"ncpus", "3"}, {"mem", "1gb"}}),
             boost::test_tools::per_element());
  BOOST_TEST(*parse_resource_list("select=1:ncpus=1+2:ncpus=2:mem=1gb,place=scatter:shared") ==
                 (list{{"select", "1:ncpus=1+2:ncpus=2:mem=1gb"}, {"place", "scatter:shared"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_resources_is_a_list_too) { BOOST_TEST(parse_resource_list("")->empty()); }

BOOST_AUTO_TEST_CASE(a_resource_without_a_value_is_left_to_the_server) {
  BOOST_TEST(*parse_resource_list("ncpus") == (list{{"ncpus", ""}}), boost::test_tools::per_element());
  BOOST_TEST(!parse_resource_list("=3"));
}

BOOST_AUTO_TEST_CASE(an_empty_resource_is_none) {
  for (const char* text : {"ncpus=1,", ",ncpus=1", "ncpus=1,,mem=1gb", ","}) BOOST_TEST(!parse_resource_list(text), text);
  BOOST_TEST(parse_resource_list("walltime=1:00, ncpus=2")->size() == 2u);
}

BOOST_AUTO_TEST_CASE(quotes_protect_commas_in_resources) {
  BOOST_TEST(*parse_resource_list("tag='a,b',ncpus=1") == (list{{"tag", "a,b"}, {"ncpus", "1"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(targets_of_preemption_need_no_quotes) {
  for (const char* text : {"preempt_targets=queue=a,queue=b,ncpus=1", "preempt_targets='queue=a,queue=b',ncpus=1",
                           "preempt_targets=queue=a, queue = b ,ncpus=1"})
    BOOST_TEST(*parse_resource_list(text) == (list{{"preempt_targets", "queue=a,queue=b"}, {"ncpus", "1"}}),
               boost::test_tools::per_element());
  BOOST_TEST(*parse_resource_list("preempt_targets=Resource_List.mem=1gb,Queue=b") ==
                 (list{{"preempt_targets", "Resource_List.mem=1gb,Queue=b"}}),
             boost::test_tools::per_element());
  BOOST_TEST(*parse_resource_list("preempt_targets=NONE,mem=1gb") == (list{{"preempt_targets", "NONE"}, {"mem", "1gb"}}),
             boost::test_tools::per_element());
  BOOST_TEST(*parse_resource_list("preempt_targets=queue=a,ncpus=1,queue=b") ==
                 (list{{"preempt_targets", "queue=a"}, {"ncpus", "1"}, {"queue", "b"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_comma_in_an_attribute_belongs_to_its_value_unless_a_name_follows) {
  BOOST_TEST(*parse_attribute_list("umask=022,run_count=2") == (list{{"umask", "022"}, {"run_count", "2"}}),
             boost::test_tools::per_element());
  BOOST_TEST(*parse_attribute_list("stageout=a@q1:/b,c@q1:/d,umask=2") ==
                 (list{{"stageout", "a@q1:/b,c@q1:/d"}, {"umask", "2"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(blanks_may_stand_before_a_name_and_around_its_equals_sign) {
  for (const char* text : {"umask = 022", "umask =022", "umask= 022", " umask=022", "umask\t=\t022"})
    BOOST_TEST(*parse_attribute_list(text) == (list{{"umask", "022"}}), boost::test_tools::per_element());
  BOOST_TEST(*parse_attribute_list("umask=022, sandbox = PRIVATE") == (list{{"umask", "022"}, {"sandbox", "PRIVATE"}}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(behind_the_value_of_an_attribute_stands_neither_a_blank_nor_a_comma) {
  for (const char* text : {"umask=022 ", "umask=022,", "umask=022,,sandbox=private", ",umask=022", "umask= ,sandbox=x,"})
    BOOST_TEST(!parse_attribute_list(text), text);
}

BOOST_AUTO_TEST_CASE(attributes_without_an_equals_sign_or_with_two_are_none) {
  for (const char* text : {"foo", "", "=3", "Variable_List=A=1", "foo,umask=2"})
    BOOST_TEST(!parse_attribute_list(text), text);
  BOOST_TEST(parse_attribute_list("sandbox=")->at(0).value.empty());
  BOOST_TEST(parse_attribute_list("depend=\"\"")->at(0).value.empty());
  BOOST_TEST(parse_attribute_list("Variable_List=\"A=1\"")->at(0).value == "A=1");
}

BOOST_AUTO_TEST_CASE(variables_take_quotes_escapes_and_the_environment) {
  BOOST_TEST(*parse_variable_list(R"(A,B,C=3,E="q,r",F=g\,h,G=a=b)", from_environment) ==
                 (list{{"A", "1"}, {"B", "x y"}, {"C", "3"}, {"E", "q,r"}, {"F", "g,h"}, {"G", "a=b"}}),
             boost::test_tools::per_element());
  BOOST_TEST(parse_variable_list("", from_environment)->empty());
}

BOOST_AUTO_TEST_CASE(variables_that_are_not_set_or_have_no_name_are_refused) {
  BOOST_TEST(!parse_variable_list("A,D", from_environment));
  BOOST_TEST(!parse_variable_list("=3", from_environment));
}

BOOST_AUTO_TEST_CASE(variables_with_a_quote_that_has_no_end_are_refused) {
  for (const char* text : {"A=\"b", "A='b,C=d", "A=b\"c'd"}) BOOST_TEST(!parse_variable_list(text, from_environment), text);
  BOOST_TEST(*parse_variable_list(R"(A=\"b)", from_environment) == (list{{"A", "\"b"}}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
