"""Jobs that depend on others, as users do it, while the server is killed: what was met is met once, and nobody runs too early or never.
docs/design/0054-dependencies.md; pbs guide, qsub, "depend"."""
import os
import unittest

from private_cluster import ClusterTest


class dependencies(ClusterTest):
    def shell_job(self, name, text, *options):
        return self.submit("-N", name, "-S", "/bin/sh", "-j", "oe", *options, input=f"cd {self.work}\necho {name} >> order\n{text}\n")

    def order(self):
        with open(os.path.join(self.work, "order")) as f:
            return f.read().split()

    def restart_server(self):
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()

    def waiting_for(self, path):
        return f"while [ ! -e {path} ]; do sleep 0.05; done"

    def test_a_workflow_goes_on_over_kills_of_the_server(self):
        go = os.path.join(self.work, "go")
        first = self.shell_job("first", self.waiting_for(go))
        self.restart_server()
        left = self.shell_job("left", "exit 0", "-W", f"depend=afterok:{first}")
        right = self.shell_job("right", "exit 3", "-W", f"depend=after:{first}:{left}")
        last = self.shell_job("last", "exit 0", "-W", f"depend=afternotok:{right},afterok:{left}")
        self.restart_server()
        # What waits for its start may not wait any more: the host may have told of it between the two kills.
        self.until(lambda: f"beforeok:{left}@" in self.job(first).get("depend", ""), lambda: self.job(first))
        self.assertEqual((self.job(last)["job_state"], self.job(last)["substate"]), ("H", "22"))
        self.kill_daemon("pbs_server")
        open(go, "w").close()
        self.start_daemon("pbs_server")
        for id, status in (first, "0"), (left, "0"), (right, "3"), (last, "0"):
            self.assertEqual(self.until_state(id, "F").get("Exit_status"), status, self.job(id))
            self.assertEqual(self.job(id)["run_count"], "1")
            self.until_recorded(id, "QSE")
        self.assertEqual(self.order()[0], "first")
        self.assertEqual(self.order()[-1], "last")
        self.assertEqual(sorted(self.order()), ["first", "last", "left", "right"])
        self.until_logged(f"Job;{left};Dependency on job {first} released.")

    def test_what_can_not_be_met_is_deleted_and_says_why(self):
        first = self.shell_job("first", "exit 1", "-h")
        second = self.shell_job("second", "exit 0", "-W", f"depend=afterok:{first}")
        third = self.shell_job("third", "exit 0", "-W", f"depend=afterok:{second}")
        cleaner = self.shell_job("cleaner", "exit 0", "-W", f"depend=afternotok:{second}")
        self.assertIn(f"It waits until {second} has ended with exit status 0.", self.sure("qstat", "--why", third))
        self.restart_server()
        self.sure("qrls", first)
        self.assertEqual(self.until_state(cleaner, "F")["Exit_status"], "0")
        for id, other in (second, first), (third, second):
            job = self.until_state(id, "F")
            self.assertNotIn("Exit_status", job)
            self.assertEqual(job["substate"], "92")
            self.until_recorded(id, "QA")
            self.assertIn(("A", id, f"Job deleted as result of dependency on job {other}"), self.accounting())
        self.assertEqual(self.order(), ["first", "cleaner"])

    def test_of_a_set_one_runs(self):
        self.sure("qmgr", "-c", "set server scheduling = false")
        jobs = [self.shell_job("one", "exit 0")]
        for _ in range(3):
            jobs.append(self.shell_job("one", "exit 0", "-W", f"depend=runone:{jobs[0]}"))
        self.until(lambda: all(self.job(id)["depend"].count(":") == 3 for id in jobs), lambda: self.jobs())
        self.restart_server()
        self.sure("qmgr", "-c", "set server scheduling = true")
        ended = [self.until_state(id, "F") for id in jobs]
        self.assertEqual(len([job for job in ended if job.get("Exit_status") == "0"]), 1, ended)
        self.assertEqual(self.order(), ["one"])

    def test_a_job_does_not_wait_for_itself(self):
        first = self.submit("-W", "depend=on:1", "--", "/bin/true")
        second = self.submit("-W", f"depend=afterok:{first}", "--", "/bin/true")
        done = self.run_command("qalter", "-W", f"depend=afterok:{second}", first)
        self.assertEqual(done.status, 166)
        self.assertRegex(done.err, r"qalter: Illegal attribute or resource value depend: job \d+ would wait for itself")
        done = self.run_command("qsub", "-W", f"depend=before:{first},after:{second}", "--", "/bin/true")
        self.assertEqual(done.status, 166)
        self.until(lambda: self.job(first)["depend"] == f"on:1,beforeok:{second}@server", lambda: f"{first} is told: {self.job(first)}")
        opener = self.submit("-W", f"depend=beforeany:{first}", "--", "/bin/false")
        for id, status in (opener, "1"), (first, "0"), (second, "0"):
            self.assertEqual(self.until_state(id, "F")["Exit_status"], status)
        unknown = self.submit("-W", "depend=afterok:99999", "--", "/bin/true")
        self.until_state(unknown, "F")
        self.until_logged(f"Job;{unknown};Dependency request for job rejected by 99999.server")


if __name__ == "__main__":
    unittest.main(verbosity=2)
