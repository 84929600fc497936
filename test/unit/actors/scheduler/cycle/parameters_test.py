#!/usr/bin/env python3
"""Every parameter of sched_config that the parser knows has a test that fails when the parameter is ignored.

CASES names it: a file of tests, with its suite if it has one, and the case. What PBS knows and what changes nothing here has a case
that expects the complaint. A new parameter without a line here fails, and so does a line whose case or parameter is gone.
"""
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, *[os.pardir] * 5))
PARSER = ("actors/scheduler/cycle/policy.cpp", "actors/scheduler/cycle/fairshare_settings.cpp")

SHARES = "fairshare_test.cpp/jobs_by_shares/"
TIMES = "prime_test.cpp/what_the_time_allows/"
TOLD = "policy_test.cpp/what_has_no_effect_and_what_is_wrong_is_told_by_name"
OBSOLETE = "policy_test.cpp/unknown_and_obsolete_parameters_are_named_as_pbs_names_them"
CASES = {
    "backfill_prime": TIMES + "backfill_prime_keeps_jobs_from_crossing",
    "by_queue": "cycle_test.cpp/without_by_queue_jobs_start_as_submitted",
    "dedicated_prefix": TIMES + "dedicated_time_is_for_its_queues_only",
    "fair_share": SHARES + "who_had_least_of_his_share_comes_first",
    "fairshare_decay_factor": "../cycle_driver_test.cpp/how_usage_counts_is_told_after_the_hello_and_when_it_changes",
    "fairshare_decay_time": "../cycle_driver_test.cpp/how_usage_counts_is_told_after_the_hello_and_when_it_changes",
    "fairshare_enforce_no_shares": SHARES + "who_has_no_share_comes_last_or_not_at_all",
    "fairshare_entity": SHARES + "the_entity_may_be_a_group_or_an_account",
    "fairshare_usage_res": SHARES + "what_a_started_job_asks_for_counts_for_the_rest_of_the_cycle",
    "job_sort_key": "policy_in_cycle_test.cpp/job_sort_key_orders_jobs",
    "node_sort_key": "placement_golden_test.cpp/every_case_of_the_transcript_is_placed_as_pbs_did",
    "nonprimetime_prefix": TIMES + "queues_of_a_time_run_in_that_time",
    "peer_queue": TOLD,
    "preemptive_sched": "preemption_test.cpp/nobody_preempts_his_equals_and_the_site_may_want_no_preemption",
    "prime_exempt_anytime_queues": TIMES + "backfill_prime_keeps_jobs_from_crossing",
    "prime_spill": "shrink_test.cpp/the_boundary_of_prime_time_counts_with_its_spill",
    "primetime_prefix": TIMES + "queues_of_a_time_run_in_that_time",
    "provision_policy": "provisioning_test.cpp/provisioning/avoid_provision_takes_those_that_have_it",
    "resources": "vnode_attributes_test.cpp/vnode_attributes/what_the_resources_line_does_not_have_is_not_compared",
    "round_robin": "cycle_test.cpp/round_robin_takes_turns_among_queues_of_one_priority",
    "server_dyn_res": "../cycle_driver_test.cpp/what_a_program_tells_limits_the_cycle_and_is_written_down",
    "smp_cluster_dist": TOLD,
    "strict_ordering": "backfill_test.cpp/what_would_delay_a_top_job_waits_and_what_ends_before_runs",
    "unknown_shares": SHARES + "who_has_no_share_comes_last_or_not_at_all",
}
# Where the parameter's line stands when its case does not have it itself: a helper of its file, or the transcript that it reads.
HELPERS = {
    "fair_share": ("fairshare_test.cpp", "sharing("),
    "node_sort_key": ("data/placement.txt", None),
    "server_dyn_res": ("../cycle_driver_test.cpp", "ask_for_licences("),
    "strict_ordering": ("backfill_test.cpp", "cycle_of(c"),
}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def split_obsolete(text):
    """The table of names that are obsolete, and the rest."""
    table = re.search(r"obsolete_names\[\] = \{\n(.*?)\n\};", text, re.S)
    return (table.group(1), text.replace(table.group(0), "")) if table else ("", text)


ROW = re.compile(r'^    \{"(\w+)",', re.M)


def parser_knows():
    known, obsolete = set(), set()
    for path in PARSER:
        table, rest = split_obsolete(read(ROOT, path))
        obsolete |= set(ROW.findall(table))
        known |= set(ROW.findall(rest)) | set(re.findall(r'(?<!key\.)\bname == "(\w+)"', rest))
    return known, obsolete


def body_of(case):
    """The text of a case; None: it is not there."""
    head, name = case.rsplit("/", 1)
    path, _, suite = head.partition(".cpp")
    text = read(HERE, path + ".cpp")
    if suite:
        begin = re.search(rf"^BOOST_(?:AUTO|FIXTURE)_TEST_SUITE\({suite[1:]}[,)]", text, re.M)
        if not begin:
            return None
        text = text[begin.end():].split("BOOST_AUTO_TEST_SUITE_END()")[0]
    found = re.search(rf"^BOOST_AUTO_TEST_CASE\({name}\).*?^}}", text, re.M | re.S)
    return found.group(0) if found else None


class Parameters(unittest.TestCase):
    def test_each_parameter_of_the_parser_has_a_case(self):
        known, _ = parser_knows()
        self.assertGreater(len(known), 20, "the tables of the parser are no longer found")
        self.assertEqual(known, set(CASES))

    def test_each_parameter_of_the_shipped_file_is_one_of_them(self):
        shipped = re.findall(r"^#?(\w+):\s", read(ROOT, "cluster-config/defaults/pbs_sched_config"), re.M)
        self.assertGreater(len(shipped), 15)
        self.assertEqual(set(shipped) - set(CASES) - {"sched_config"}, set())

    def test_the_manual_page_has_each_of_them_and_what_the_shipped_file_says(self):
        script = os.path.join(ROOT, "cluster-config", "defaults", "make_sched_config_page.py")
        done = subprocess.run([sys.executable, "-B", script, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        known, obsolete = parser_knows()
        items = " ".join(re.findall(r"^\.It Va (.*)", read(ROOT, "docs/man/sched_config.5"), re.M)).split()
        self.assertEqual(known | obsolete, set(items) - {","})

    def test_each_case_is_there_and_sets_its_parameter(self):
        for name, case in CASES.items():
            with self.subTest(name):
                body = body_of(case)
                self.assertIsNotNone(body, f"no such case: {case}")
                path, call = HELPERS.get(name, (None, None))
                if path and call:
                    self.assertIn(call, body)
                text = read(HERE, path) if path else body
                self.assertRegex(text.replace("\\n", " "), rf"\b{name}\b")

    def test_each_obsolete_name_is_answered(self):
        _, obsolete = parser_knows()
        self.assertGreater(len(obsolete), 5)
        body = body_of(OBSOLETE)
        for name in obsolete:
            with self.subTest(name):
                self.assertIn(f"Obsolete config name {name}", body)


if __name__ == "__main__":
    unittest.main()
