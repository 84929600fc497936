// job_sort_formula: what PBS's transcripts show, and Python's meaning of the rest.
#include "events/values/job_formula.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "events/values/number.hpp"

using namespace annals::values;

namespace {

using numbers = std::map<std::string, double, std::less<>>;

// The value as logs have it, or the error.
std::string of(const std::string& text, const numbers& n = {}) {
  job_formula::trouble why;
  const auto formula = job_formula::parse(
      text, [&](std::string_view name) { return n.contains(name); }, &why);
  if (!formula) return why == job_formula::trouble::keyword ? "keyword" : "format";
  std::vector<double> values;
  for (const auto& name : formula->names()) values.push_back(n.find(name)->second);
  const auto result = formula->value(values);
  return result.error ? result.error : print_real(result.value);
}

const numbers job{{"ncpus", 2}, {"walltime", 100}, {"soft_walltime", 0}, {"mem", 102400}, {"job_priority", 5}, {"queue_priority", 50}};

}  // namespace

BOOST_AUTO_TEST_SUITE(sort_formula)

BOOST_AUTO_TEST_CASE(formulas_of_real_transcripts) {
  BOOST_TEST(of("ncpus", job) == "2");
  BOOST_TEST(of("ncpus*walltime", job) == "200");
  BOOST_TEST(of("ncpus/0", job) == "division by zero");
  BOOST_TEST(of("ncpus*", job) == "format");
  BOOST_TEST(of("ncpus+", job) == "format");
  BOOST_TEST(of("nosuch", job) == "keyword");
  BOOST_TEST(of("foo*2", job) == "keyword");
  BOOST_TEST(of("pow(2,job_priority)+math.sqrt(4)", job) == "keyword");
  BOOST_TEST(of(" ncpus + nosuch ", job) == "keyword");
  BOOST_TEST(of("1/(ncpus-2)", job) == "division by zero");
  BOOST_TEST(of("sqrt(ncpus)", job) == "1.4142");
  BOOST_TEST(of("0", job) == "0");
  BOOST_TEST(of("1 if ncpus>1 else 0", job) == "1");
  BOOST_TEST(of("max(ncpus,3)", job) == "3");
  BOOST_TEST(of("-ncpus", job) == "-2");
  BOOST_TEST(of("walltime+soft_walltime", job) == "100");
  BOOST_TEST(of("job_priority % 4", job) == "1");
  BOOST_TEST(of("job_priority ** 2", job) == "25");
  BOOST_TEST(of("(ncpus > 0)", job) == "1");
  BOOST_TEST(of("ncpus*2+queue_priority+job_priority", job) == "59");
  BOOST_TEST(of("walltime/3.0+ncpus", {{"walltime", 10}, {"ncpus", 0}}) == "3.3333");
}

BOOST_AUTO_TEST_CASE(operators_bind_as_in_python) {
  BOOST_TEST(of("2+3*4") == "14");
  BOOST_TEST(of("(2+3)*4") == "20");
  BOOST_TEST(of("2**3**2") == "512");
  BOOST_TEST(of("-2**2") == "-4");
  BOOST_TEST(of("2**-1") == "0.5");
  BOOST_TEST(of("7//2") == "3");
  BOOST_TEST(of("-7//2") == "-4");
  BOOST_TEST(of("-7%3") == "2");
  BOOST_TEST(of("7%-3") == "-2");
  BOOST_TEST(of("10-3-2") == "5");
  BOOST_TEST(of("not 0 and 2") == "2");
  BOOST_TEST(of("0 or 3") == "3");
  BOOST_TEST(of("4 or 1/0") == "4");
  BOOST_TEST(of("0 and 1/0") == "0");
  BOOST_TEST(of("1 < 2 < 3") == "1");
  BOOST_TEST(of("1 < 3 < 2") == "0");
  BOOST_TEST(of("3 < 2 < 1/0") == "0");
  BOOST_TEST(of("1 == 1 != 2 >= 2 <= 3 > 0") == "1");
  BOOST_TEST(of("True + False") == "1");
  BOOST_TEST(of("1e3 + .5 + 2.") == "1002.5");
  BOOST_TEST(of("1 if 0 else 2 if 0 else 3") == "3");
  BOOST_TEST(of("(1 if 2 > 1 else 5) + (0 and 7) + 10") == "11");
  BOOST_TEST(of("5 + (1 if 0 or 1 and 3 < 4 < 5 else 2)") == "6");
  BOOST_TEST(of("(1/0 if 0 else 4) + 1") == "5");  // what is not chosen is not computed
  BOOST_TEST(of("(1 or 0 if 0 and 1 else 0 or 7)") == "7");
  BOOST_TEST(of("min(3, 1, 2) + max(1, 2) + abs(-4) + round(2.5) + int(-1.5)") == "8");
  BOOST_TEST(of("log(8, 2) + log10(1000) + log2(4) + exp(0) + floor(1.5) + ceil(1.5) + trunc(-1.5) + fmod(7, 3)") == "12");
}

