"""Finished jobs leave the history when its time is over, whatever happened to the server meanwhile."""
import re
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
        spare_s = 8      # to set it and to kill
        while True:
            begin = time.time()
            id = self.finish()
            duration_s = int(time.time() - begin) + spare_s
            self.sure("qmgr", "-c", f"set server job_history_duration = {duration_s}")
            self.kill_daemon("pbs_server")
            over = time.time() + duration_s
            story = self.audit("job", id)
            self.assertIn("JobEnded", story)
            if "JobForgotten" not in story:
                break
            spare_s *= 2      # it was not enough on this machine
            self.start_daemon("pbs_server")
            self.until_answers()
            self.sure("qmgr", "-c", "unset server job_history_duration")
        self.until(lambda: time.time() > over, "its time is over")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.until_unknown(id)

    def test_finished_jobs_are_chosen_by_their_ends_and_numbers(self):
        def listed(*words):
            return re.findall(r"(?m)^(\d+\.\S+)", self.sure("qstat", *words))
        waiting = self.submit("-h", "--", "/bin/true")
        finished = [self.finish() for _ in range(3)]
        ends = [int(self.job(id)["history_timestamp"]) for id in finished]
        self.assertEqual(listed("-x", "--newest", "2"), [waiting, *finished[1:]])
        self.assertEqual(listed("-H", "--newest=1"), finished[2:])
        self.assertEqual(listed("-x", "--since", str(ends[1])), [waiting] + [id for id, end in zip(finished, ends) if end >= ends[1]])
        self.assertEqual(listed("-H", "--since", str(ends[2] + 1)), [])
        self.assertEqual(listed("-x", "--since", "2001-09-10", "--newest", "1", "workq"), [waiting, finished[2]])
        for wrong in (["--newest", "1"], ["-x", "--newest", "1", finished[0]], ["-Q", "--since", "2026-11-20"]):
            done = self.run_command("qstat", *wrong)
            text = "qstat: conflicting options: --since and --newest need -x or -H, and no ids of jobs."
            self.assertEqual((done.status, done.err.split("\n")[0]), (2, text), wrong)
        for wrong, text in ((["-x", "--newest", "0"], "illegal --newest value: 0"), (["-x", "--newest=x"], "illegal --newest value: x"),
                            (["-x", "--since", "#12"], "illegal --since value: #12 (a moment is "), (["-x", "--since"], "illegal --since value: ")):
            done = self.run_command("qstat", *wrong)
            self.assertEqual((done.status, done.err.split("\n")[0][:len("qstat: " + text)]), (2, "qstat: " + text), wrong)

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
