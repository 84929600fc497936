#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>

#include "actors/scheduler/cycle/policy.hpp"
#include "test/support/paths.hpp"
#include "transcript.hpp"

using namespace annals::cycle;

BOOST_AUTO_TEST_CASE(the_shipped_file_gives_the_documented_defaults) {
  std::ifstream in(annals::test::source_dir() + "/cluster-config/defaults/pbs_sched_config");
  const auto parsed = parse_policy(std::string(std::istreambuf_iterator<char>(in), {}));
  BOOST_TEST(parsed.complaints.empty());
  BOOST_TEST(parsed.value.by_queue);
  BOOST_TEST(!parsed.value.round_robin);
  const std::vector<std::string> checked = {"ncpus", "mem", "arch", "host", "vnode", "aoe", "eoe"};
  BOOST_TEST(parsed.value.checked_resources == checked, boost::test_tools::per_element());
  BOOST_REQUIRE(parsed.value.node_sort_keys.size() == 1u);
  BOOST_TEST(parsed.value.node_sort_keys[0].resource == "sort_priority");
  BOOST_TEST(parsed.value.node_sort_keys[0].high_first);
  BOOST_TEST((parsed.value == parse_policy(test::shipped_sched_config()).value));
}

BOOST_AUTO_TEST_CASE(unknown_and_obsolete_parameters_are_named_as_pbs_names_them) {
  const auto parsed = parse_policy(
      "node_sort_key: \"foo bar\" ALL\nhelp_starving_jobs: true ALL\nmax_starve: 24:00:00\nfoo_bar: 1\nstrict_fifo: true\n"
      "preempt_prio: \"express_queue, normal_jobs\"\nlog_filter: 2048\nhalf_life: 24:00:00\nbackfill: true ALL\n"
      "sort_queues: true ALL\nsmp_cluster_dist: foo\nby_queue: maybe\nunknown_shares: 10\n");
  const std::vector<std::string> expected = {
      "Error reading line 1: Invalid node_sort_key",
      "Obsolete config name help_starving_jobs, instead use use eligible_time in job_sort_formula",
      "Obsolete config name max_starve, instead use use eligible_time in job_sort_formula",
      "Error reading line 4: Unknown config parameter",
      "Obsolete config name strict_fifo, instead use strict_ordering",
      "Obsolete config name preempt_prio, instead use nothing - set via qmgr",
      "Obsolete config name log_filter, instead use nothing - set log_events via qmgr",
      "Obsolete config name half_life, instead use fairshare_decay_time and fairshare_decay_factor instead",
      "Obsolete config name backfill, instead use server's backfill_depth=0",
      "Obsolete config name sort_queues"};
  BOOST_TEST(parsed.complaints == expected, boost::test_tools::per_element());
  BOOST_TEST(parsed.value.by_queue);
}

BOOST_AUTO_TEST_CASE(what_is_said_for_other_times_does_not_hold) {
  const auto p = parse_policy("by_queue: False non_prime\nround_robin: True NONE\nnode_sort_key: \"mem LOW\" non_prime\n").value;
  BOOST_TEST(p.by_queue);
  BOOST_TEST(!p.round_robin);
  BOOST_TEST(p.node_sort_keys.empty());
}
