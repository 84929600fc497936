"""Finished jobs leave the history when its time is over, whatever happened to the server meanwhile."""
import time
import unittest

from private_cluster import ClusterTest


class history(ClusterTest):
    def finish(self):
        id = self.submit("--", "/bin/true")
        self.until_state(id, "F")
        return id

    def until_unknown(self, id):
        """As if it had never been (pbs guide: job_history_duration)."""
        self.until(lambda: self.run_command("qstat", "-xf", id).status != 0, f"{id} is forgotten")
        done = self.run_command("qstat", "-x", id)
        self.assertEqual((done.status, done.err), (153, f"qstat: Unknown Job Id {id}\n"))

    def test_a_job_is_forgotten_when_its_time_is_over(self):
        id = self.finish()
        self.sure("qmgr", "-c", "set server job_history_duration = 00:00:01")
        self.until_unknown(id)

    def test_a_history_that_ends_while_the_server_is_down_ends_at_its_start(self):
        begin = time.time()
        id = self.finish()
        duration_s = int(time.time() - begin) + 8     # time enough to set it and to kill
        self.sure("qmgr", "-c", f"set server job_history_duration = {duration_s}")
        self.kill_daemon("pbs_server")
        over = time.time() + duration_s
        story = self.audit("job", id)
        self.assertIn("JobEnded", story)
        self.assertNotIn("JobForgotten", story)
        self.until(lambda: time.time() > over, "its time is over")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_unknown(id)

    def test_turning_the_history_off_ends_it_at_once(self):
        finished = [self.finish() for _ in range(3)]
        waiting = self.submit("-h", "--", "/bin/true")
        self.sure("qmgr", "-c", "set server job_history_enable = False")
        self.until(lambda: self.sure("qstat", "-Bf").find("total_jobs = 1\n") > 0, "only the held job is left")
        self.sure("qmgr", "-c", "set server job_history_enable = True")
        for id in finished:
            self.until_unknown(id)
        self.assertEqual(self.job(waiting)["job_state"], "H")


if __name__ == "__main__":
    unittest.main()
