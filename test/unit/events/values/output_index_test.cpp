// Entries of the index of subjobs' output, and which file that is.
#include "events/values/output_index.hpp"

#include <boost/test/unit_test.hpp>

#include "events/values/job_id.hpp"

using namespace annals::values;

namespace {

const output_record of_twelve{12, 3, 1, 'e', 400, 77};

std::string described(const output_place& p) { return p.path + ' ' + p.inner; }

}  // namespace

BOOST_AUTO_TEST_SUITE(output_index)

BOOST_AUTO_TEST_CASE(an_entry_is_a_line_of_64_bytes_and_is_read_as_it_was_written) {
  const auto entry = print_output_entry(of_twelve);
  BOOST_REQUIRE(entry.has_value());
  BOOST_TEST(*entry == "000000000012 00000003 0000000001 e 00000000000400 0000000000077\n");
  BOOST_TEST(entry->size() == output_entry_bytes);
  BOOST_CHECK(parse_output_entry(*entry) == of_twelve);
  const output_record largest{999'999'999'999, largest_index, UINT32_MAX, 'o', 99'999'999'999'999, 9'999'999'999'999};
  BOOST_CHECK(parse_output_entry(print_output_entry(largest).value()) == largest);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_has_no_entry) {
  BOOST_CHECK(!print_output_entry({1, 1, 1, 'o', 100'000'000'000'000, 0}));
  BOOST_CHECK(!print_output_entry({1, 1, 1, 'o', 0, 10'000'000'000'000}));
  BOOST_CHECK(!print_output_entry({1'000'000'000'000, 1, 1, 'o', 0, 0}));
  BOOST_CHECK(!print_output_entry({1, 100'000'000, 1, 'o', 0, 0}));
}

BOOST_AUTO_TEST_CASE(another_line_is_no_entry) {
  const std::string good = print_output_entry(of_twelve).value();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = 'x';
    BOOST_TEST(!parse_output_entry(bad).has_value(), bad);
  }
  BOOST_CHECK(!parse_output_entry(good.substr(1)));
  BOOST_CHECK(!parse_output_entry(good + good));
  BOOST_CHECK(!parse_output_entry(""));
  BOOST_CHECK(!parse_output_entry("000000000012 00000003 9999999999 e 00000000000400 0000000000077\n"));  // no run has this number
}

BOOST_AUTO_TEST_CASE(a_record_begins_with_a_line_that_names_it) { BOOST_TEST(output_headline(of_twelve) == "==> 12[3] run 1 e 77 <==\n"); }

BOOST_AUTO_TEST_CASE(the_file_is_named_as_the_array_without_the_index) {
  const auto of = [](const char* output, const char* error = "q1:/e") { return described(output_place_of(output, error, "12[].borg", 3)); };
  BOOST_TEST(of("q1:/a/STDIN.o12.^array_index^") == "q1:/a/STDIN.o12 12[].borg.OU");
  BOOST_TEST(of("q1:/a/run_^array_index^.log") == "q1:/a/run_.log 12[].borg.OU");
  BOOST_TEST(of("q1:/a/^array_index^/out.^array_index^") == "q1:/a/3/out 12[].borg.OU");
  BOOST_TEST(of("q1:/a/^array_index^/out") == "q1:/a/3/out 12[].borg.OU");
  BOOST_TEST(of("q1:/a/^array_index^") == "q1:/a/ 12[].borg.OU");  // in the directory
  BOOST_TEST(of("q1:/a/all") == "q1:/a/all 12[].borg.OU");
  BOOST_TEST(of("q1:/dev/null") == "q1:/e 12[].borg.ER");
  BOOST_TEST(of("/dev/null", "q1:/dev/null") == " ");
}

BOOST_AUTO_TEST_CASE(a_host_stands_before_the_first_slash) {
  BOOST_TEST(path_behind_host("q1:/a/b:c") == "/a/b:c");
  BOOST_TEST(path_behind_host("/a/b:c") == "/a/b:c");
  BOOST_TEST(path_behind_host("q1:x") == "x");
  BOOST_TEST(path_behind_host("x") == "x");
}

BOOST_AUTO_TEST_SUITE_END()
