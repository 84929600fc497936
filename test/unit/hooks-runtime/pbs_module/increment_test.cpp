// pbs.select.increment_chunks as a function (RS-75 to RS-83); values_test.cpp tries it from Python.
#include <boost/test/unit_test.hpp>

#include "hooks-runtime/pbs_module/increment.hpp"

using namespace annals;
using namespace annals::hooks;

namespace {

constexpr const char* seed = "ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb";

std::string grown(const char* select, const increments& by, bool first_chunk = false) {
  const auto done = increment_chunks(*values::parse_select(select), by, first_chunk);
  return done ? values::print_with_counts(*done) : "refused";
}
increments all(const char* text) { return *parse_increment(text); }

}  // namespace

BOOST_AUTO_TEST_SUITE(increment_chunks_of_a_select)

BOOST_AUTO_TEST_CASE(a_number_is_added_to_each_item_but_the_first_chunk) {  // RS-77, RS-78
  BOOST_TEST(grown(seed, all("2")) == "1:ncpus=3:mem=1gb+3:ncpus=2:mem=2gb+4:ncpus=1:mem=3gb");
  BOOST_TEST(grown(seed, all("3")) == "1:ncpus=3:mem=1gb+4:ncpus=2:mem=2gb+5:ncpus=1:mem=3gb");
}

BOOST_AUTO_TEST_CASE(the_rest_of_the_first_item_grows_too) {  // RS-76
  BOOST_TEST(grown("3:ncpus=2+2:ncpus=4", all("1")) == "4:ncpus=2+3:ncpus=4");
  BOOST_TEST(grown("5:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb", all("2")) ==
             "7:ncpus=3:mem=1gb+3:ncpus=2:mem=2gb+4:ncpus=1:mem=3gb");
}

BOOST_AUTO_TEST_CASE(a_percentage_is_rounded_up) {  // RS-79, RS-81
  BOOST_TEST(grown(seed, all("23.5%")) == "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+3:ncpus=1:mem=3gb");
  BOOST_TEST(grown("5:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb", all("50%")) ==
             "7:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+3:ncpus=1:mem=3gb");
}

BOOST_AUTO_TEST_CASE(a_percentage_that_is_whole_is_not_rounded_up_once_more) {
  BOOST_TEST(grown("1:ncpus=1+100:ncpus=1", all("29%")) == "1:ncpus=1+129:ncpus=1");
  BOOST_TEST(grown("1:ncpus=1+1000:ncpus=1", all("0.1%")) == "1:ncpus=1+1001:ncpus=1");
}

BOOST_AUTO_TEST_CASE(some_items_grow_by_their_index) {  // RS-80
  const std::map<std::int64_t, increment> some{
      {0, *parse_increment("0")}, {1, *parse_increment("4")}, {2, *parse_increment("50%")}};
  BOOST_TEST(grown(seed, some) == "1:ncpus=3:mem=1gb+5:ncpus=2:mem=2gb+3:ncpus=1:mem=3gb");
  BOOST_TEST(grown(seed, std::map<std::int64_t, increment>{{1, *parse_increment("2")}}) ==
             "1:ncpus=3:mem=1gb+3:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb");
  BOOST_TEST(grown(seed, std::map<std::int64_t, increment>{{5, *parse_increment("1")}}) == "refused");
}

BOOST_AUTO_TEST_CASE(first_chunk_lets_the_primary_s_item_grow_as_well) {  // RS-82
  const char* older = "ncpus=2:mem=2gb+ncpus=2:mem=2gb+2:ncpus=1:mem=1gb";
  BOOST_TEST(grown(older, all("2")) == "1:ncpus=2:mem=2gb+3:ncpus=2:mem=2gb+4:ncpus=1:mem=1gb");
  BOOST_TEST(grown(older, all("2"), true) == "3:ncpus=2:mem=2gb+3:ncpus=2:mem=2gb+4:ncpus=1:mem=1gb");
}

BOOST_AUTO_TEST_CASE(nothing_is_no_change) {  // RS-83
  for (const char* zero : {"0", "0%"})
    BOOST_TEST(grown(seed, all(zero)) == "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb");
}

BOOST_AUTO_TEST_CASE(what_is_no_increment_is_refused) {  // RS-83
  for (const char* text : {"", "-1", "x", "1.5", "%", ".%", "-5%", "1e3%", "5%%", "99999999999999999999"})
    BOOST_TEST(!parse_increment(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(no_select_grows_beyond_its_limit) {
  BOOST_TEST(grown("1:ncpus=1+2:ncpus=1", all("999998")) == "refused");  // 1 + 1,000,000
  BOOST_TEST(grown("1:ncpus=1+2:ncpus=1", all("999997")) == "1:ncpus=1+999999:ncpus=1");
  BOOST_TEST(grown("1:ncpus=1+1000:ncpus=1", all("100000000%")) == "refused");
}

BOOST_AUTO_TEST_SUITE_END()
