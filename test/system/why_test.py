"""Why a job waits is told while it waits and afterwards, one cycle as a whole, and recorded cycles are decided again as they were."""
import json
import os
import re
import unittest

from private_cluster import ClusterTest


class why(ClusterTest):
    def why(self, *arguments):
        return self.sure("qstat", "--why", *arguments)

    def until_told(self, id, text):
        self.until(lambda: text in self.why(id), lambda: self.why(id))
        return self.why(id)

    def fill(self):
        """The host a has one cpu left."""
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 3")
        id = self.submit("-l", "select=1:ncpus=2:host=a", "--", "/bin/sleep", "1000")
        self.until_running(id)
        return id

    def test_a_job_that_waits_is_told_why_also_afterwards(self):
        runs = self.fill()
        waits = self.submit("-l", "select=1:ncpus=2:host=a", "--", "/bin/true")
        told = self.until_told(waits, "Not Running: ")
        self.assertRegex(told, rf"\A{re.escape(waits)} waits in queue workq\.\n  Not Running: ")
        self.assertIn("\n  It asks for 2 of ncpus; 1 of 3 can be had on a.\n", told)
        self.assertRegex(told, r"It has waited for this since .*; scheduler default said so last .* in cycle \d+\.\n")
        self.assertRegex(self.why(runs), rf"\A{re.escape(runs)} runs since .* on \(a:ncpus=2")
        data = json.loads(self.why("-F", "json", waits))["Why"][waits]
        self.assertEqual((data["kind"], data["job_state"], data["scheduler"]), ("resources", "Q", "default"))
        self.assertIn("a", data["vnodes"])

        report = lambda: self.sure("pbs_audit", "cycle", str(data["cycle"]))
        self.until(lambda: "\n  ended " in report(), "the cycle is over")
        cycle = report()
        self.assertIn(f"cycle {data['cycle']} of scheduler default\n", cycle)
        self.assertIn(waits, cycle)
        told_by = json.loads(self.sure("pbs_audit", "cycle", str(data["cycle"]), "--json"))
        self.assertTrue(any(waits in reason["jobs"] for reason in told_by["reasons"]), told_by)
        self.assertNotEqual(self.run_command("pbs_audit", "cycle", "1000000").status, 0)

        self.sure("qdel", runs)
        self.until_state(waits, "F")
        self.assertRegex(self.why(waits), "has ended with exit status 0")
        sequence = re.search(r"\n  ended .*?#(\d+)", cycle)[1]
        self.assertIn("Not Running: ", self.why("--at", f"#{sequence}", waits))

    def test_a_held_job_and_one_that_waits_for_its_time(self):
        held = self.submit("-h", "--", "/bin/true")
        self.assertIn("is held by a user hold", self.why(held))
        later = self.submit("-a", "203001010000", "--", "/bin/true")
        self.assertRegex(self.why(later), r"waits for its time: .* 2030\.")
        both = self.why(held, later)
        self.assertIn(held, both)
        self.assertIn(later, both)

    def test_a_job_that_never_ran_says_what_has_ended_it(self):
        first = self.submit("-h", "--", "/bin/false")
        second = self.submit("-W", f"depend=afterok:{first}", "--", "/bin/true")
        third = self.submit("-h", "--", "/bin/true")
        self.sure("qdel", third)
        self.assertRegex(self.why(third), r"has ended without having run\.\n(  .*\n)?  It was deleted by \S+@\S+\.\n\Z")
        self.sure("qrls", first)
        self.until_state(second, "F")
        self.assertIn(f"\n  Job deleted as result of dependency on job {first}.\n", self.why(second))

    def test_a_queue_that_is_stopped_is_named(self):
        self.sure("qmgr", "-c", "set queue workq started = False")
        id = self.submit("--", "/bin/true")
        told = self.until_told(id, "Queue not started.")
        self.assertIn("No job of queue workq may run now.", told)

    def test_a_host_that_is_offline_is_named_with_its_comment(self):
        self.sure("pbsnodes", "-o", "-C", "broken fan", "a")
        id = self.submit("-l", "select=1:host=a", "--", "/bin/true")
        told = self.until_told(id, "Not Running: ")
        self.assertIn("\n  a is offline: broken fan.\n", told)
        data = json.loads(self.why("-F", "json", id))["Why"][id]
        self.assertEqual((data["vnodes"], data["unusable"]), (["a"], ["a is offline: broken fan"]))

    def test_a_host_that_a_job_fills_is_named_with_it(self):
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 2")
        runs = self.submit("-l", "select=1:ncpus=2:host=a", "--", "/bin/sleep", "1000")
        self.until_running(runs)
        waits = self.submit("-l", "select=1:host=a", "--", "/bin/true")
        self.until_told(waits, f"\n  a is filled by {runs}.\n")

    def test_what_is_asked_wrongly_is_refused(self):
        done = self.run_command("qstat", "--why", "999999")
        self.assertEqual((done.status, done.out), (153, ""))
        self.assertIn("Unknown Job Id 999999", done.err)
        for wrong in ((), ("-f", "1"), ("-F", "dsv", "1")):
            self.assertEqual(self.run_command("qstat", "--why", *wrong).status, 2, wrong)

    def test_recorded_cycles_are_decided_again_and_another_policy_is_tried(self):
        self.sure("qmgr", "-c", "create queue express queue_type = Execution, started = True, enabled = True, Priority = 100")
        runs = self.fill()
        first = self.submit("-l", "select=1:ncpus=2:host=a", "--", "/bin/true")
        second = self.submit("-q", "express", "-l", "select=1:ncpus=2:host=a", "--", "/bin/true")
        for id in first, second:
            self.until_told(id, "Not Running: ")
        self.sure("qdel", runs)
        for id in first, second:
            self.until_state(id, "F")
        # A cycle that has not ended can't be repeated: none is asked for any more, but one may be under way, or is yet to be told.
        self.sure("qmgr", "-c", "set server scheduling = False")
        log = os.path.join(self.home(), "server_priv", "log")
        replay = lambda: self.run_command("pbs_sched", "--replay", log)
        again = self.until(lambda: next((done for done in [replay()] if ", 0 could not be repeated\n" in done.out), None), replay)
        self.assertEqual((again.status, again.err), (0, ""), again)
        self.assertRegex(again.out, r"\A(\d+) cycles: \1 decided as recorded, 0 otherwise, 0 could not be repeated\n")
        told = json.loads(self.sure("pbs_sched", "--replay", log, "--json"))
        self.assertGreater(told["runs"], 2)
        self.assertEqual((told["differing"], told["differences"]), (0, []))

        with open(os.path.join(self.home(), "sched_priv", "sched_config")) as f:
            lines = [line for line in f if line.split(":")[0] not in ("by_queue", "round_robin")]
        policy = os.path.join(self.home(), "another_sched_config")
        with open(policy, "w") as f:
            f.writelines(lines + ["by_queue: False ALL\n", "round_robin: False ALL\n"])
        tried = json.loads(self.sure("pbs_sched", "--replay", log, "--policy", policy, "--json"))
        self.assertEqual(tried["all"]["jobs"], 3)
        self.assertEqual(tried["all"]["started"], {"recorded": 3, "simulated": 3})
        self.assertEqual({q["name"] for q in tried["queues"]}, {"workq", "express"})
        self.assertIn("start sooner", self.sure("pbs_sched", "--replay", log, "--policy", policy))
        self.assertEqual(self.run_command("pbs_sched", "--replay", log, "--policy", policy + ".no").status, 2)
        self.assertEqual(self.run_command("pbs_sched", "--replay", log, "--policy", self.home()).status, 2)
        self.assertEqual(self.run_command("pbs_sched", "--replay", log, "--policy", "").status, 2)
        self.assertIn("no cycle of scheduler nihgt", self.run_command("pbs_sched", "--replay", log, "--scheduler", "nihgt").err)
        self.assertEqual(self.run_command("pbs_sched", "--replay", log + ".no").status, 3)


if __name__ == "__main__":
    unittest.main()
