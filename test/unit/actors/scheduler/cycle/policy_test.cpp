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
  for (const auto& settings : {parsed.value.prime, parsed.value.non_prime}) {
    BOOST_TEST(settings.by_queue);
    BOOST_TEST(settings.preemptive_sched);
    BOOST_TEST(!(settings.round_robin || settings.strict_ordering || settings.backfill_prime || settings.fair_share));
    BOOST_TEST(settings.prime_spill == 0);
    BOOST_TEST(settings.job_sort_keys.empty());
    BOOST_REQUIRE(settings.node_sort_keys.size() == 1u);
    BOOST_TEST(settings.node_sort_keys[0].resource == "sort_priority");
    BOOST_TEST(settings.node_sort_keys[0].high_first);
  }
  BOOST_TEST(!parsed.value.prime_exempt_anytime_queues);
  BOOST_TEST(parsed.value.primetime_prefix == "p_");
  BOOST_TEST(parsed.value.nonprimetime_prefix == "np_");
  BOOST_TEST(parsed.value.dedicated_prefix == "ded");
  const std::vector<std::string> checked = {"ncpus", "mem", "arch", "host", "vnode", "aoe", "eoe"};
  BOOST_TEST(parsed.value.checked_resources == checked, boost::test_tools::per_element());
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
      "Obsolete config name sort_queues",
      "Error reading line 11: Invalid smp_cluster_dist",
      "Error reading line 12: Invalid by_queue"};
  BOOST_TEST(parsed.complaints == expected, boost::test_tools::per_element());
  BOOST_TEST(parsed.value.prime.by_queue);
}

BOOST_AUTO_TEST_CASE(each_kind_of_time_has_its_own_settings) {
  const auto parsed = parse_policy(
      "by_queue: False non_prime\nround_robin: True NONE\nnode_sort_key: \"mem LOW\" non_prime\nstrict_ordering: True prime\n"
      "backfill_prime: True ALL\nprime_spill: 1:30:00 non_prime\npreemptive_sched: False prime\nfair_share: True prime\n"
      "job_sort_key: \"ncpus HIGH\" prime\njob_sort_key: \"walltime LOW\"\n");
  BOOST_TEST(parsed.complaints.empty());
  const auto& [prime, non_prime] = std::pair(parsed.value.prime, parsed.value.non_prime);
  BOOST_TEST((prime.by_queue && !non_prime.by_queue));
  BOOST_TEST((!prime.round_robin && !non_prime.round_robin));
  BOOST_TEST((prime.node_sort_keys.empty() && non_prime.node_sort_keys.size() == 1));
  BOOST_TEST((prime.strict_ordering && !non_prime.strict_ordering));
  BOOST_TEST((prime.backfill_prime && non_prime.backfill_prime));
  BOOST_TEST((prime.prime_spill == 0 && non_prime.prime_spill == 5400));
  BOOST_TEST((!prime.preemptive_sched && non_prime.preemptive_sched));
  BOOST_TEST((prime.fair_share && !non_prime.fair_share));
  BOOST_TEST((prime.job_sort_keys == std::vector<job_sort_key>{{"ncpus", true}, {"walltime", false}}));
  BOOST_TEST((non_prime.job_sort_keys == std::vector<job_sort_key>{{"walltime", false}}));
}

BOOST_AUTO_TEST_CASE(parameters_that_hold_at_all_times_are_read) {
  const auto parsed = parse_policy(
      "prime_exempt_anytime_queues: true\nprimetime_prefix: day_\nnonprimetime_prefix: night_\ndedicated_prefix: maint\n"
      "resources: \"ncpus, lic\"\nserver_dyn_res: \"lic !/bin/lic.sh -a b\"\nserver_dyn_res: \"gpus !/bin/gpus\"\n");
  BOOST_TEST(parsed.complaints.empty());
  const auto& p = parsed.value;
  BOOST_TEST(p.prime_exempt_anytime_queues);
  BOOST_TEST(p.primetime_prefix == "day_");
  BOOST_TEST(p.nonprimetime_prefix == "night_");
  BOOST_TEST(p.dedicated_prefix == "maint");
  BOOST_TEST((p.checked_resources == std::vector<std::string>{"ncpus", "lic"}));
  BOOST_TEST((p.dynamic_resources == std::vector<dynamic_resource>{{"lic", "/bin/lic.sh -a b"}, {"gpus", "/bin/gpus"}}));
  BOOST_TEST((parsed.dynamic_lines == std::vector<int>{6, 7}));
}

