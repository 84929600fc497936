#include "actors/mom/host/process_table.hpp"

#include <unistd.h>

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "actors/mom/host/usage_meter.hpp"

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(processes)

BOOST_AUTO_TEST_CASE(a_stat_line_is_read_whatever_the_program_is_called) {
  const auto p = parse_stat(
      "42 (a) S (b) 9) R 7 40 41 0 -1 4194560 1 2 3 4 100 20 30 5 20 0 1 0 777 8192 33 18446744073709551615 1\n");
  BOOST_REQUIRE(p);
  BOOST_TEST(p->pid == 42);
  BOOST_TEST(p->parent == 7);
  BOOST_TEST(p->session == 41);
  BOOST_TEST(p->state == 'R');
  BOOST_TEST(p->cpu_ticks == 120u);
  BOOST_TEST(p->children_cpu_ticks == 35u);
  BOOST_TEST(p->start_ticks == 777u);
  BOOST_TEST(p->vmem_bytes == 8192u);
  BOOST_TEST(p->resident_pages == 33u);
}

BOOST_AUTO_TEST_CASE(other_text_is_no_stat_line) {
  for (const char* text :
       {"", "42", "42 (x", "42 (x) ", "42 (x) R 1 2", "x (x) R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"})
    BOOST_TEST(!parse_stat(text));
}

BOOST_AUTO_TEST_CASE(this_process_is_in_the_table_under_its_parent) {
  const auto table = process_table::now();
  const process* const me = table.find(getpid());
  BOOST_REQUIRE(me);
  BOOST_TEST(me->parent == getppid());
  BOOST_TEST(me->session == getsid(0));
  bool found = false;
  for (const auto* p : table.descendants(getppid())) found = found || p->pid == getpid();
  BOOST_TEST(found);
  BOOST_TEST(!table.find(0));
}

BOOST_AUTO_TEST_CASE(a_session_has_us_and_our_descendants) {
  const auto table = process_table::now();
  const auto members = table.of_session(getsid(0));
  BOOST_TEST(std::any_of(members.begin(), members.end(), [](const auto* p) { return p->pid == getpid(); }));
  BOOST_TEST(table.of_session(1 << 30).empty());
}

BOOST_AUTO_TEST_CASE(a_process_is_of_who_started_it) {
  BOOST_TEST((user_of(getpid()) == getuid()));
  BOOST_TEST((user_of(1) == 0u));
  BOOST_TEST(!user_of(1 << 30));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_not_there_uses_nothing) {
  usage_meter meter;
  meter.sample(process_table(), 1, 0, 1000);
  BOOST_TEST((meter.so_far() == annals::ports::run_usage{}));
}

BOOST_AUTO_TEST_SUITE_END()
