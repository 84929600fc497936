// fairshare_usage_res and fairshare_entity.
#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

#include "events/values/fairshare_entity.hpp"
#include "events/values/usage_formula.hpp"

using namespace annals::values;

namespace {

double value(const std::string& text, const std::map<std::string, double, std::less<>>& resources = {}) {
  const auto formula = usage_formula::parse(text);
  BOOST_REQUIRE_MESSAGE(formula, text);
  return formula->value_with([&](std::string_view name) {
    const auto at = resources.find(name);
    return at == resources.end() ? 0.0 : at->second;
  });
}

std::string entity(const char* form) {
  return entity_of(parse_fairshare_entity(form).value(), {"smith", "physics", "a17", "workq"});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fairshare)

BOOST_AUTO_TEST_CASE(a_formula_is_worth_what_arithmetic_says) {  // MS-107
  BOOST_TEST(value("cput", {{"cput", 100}}) == 100);
  BOOST_TEST(value("ncpus*walltime", {{"ncpus", 2}, {"walltime", 11}}) == 22);
  BOOST_TEST(value(" ( cput + 0.5 * mem ) / 2 ", {{"cput", 10}, {"mem", 4}}) == 6);
  BOOST_TEST(value("10-2-3") == 5);
  BOOST_TEST(value("2+3*4") == 14);
  BOOST_TEST(value("-(-5)") == 5);
  BOOST_TEST(value("+5") == 5);
  BOOST_TEST(value("my_res2 * 3", {{"my_res2", 3}}) == 9);
  BOOST_TEST(value("nosuch") == 0);
  BOOST_TEST(value("sqrt(ncpus)*ceil(walltime/60)", {{"ncpus", 4}, {"walltime", 61}}) == 4);  // what job_sort_formula takes
  BOOST_TEST(value("2**3") == 8);
}

BOOST_AUTO_TEST_CASE(what_is_no_amount_is_worth_nothing) {
  BOOST_TEST(value("1/ncpus") == 0);
  BOOST_TEST(value("cput/cput") == 0);
  BOOST_TEST(value("2-5") == 0);
  BOOST_TEST(value("sqrt(0-1)") == 0);
  BOOST_TEST(value("mem*mem*mem*mem", {{"mem", 1e300}}) == 0);
}

BOOST_AUTO_TEST_CASE(names_stand_once_in_the_order_of_the_text) {
  const auto formula = usage_formula::parse("walltime*ncpus + walltime*ngpus");
  const std::vector<std::string> expected{"walltime", "ncpus", "ngpus"};
  BOOST_TEST(formula.value().names() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(other_texts_are_no_formula) {
  for (const char* text : {"", " ", "cput+", "*cput", "cput cput", "(cput", "cput)", "()", "1.2.3", "cput;mem", "a=b", "f(x)", "\"cput\""})
    BOOST_TEST(!usage_formula::parse(text), text);
  BOOST_TEST(!usage_formula::parse(std::string(usage_formula::chars_max + 1, '1')));
  BOOST_TEST(!usage_formula::parse(std::string(500, '(') + "1" + std::string(500, ')')));
  BOOST_TEST(!usage_formula::parse(std::string(1000, '-') + "1"));
}

BOOST_AUTO_TEST_CASE(a_value_of_a_resource_is_a_number) {
  BOOST_TEST(number_of("4") == 4);
  BOOST_TEST(number_of("0.5") == 0.5);
  BOOST_TEST(number_of("00:01:40") == 100);
  BOOST_TEST(number_of("2gb") == 2 * 1024 * 1024);
  BOOST_TEST(number_of("linux") == 0);
  BOOST_TEST(number_of("") == 0);
}

BOOST_AUTO_TEST_CASE(an_entity_is_one_of_five_things_of_a_job) {
  BOOST_TEST(entity("euser") == "smith");
  BOOST_TEST(entity("egroup") == "physics");
  BOOST_TEST(entity("Account_Name") == "a17");
  BOOST_TEST(entity("account_name") == "a17");
  BOOST_TEST(entity("queue") == "workq");
  BOOST_TEST(entity("egroup:euser") == "physics:smith");
  BOOST_TEST(!parse_fairshare_entity("user"));
  BOOST_TEST(!parse_fairshare_entity(""));
  BOOST_TEST(entity_of(fairshare_entity::account_name, {"smith", "physics", "", "workq"}) == "(none)");
}

BOOST_AUTO_TEST_SUITE_END()
