// Words that hooks set in resources_used on the hosts of a job, and what the job shows of them (RU-11 to RU-16).
#include <boost/test/unit_test.hpp>

#include "events/model/used_words.hpp"

using namespace annals;
using attributes::value_type;
using model::words_form;

namespace {

using words = std::vector<model::host_word>;
constexpr auto silent = std::nullopt;

std::string joined(const words& hosts, words_form form = words_form::by_node, value_type type = value_type::string) {
  return model::joined_words(hosts, type, form).value_or("-");
}

std::string unmergeable(const words& hosts, value_type type = value_type::string) {
  std::string out;
  for (const auto& word : model::unmergeable(hosts, type))
    out += (out.empty() ? "" : "; ") + std::string(word.host) + " " + std::string(*word.value);
  return out.empty() ? "-" : out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(used_words)

BOOST_AUTO_TEST_CASE(words_of_several_hosts_are_a_table_in_the_order_of_the_hosts) {  // RU-11, RU-13
  BOOST_TEST(joined({{"n2", "a"}, {"n1", "b c"}}) == R"({"n2": "a", "n1": "b c"})");
  BOOST_TEST(joined({{"n2", "a\"b\\"}, {"n1", "ä\n"}}) == R"({"n2": "a\"b\\", "n1": "ä\n"})");
  BOOST_TEST(joined({{"n1", "\xff"}, {"n2", "x"}}) == "{\"n1\": \"\xef\xbf\xbd\", \"n2\": \"x\"}");
  BOOST_TEST(joined({{"n1", "a,b"}, {"n2", "\"c\",d"}}, words_form::by_node, value_type::string_array) ==
             R"({"n1": "a,b", "n2": "\"c\",d"})");
}

BOOST_AUTO_TEST_CASE(a_host_that_has_said_nothing_has_none) {  // RU-12
  BOOST_TEST(joined({{"n1", "a"}, {"n2", silent}, {"n3", "c"}}) == R"({"n1": "a", "n2": None, "n3": "c"})");
  BOOST_TEST(joined({{"n1", silent}, {"n2", "b"}}) == R"({"n1": None, "n2": "b"})");
  BOOST_TEST(joined({{"n1", "a"}, {"n2", silent}}) == R"({"n1": "a", "n2": None})");
  BOOST_TEST(joined({{"n1", silent}, {"n2", silent}}) == "-");
  BOOST_TEST(joined({}) == "-");
}

BOOST_AUTO_TEST_CASE(a_job_on_one_host_shows_the_words_as_they_are) {  // RU-01
  BOOST_TEST(joined({{"n1", "two words"}}) == "two words");
  BOOST_TEST(joined({{"n1", R"({"a":1})"}}, words_form::merge) == R"({"a":1})");
  BOOST_TEST(joined({{"n1", silent}}) == "-");
}

BOOST_AUTO_TEST_CASE(hosts_are_named_without_their_domain_unless_two_would_be_the_same) {  // RU-13
  BOOST_TEST(joined({{"n1.site", "a"}, {"n2.site", "b"}}) == R"({"n1": "a", "n2": "b"})");
  BOOST_TEST(joined({{"n1.a", "a"}, {"n1.b", "b"}, {"n2.b", "c"}}) == R"({"n1.a": "a", "n1.b": "b", "n2.b": "c"})");
}

// As a PBS was seen to show them, but for the order of the keys.
BOOST_AUTO_TEST_CASE(json_objects_are_made_one_with_sorted_keys) {  // RU-15
  for (const auto form : {words_form::by_node, words_form::merge}) {
    BOOST_TEST(joined({{"borg", R"({"seven":7})"}, {"federer", R"({"eight":8,"nine":9})"}, {"lendl", silent}}, form) ==
               R"('{"eight": 8, "nine": 9, "seven": 7}')");
    BOOST_TEST(joined({{"borg", R"({"epi_borg":"x y"})"}, {"federer", R"({"epi_federer":"x y"})"}}, form) ==
               R"('{"epi_borg": "x y", "epi_federer": "x y"}')");
    BOOST_TEST(joined({{"n1", R"({"a":{"y":[1,2.5,null],"x":true}})"}, {"n2", R"({"a":2,"b":{}})"}}, form) ==
               R"('{"a": {"x": true, "y": [1, 2.5, null]}, "b": {}}')");
    BOOST_TEST(joined({{"n1", R"({"seven":7})"}, {"n2", silent}}, form) == R"({"seven":7})");  // as it was set
    BOOST_TEST(joined({{"n1", silent}, {"n2", R"({"seven":7})"}}, form) == R"('{"seven": 7}')");
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_object_makes_a_table_or_by_the_directive_nothing) {  // RU-15
  for (const char* odd : {"seven", "[1]", "7", "{\"a\":", "{'a':1}", "{\"a\":1} x", "", "{\"a\": \"\xff\"}"}) {
    const words some{{"n1", R"({"a":1})"}, {"n2", odd}};
    BOOST_TEST(joined(some).starts_with(R"({"n1": "{\"a\":1}", "n2": ")"), joined(some));
    BOOST_TEST(joined(some, words_form::merge) == "-");
    BOOST_TEST(unmergeable(some) == "n2 " + std::string(odd));
  }
  for (const char* odd : {"seven", "", "{\"a\":", "{\"a\":1} x"})
    BOOST_TEST(model::why_no_object(odd) == "<class 'json.decoder.JSONDecodeError'>", odd);
  for (const char* other : {"[1]", "7", "\"seven\""}) BOOST_TEST(model::why_no_object(other) == "not an object", other);
  BOOST_TEST(joined({{"borg", "eight only on borg"}, {"federer", silent}}, words_form::merge) == "eight only on borg");
  BOOST_TEST(unmergeable({{"borg", "eight only on borg"}, {"federer", silent}}) == "-");
  BOOST_TEST(unmergeable({{"n1", R"({"a":1})"}, {"n2", R"({})"}}) == "-");
  BOOST_TEST(unmergeable({{"n1", "a b"}, {"n2", R"({})"}, {"n3", "[]"}, {"n4", silent}}) == "n1 a b; n3 []");
}

BOOST_AUTO_TEST_CASE(of_string_arrays_the_directive_shows_the_primarys) {  // RU-16
  const words some{{"n1", "\"glad,elated\",\"happy\""}, {"n2", "\"cucumbers,bananas\""}};
  BOOST_TEST(joined(some, words_form::merge, value_type::string_array) == "\"glad,elated\",\"happy\"");
  BOOST_TEST(joined({{"n1", silent}, {"n2", "a"}}, words_form::merge, value_type::string_array) == "-");
  BOOST_TEST(unmergeable(some, value_type::string_array) == "-");
}

BOOST_AUTO_TEST_CASE(an_object_that_is_nested_without_end_is_taken_as_a_word) {
  const auto deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  BOOST_TEST(joined({{"n1", "{}"}, {"n2", deep}}).starts_with("{\"n1\": \"{}\", \"n2\": "));
  BOOST_TEST(model::why_no_object(deep) == "nested more than 32 deep");
  const auto fair = "{\"a\":" + std::string(31, '[') + std::string(31, ']') + "}";
  BOOST_TEST(joined({{"n1", "{}"}, {"n2", fair}}).starts_with("'{\"a\": [[["));
}

BOOST_AUTO_TEST_SUITE_END()