BOOST_AUTO_TEST_CASE(what_has_no_value_says_why) {
  BOOST_TEST(of("5 % 0") == "integer modulo by zero");
  BOOST_TEST(of("5 // 0") == "division by zero");
  BOOST_TEST(of("sqrt(-1)") == "math domain error");
  BOOST_TEST(of("log(0)") == "math domain error");
  BOOST_TEST(of("log(2, 1)") == "division by zero");
  BOOST_TEST(of("0 ** -1") == "0.0 cannot be raised to a negative power");
  BOOST_TEST(of("(-8) ** 0.5") == "math domain error");
  BOOST_TEST(of("9 ** 999") == "math range error");
}

BOOST_AUTO_TEST_CASE(what_is_no_formula_is_refused) {
  for (const char* text :
       {"", " ", "1 2", "(1", "1)", "max()", "max(1)", "sqrt(1, 2)", "sqrt 4", "1 if 2", "if", "1 else 2",
        "1 =", "1 = 1", "not", "a.b", "1..2", "1 <> 2", "[1]", "'x'", "1; 2", "lambda: 1", "max(*[1,2])"})
    BOOST_TEST((of(text) == "format" || of(text) == "keyword"), text);
  BOOST_TEST(of("ncpus; import os", job) == "keyword");
  BOOST_TEST(of("__import__(1)", job) == "keyword");
  const std::string deep(100000, '(');
  BOOST_TEST(of(deep.substr(0, 4000) + "1") == "format");
  BOOST_TEST(of(std::string(4000, '-') + "1") == "format");
  BOOST_TEST(of(deep) == "format");
}

BOOST_AUTO_TEST_CASE(names_stand_once_in_their_order) {
  const auto f = job_formula::parse("b + a*b", [](std::string_view) { return true; });
  BOOST_TEST((f->names() == std::vector<std::string>{"b", "a"}));
}

// Random formulas of + - * and comparisons, written with all their parentheses, have the value that they had when they were made.
BOOST_AUTO_TEST_CASE(random_formulas_have_the_value_they_were_made_with) {
  std::mt19937 random(11);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  const std::function<std::pair<std::string, double>(int)> make = [&](int depth) -> std::pair<std::string, double> {
    if (depth == 0 || pick(4) == 0) {
      const int n = pick(20);
      return {std::to_string(n), n};
    }
    const auto a = make(depth - 1), b = make(depth - 1), c = make(depth - 1);
    switch (pick(7)) {
      case 0: return {"(" + a.first + "+" + b.first + ")", a.second + b.second};
      case 1: return {"(" + a.first + "-" + b.first + ")", a.second - b.second};
      case 2: return {"(" + a.first + "*" + b.first + ")", a.second * b.second};
      case 3: return {"(" + a.first + "<" + b.first + "<=" + c.first + ")", a.second < b.second && b.second <= c.second};
      case 4: return {"(" + a.first + " if " + b.first + " else " + c.first + ")", b.second != 0 ? a.second : c.second};
      case 5: return {"(" + a.first + " and " + b.first + " or " + c.first + ")", a.second != 0 && b.second != 0 ? b.second : c.second};
      default: return {"max(" + a.first + "," + b.first + ",-" + c.first + ")", std::max({a.second, b.second, -c.second})};
    }
  };
  for (int i = 0; i < 2000; ++i) {
    const auto [text, value] = make(5);
    const auto f = job_formula::parse(text, [](std::string_view) { return false; });
    if (text.size() > job_formula::chars_max) continue;
    BOOST_REQUIRE_MESSAGE(f, text);
    BOOST_REQUIRE_MESSAGE(f->value({}).value == value, text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
