"""Limits with a real cluster: how many jobs may be there, whoever submits at once and whatever is killed, and how many may run."""
import subprocess
import unittest

from private_cluster import ClusterTest


class LimitedTest(ClusterTest):
    def set(self, *settings):
        for setting in settings:
            self.sure("qmgr", "-c", "set " + setting)

    def refused(self, status, text, *command):
        done = self.run_command(*command)
        self.assertEqual((done.status, done.out, done.err), (status, "", text), command)

    def sleeper(self, *arguments):
        return self.submit(*arguments, "--", "/bin/sleep", "1000")

    def until_comment(self, id, comment):
        self.until(lambda: (self.job(id) or {}).get("comment") == comment, lambda: f"{comment}: {self.job(id)}")


class submissions(LimitedTest):
    def test_no_more_get_in_at_once_than_are_allowed(self):
        self.set("server scheduling = False", 'server max_queued = "[u:PBS_GENERIC=5]"')
        asking = [subprocess.Popen(["qsub", "--", "/bin/true"], env=self.environment(), cwd=self.work, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) for _ in range(20)]
        said = [(*process.communicate(), process.returncode) for process in asking]
        self.assertEqual(sorted(status for _, _, status in said), [0] * 5 + [38] * 15, said)
        self.assertEqual({err for _, err, status in said if status}, {"qsub: would exceed complex's per-user limit\n"})
        self.assertEqual(len(self.jobs()), 5)

    def test_the_count_outlives_the_server(self):
        self.set("server scheduling = False", 'queue workq max_queued_res.ncpus = "[o:PBS_ALL=6]"',
                 'server queued_jobs_threshold = "[o:PBS_ALL=2]"')
        first, held = self.sleeper("-l", "ncpus=3"), self.sleeper("-h")
        full = ("qsub", "-h", "-l", "ncpus=3", "--", "/bin/true")
        for _ in range(2):
            self.refused(39, "qsub: would exceed limit on resource ncpus in queue workq\n", *full)
            self.kill_daemon("pbs_server")
            self.start_daemon("pbs_server")
            self.until_answers()
        self.sleeper("-l", "ncpus=2")
        threshold = "qsub: Maximum number of jobs in 'Q' state already in complex\n"
        self.set("queue workq max_queued_res.ncpus += [o:PBS_ALL=100]")
        self.refused(38, threshold, "qsub", "--", "/bin/true")
        self.sure("qhold", first)
        self.sleeper()
        self.refused(38, threshold, "qsub", "--", "/bin/true")
        self.sure("qrls", held)     # who is in already may come to be in state Q
        self.refused(39, f"qalter: would exceed limit on resource ncpus in queue workq {held}\n", "qalter", "-l", "ncpus=97", held)

    def test_styles_do_not_mix_and_limits_come_and_go(self):
        mixed = "Cannot mix old and new style queue/run limit enforcement types\nqmgr: Error (15141) returned from server\n"
        self.set('server max_run_res.mem = "[u:PBS_GENERIC=4gb],[g:x=1gb]"')
        self.refused(37, f"qmgr obj=workq svr=default: {mixed}", "qmgr", "-c", "set queue workq max_queuable = 3")
        self.set('server max_run_res.mem -= "[g:x]"')
        self.assertIn("    max_run_res.mem = [u:PBS_GENERIC=4gb]\n", self.sure("qmgr", "-c", "list server max_run_res"))
        self.sure("qmgr", "-c", "unset server max_run_res")
        self.set("queue workq max_queuable = 1", "server scheduling = False")
        self.refused(37, f"qmgr obj= svr=default: {mixed}", "qmgr", "-c", 'set server max_run = "[o:PBS_ALL=1]"')
        self.sleeper()
        self.refused(198, "qsub: Maximum number of jobs already in queue\n", "qsub", "--", "/bin/true")


class runs(LimitedTest):
    def test_who_has_reached_a_limit_waits_until_a_job_of_his_ends(self):
        self.set('server max_run = "[u:PBS_GENERIC=1]"')
        first, second = self.sleeper(), self.sleeper()
        self.until_running(first)
        self.until_comment(second, "Not Running: User has reached server running job limit.")
        self.until(lambda: f";{second};Server per-user job limit reached" in self.log("sched_log"), "the scheduler says it in its words")
        self.set('queue workq max_run_res.ncpus = "[p:_pbs_project_default=3]"', 'server max_run = "[u:PBS_GENERIC=2]"')
        self.until_running(second)
        third, other = self.sleeper(), self.sleeper("-P", "other")
        for id in third, other:
            self.until_comment(id, "Not Running: User has reached server running job limit.")
        self.sure("qmgr", "-c", "unset server max_run")
        self.until_running(other)
        self.until_running(third)
        fourth = self.sleeper()
        self.until_comment(fourth, "Not Running: would exceed project _pbs_project_default's limit on resource ncpus in queue workq")
        self.sure("qdel", first)
        self.until_running(fourth)
        self.set('server max_run = "[o:PBS_ALL=0]"')
        fifth = self.sleeper("-P", "other")
        self.until_comment(fifth, "Not Running: Server job limit has been reached.")
        self.sure("qrun", fifth)     # an operator's word counts more
        self.until_running(fifth)

    def test_old_style_limits_are_limits_of_everybody(self):
        self.set("queue workq max_user_run = 1", "server max_user_res.ncpus = 2")
        first, second = self.sleeper(), self.sleeper("-l", "ncpus=2")
        self.until_comment(second, "Not Running: User has reached queue workq running job limit.")
        self.sure("qmgr", "-c", "unset queue workq max_user_run")
        self.until_comment(second, "Not Running: Server per-user limit reached on resource ncpus")
        self.sure("qdel", first)
        self.until_running(second)

    def test_time_is_limited_like_anything_else(self):
        first = self.sleeper("-l", "walltime=02:00:00")
        self.until_running(first)
        self.set('server max_run_res.walltime = "[u:PBS_GENERIC=03:00:00]"')
        second, third = self.sleeper("-l", "walltime=02:00:00"), self.sleeper("-l", "walltime=01:00:00")
        self.until_running(third)
        self.until_comment(second, "Not Running: Server per-user limit reached on resource walltime")


if __name__ == "__main__":
    unittest.main()