BOOST_AUTO_TEST_CASE(what_has_no_effect_and_what_is_wrong_is_told_by_name) {
  const auto parsed = parse_policy(
      "smp_cluster_dist: pack ALL\nsmp_cluster_dist: round_robin ALL\nprovision_policy: \"aggressive_provision\"\n"
      "provision_policy: \"later\"\npeer_queue: \"workq workq@other\"\nby_queue: False sometimes\n"
      "prime_spill: soon\njob_sort_key: \"ncpus UP\"\nserver_dyn_res: \"lic /bin/lic\"\nprimetime_prefix: p_ prime\n"
      "job_sort_key: \"sort_priority HIGH\"\n");
  const std::vector<std::string> expected = {
      "Error reading line 2: smp_cluster_dist round_robin has no effect: chunks are packed",
      "Error reading line 4: Invalid provision_policy",
      "Error reading line 5: peer_queue workq workq@other has no effect: jobs are not fetched from other servers",
      "Error reading line 6: sometimes is none of prime, non_prime, all, none",
      "Error reading line 7: Invalid prime_spill",
      "Error reading line 8: Invalid job_sort_key",
      "Error reading line 9: Invalid server_dyn_res",
      "Error reading line 10: primetime_prefix holds at all times",
      "Obsolete config name sort_priority in job_sort_key, instead use job_priority"};
  BOOST_TEST(parsed.complaints == expected, boost::test_tools::per_element());
  BOOST_TEST(parsed.value.prime.by_queue);
  BOOST_TEST((parsed.value.prime.job_sort_keys == std::vector<job_sort_key>{{"job_priority", true}}));
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_there_or_does_not_end_is_told_by_name) {
  const auto parsed = parse_policy(
      "dedicated_prefix:\nprimetime_prefix: \"\"\nresources: \"ncpus, mem\nresources:\nresources: arch, host\nnode_sort_key: \"mem LOW\n"
      "smp_cluster_dist: everywhere\nfairshare_entity: queue # of all\nserver_dyn_res:\n");
  const std::vector<std::string> expected = {
      "Error reading line 1: dedicated_prefix has no value",
      "Error reading line 3: resources has no closing quote and is read up to the end of the line",
      "Error reading line 4: resources has no value",
      "Error reading line 5: host is none of prime, non_prime, all, none",
      "Error reading line 6: node_sort_key has no closing quote and is read up to the end of the line",
      "Error reading line 7: Invalid smp_cluster_dist",
      "Error reading line 9: server_dyn_res has no value"};
  BOOST_TEST(parsed.complaints == expected, boost::test_tools::per_element());
  BOOST_TEST(parsed.value.dedicated_prefix == "ded");
  BOOST_TEST(parsed.value.primetime_prefix == "");
  BOOST_TEST((parsed.value.checked_resources == std::vector<std::string>{"ncpus", "mem", "arch"}));
  BOOST_TEST(parsed.value.prime.node_sort_keys.size() == 1u);
  BOOST_TEST(parsed.value.dynamic_resources.empty());
}

BOOST_AUTO_TEST_CASE(the_files_are_one_text_and_come_apart_again) {
  const policy_files files{"by_queue: true\n### holidays ###\n", "a 5 root 1", "YEAR 2026\n", "01/02/2026 10:00 01/02/2026 11:00\n",
                           "0 3600\n"};
  const auto text = policy_text(files);
  const auto apart = split_policy_text(text);
  BOOST_TEST(apart.sched_config == "by_queue: true\n ### holidays ###\n");  // a comment stays one
  BOOST_TEST(apart.resource_group == "a 5 root 1\n");
  BOOST_TEST(apart.holidays == files.holidays);
  BOOST_TEST(apart.dedicated_time == files.dedicated_time);
  BOOST_TEST(apart.time_zone == files.time_zone);
  BOOST_TEST(policy_text({"by_queue: true\n", "", "# none\n\n"}) == "by_queue: true\n");
  BOOST_TEST(split_policy_text("by_queue: true").sched_config == "by_queue: true");
  const auto only_dedicated = policy_text({"x: 1", {}, {}, "01/02/2026 10:00 01/02/2026 11:00"});
  BOOST_TEST(only_dedicated == "x: 1\n### dedicated_time ###\n01/02/2026 10:00 01/02/2026 11:00");
}
