"""qterm -t immediate and -t delay: what becomes of running jobs, and that the server goes when they have (pbs guide: qterm)."""
import os
import unittest

from private_cluster import ClusterTest


class qterm(ClusterTest):
    def running(self, *options, **how):
        id = self.submit(*options, "--", "/bin/sh", "-c", f"until [ -e {self.work}/go ]; do sleep 0.1; done", **how)
        self.until_running(id)
        return id

    def until_gone(self):
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")

    def started_again(self):
        self.start_daemon("pbs_server")
        self.until_answers()

    def test_immediate_queues_what_can_run_again_and_aborts_the_rest(self):
        again, never = self.running(), self.running("-r", "n")
        self.sure("qterm", "-t", "immediate")
        self.until_gone()
        log = self.server_log()
        for line in ("Shutdown request from ", "Starting to shutdown the server, type is Immediate",
                     f"Job;{again};Requeued in queue: workq on Server shutdown",
                     f"Job;{never};Aborted by PBS Server  on Server shutdown", "Server shutdown completed"):
            self.assertIn(line, log)
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.started_again()
        job = self.job(never)
        self.assertEqual((job["job_state"], job["substate"], job["Exit_status"]), ("F", "93", "265"))
        job = self.until_state(again, "F")
        self.assertEqual((job["run_count"], job["Exit_status"]), ("2", "0"))
        self.until_recorded(again, "QSRSE")
        self.until_recorded(never, "QSAE")

    def test_delay_waits_for_what_cannot_run_again_and_lets_nobody_in(self):
        id = self.running("-r", "n")
        self.sure("qterm", "-t", "delay")
        self.until(lambda: self.run_command("qstat", "-B").status == 255, "nobody gets in")
        refused = self.run_command("qsub", "--", "/bin/true")
        self.assertEqual(refused.status, 162, refused)
        self.assertTrue(self.daemon_pids("pbs_server"), "it waits")
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.until_gone()
        log = self.server_log()
        self.assertIn("Starting to shutdown the server, type is Delayed", log)
        self.assertIn(f"Job;{id};job running on at Server shutdown on Server shutdown", log)
        self.started_again()
        job = self.until_state(id, "F")
        self.assertEqual((job["substate"], job["Exit_status"]), ("92", "0"))

    def test_a_server_killed_while_it_waits_starts_and_goes_on(self):
        id, queued = self.running("-r", "n"), self.submit("-h", "--", "/bin/true")
        self.sure("qterm", "-t", "delay")
        self.kill_daemon("pbs_server")
        self.started_again()
        self.assertEqual(self.job(queued)["job_state"], "H")
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_an_idle_server_goes_at_once(self):
        for how in ("delay", "immediate", "quick"):
            with self.subTest(how):
                self.sure("qterm", "-t", how)
                self.until_gone()
                self.started_again()


if __name__ == "__main__":
    unittest.main()
