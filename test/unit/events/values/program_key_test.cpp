// Keys of runs and their programs: what stands on disk is read as what it was printed from, and nothing else is read.
#include "events/values/program_key.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "events/values/program_text.hpp"

using namespace annals::values;

BOOST_AUTO_TEST_SUITE(program_keys)

// Files of these names are on the disks of hosts whose jobs an upgrade must find again.
BOOST_AUTO_TEST_CASE(a_key_has_the_text_that_stands_on_disk) {
  const run_key run{"12.borg", 1};
  BOOST_TEST(print(run) == "12.borg.1");
  BOOST_TEST(print(task_key{run, 2}) == "12.borg.1-2");
  BOOST_TEST(print(checkpoint_key{run, 3}) == "12.borg.1-c3");
  BOOST_TEST(print(program_key(run)) == "12.borg.1");
  BOOST_TEST(print(program_key(task_key{{"12[3].my-server", 10}, 11})) == "12[3].my-server.10-11");
  BOOST_TEST(print(program_key(checkpoint_key{run, UINT64_MAX})) == "12.borg.1-c18446744073709551615");
}

BOOST_AUTO_TEST_CASE(a_text_is_read_as_the_key_it_was_printed_from) {
  const run_key plain{"12.borg", 1}, subjob{"12[3].my-server", 10}, numeric{"7.10.0.0.1", 2};
  for (const auto& run : {plain, subjob, numeric})
    for (const auto& key : {program_key(run), program_key(task_key{run, 4294967295}), program_key(checkpoint_key{run, 3})}) {
      const auto read = parse_program_key(print(key));
      BOOST_REQUIRE_MESSAGE(read, print(key));
      BOOST_TEST((*read == key), print(key));
      BOOST_TEST((read->run() == run), print(key));
      BOOST_TEST(is_well_formed(key));
    }
}

BOOST_AUTO_TEST_CASE(a_key_says_what_it_is_of) {
  const run_key run{"12.borg", 1};
  const program_key own(run), task(task_key{run, 2}), script(checkpoint_key{run, 3});
  BOOST_TEST(own.is_own());
  BOOST_TEST((!own.task() && !own.checkpoint()));
  BOOST_TEST((task.task() && task.task()->task == 2u && !task.is_own() && !task.checkpoint()));
  BOOST_TEST((script.checkpoint() && script.checkpoint()->request == 3u && !script.is_own() && !script.task()));
}

BOOST_AUTO_TEST_CASE(what_no_key_has_as_its_text_is_refused) {
  for (const std::string text :
       {"", "odd", "12", "12.borg", "12..1", ".1", "12.borg.", "12.borg.x",
        "12.borg.01", "12.borg.+1", "12.borg.-1", "12.borg. 1", "12.borg.1 ", "12.borg.1-", "12.borg.1-02", "12.borg.1-x",
        "12.borg.1-c", "12.borg.1-c-1", "12.borg.1-d3", "12.borg.1-2-3", "12.borg.1-2.3-", "012.borg.1", "12[].borg.1", "12[1-5].borg.1",
        "12[03].borg.1", "12@borg.1", "12.borg@x.1", "12.bo/rg.1", "../12.borg.1", "12.borg.1/", "x12.borg.1", "12.1",
        "12.borg.4294967296", "12.borg.1-4294967296", "12.borg.1-c18446744073709551616", "12.borg.1.next"})
    BOOST_TEST(!parse_program_key(text), text);
  BOOST_TEST(!parse_program_key(std::string("12.borg.1\0", 10)));
}

// A message may name a job by any words: they don't become a file's name.
BOOST_AUTO_TEST_CASE(a_key_whose_text_would_be_read_as_another_is_not_well_formed) {
  for (const std::string job : {"", "..", "../12.borg", "12", "12.borg ", "12[].borg", "012.borg"})
    BOOST_TEST(!is_well_formed(run_key{job, 1}), job);
}

BOOST_AUTO_TEST_CASE(keys_sort_by_number_and_each_run_has_its_programs_together) {
  const run_key second{"2.borg", 1}, tenth{"10.borg", 1}, again{"10.borg", 2};
  const std::vector<program_key> in_order = {
      run_key{"1[2].borg", 1}, run_key{"1[10].borg", 1}, second, task_key{second, 2}, task_key{second, 10},
      checkpoint_key{second, 9}, checkpoint_key{second, 10}, tenth, task_key{tenth, 2}, again};
  auto keys = in_order;
  std::ranges::reverse(keys);
  std::ranges::sort(keys);
  BOOST_TEST((keys == in_order));
}

BOOST_AUTO_TEST_CASE(the_run_of_a_text_is_what_stands_before_the_last_dash) {
  BOOST_TEST(run_text_of("12.borg.1-2") == "12.borg.1");
  BOOST_TEST(run_text_of("12.my-server.1") == "12.my-server.1");
  BOOST_TEST(run_text_of("12[3].my-server.10-11") == "12[3].my-server.10");
  BOOST_TEST(run_text_of("12.borg.1-c3") == "12.borg.1");
  BOOST_TEST(run_text_of("12.borg.1-2.next") == "12.borg.1-2.next");  // a cgroup that is kept for another run
  BOOST_TEST(run_text_of("odd") == "odd");
}

BOOST_AUTO_TEST_SUITE_END()
