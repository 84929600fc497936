// JSON that hooks write, before a library reads it.
#include <boost/test/unit_test.hpp>

#include "events/values/json_text.hpp"

using namespace annals::values;

BOOST_AUTO_TEST_SUITE(json_text)

BOOST_AUTO_TEST_CASE(depth_is_that_of_objects_and_lists_outside_of_strings) {
  BOOST_TEST(!nests_deeper("", 0));
  BOOST_TEST(!nests_deeper(R"({"a": [1, 2], "b": [{}]})", 3));
  BOOST_TEST(nests_deeper(R"({"a": [1, 2], "b": [{}]})", 2));
  BOOST_TEST(!nests_deeper(R"({"[[[[\"[[": "{{{"})", 1));
  BOOST_TEST(nests_deeper(std::string(40, '['), 39));
}

BOOST_AUTO_TEST_CASE(none_becomes_null_where_it_is_no_text) {  // RU-12
  BOOST_TEST(with_null_for_none(R"({"n1": None, "None": "None \"None", "n3": None})") ==
             R"({"n1": null, "None": "None \"None", "n3": null})");
  BOOST_TEST(with_null_for_none("") == "");
  BOOST_TEST(with_null_for_none("\"\\") == "\"\\");
}

BOOST_AUTO_TEST_SUITE_END()
