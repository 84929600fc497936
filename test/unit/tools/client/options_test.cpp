#include <boost/test/unit_test.hpp>

#include "tools/client/options.hpp"
#include "tools/client/without_effect.hpp"

using namespace annals::client;

namespace {

constexpr option rows[] = {{'h', nullptr, "hold"}, {'N', "name", "job name"}, {'p', "priority", "priority"}};
constexpr command tool = {"qx", "usage: qx\n", rows};
constexpr command scripted = {"qx", "usage: qx\n", rows, true};

command_line read(const command& c, std::vector<std::string> words, const judge& check = {}) {
  return parse_options(c, words, check);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(values_may_be_joined_or_apart_and_letters_clustered) {
  const auto line = read(tool, {"-hNone", "-p", "-5", "12"});
  BOOST_TEST(line.problems.empty());
  BOOST_TEST(line.has('h'));
  BOOST_TEST(*line.find('N') == "one");
  BOOST_TEST(*line.find('p') == "-5");
  BOOST_TEST(line.words == std::vector<std::string>{"12"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_was_given_without_effect_is_told_once_and_by_name) {
  constexpr option some[] = {
      {'a', "seconds", "no effect: it is obsolete"}, {'n', nullptr, "no effect: nothing restarts"}, {'x', nullptr, "works"}};
  const command daemon = {"pbs_x", "usage: pbs_x\n", some};
  BOOST_TEST(options_without_effect(daemon, read(daemon, {"-x"})).empty());
  BOOST_TEST(options_without_effect(daemon, read(daemon, {"-xa", "3", "-a4"})) ==
                 std::vector<std::string>{"pbs_x: option -a has no effect: it is obsolete"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_option_of_another_system_is_refused_with_that_of_pbs) {
  const command qsub = {"qsub", "usage: qsub\n", rows};
  for (const auto& words : {std::vector<std::string>{"-t", "1-10"}, {"-t1-10"}})
    BOOST_TEST(read(qsub, words).problems == std::vector<std::string>{"qsub: invalid option -- 't': an array of jobs is -J 1-10"},
               boost::test_tools::per_element());
  const auto wrapped = read(qsub, {"--wrap", "sleep 1"}).problems;  // once, not for each letter
  BOOST_REQUIRE(wrapped.size() == 1u);
  BOOST_TEST(wrapped.front().starts_with("qsub: invalid option -- '-': an option is one letter; "));
  BOOST_TEST(read(qsub, {"--", "wrap"}).problems.empty());
  BOOST_TEST(read(tool, {"-t1"}).problems == (std::vector<std::string>{"qx: invalid option -- 't'", "qx: invalid option -- '1'"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(options_may_follow_words_unless_words_end_them) {
  BOOST_TEST(read(tool, {"12", "-h"}).has('h'));
  const auto line = read(scripted, {"script", "-h"});
  BOOST_TEST(!line.has('h'));
  BOOST_TEST(line.words.size() == 2u);
}

BOOST_AUTO_TEST_CASE(two_dashes_end_the_options) {
  const auto line = read(tool, {"-h", "--", "-N", "x"});
  BOOST_TEST(line.dashes);
  BOOST_TEST(!line.has('N'));
  BOOST_TEST(line.words.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_dash_alone_is_a_word) {
  BOOST_TEST(read(tool, {"-"}).words == std::vector<std::string>{"-"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(mistakes_are_reported_in_their_order) {
  const judge no_blanks = [](const given& g) -> std::optional<std::string> {
    if (g.letter == 'p') return "qx: p is odd";
    if (g.value.find(' ') == std::string::npos) return std::nullopt;
    return std::string();
  };
  const auto line = read(tool, {"-Z", "-N", "a b", "-p", "1", "-N"}, no_blanks);
  const std::vector<std::string> expected{"qx: invalid option -- 'Z'", "qx: illegal -N value", "qx: p is odd",
                                          "qx: option requires an argument -- 'N'"};
  BOOST_TEST(line.problems == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_last_of_a_repeated_option_counts) { BOOST_TEST(*read(tool, {"-Na", "-Nb"}).find('N') == "b"); }

BOOST_AUTO_TEST_CASE(help_has_the_usage_and_one_line_per_option) {
  const std::string text = help_text(tool);
  BOOST_TEST(text.starts_with("usage: qx\n"));
  BOOST_TEST(text.find("  -N name") != std::string::npos);
  BOOST_TEST(text.find("job name") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
