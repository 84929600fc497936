"""Running jobs survive kill -9 of server, scheduler and MoM, each and all together, and end with their true exit status."""
import os
import unittest

from private_cluster import ClusterTest

DAEMONS = {"server": ("pbs_server", "server"), "scheduler": ("pbs_sched", "server"), "mom": ("pbs_mom", "a")}


class running_jobs(ClusterTest):
    def start_job(self, exit_status):
        """A job that runs until it is told to end, leaves a trace of each start, and ends with this status."""
        go = os.path.join(self.work, f"go{exit_status}")
        script = f'echo started >> runs{exit_status}\nwhile [ ! -e {go} ]; do sleep 0.05; done\nexit {exit_status}\n'
        id = self.submit("-N", f"job{exit_status}", "-S", "/bin/sh", input=f"cd {self.work}\n{script}")
        self.until_running(id)
        return id, go

    def check(self, id, exit_status):
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], str(exit_status), job)
        self.assertEqual(job["run_count"], "1", job)
        with open(os.path.join(self.work, f"runs{exit_status}")) as f:
            self.assertEqual(f.read(), "started\n")
        self.until_recorded(id, "QSE")

    def kill(self, *who):
        for name in who:
            self.kill_daemon(*DAEMONS[name])

    def start(self, *who):
        for name in who:
            self.start_daemon(*DAEMONS[name])

    def test_the_server_is_killed(self):
        id, go = self.start_job(3)
        self.kill("server")
        self.start("server")
        self.until_answers()
        self.assertEqual(self.job(id)["job_state"], "R")
        open(go, "w").close()
        self.check(id, 3)

    def test_the_job_ends_while_the_server_is_dead(self):
        id, go = self.start_job(4)
        self.kill("server")
        open(go, "w").close()
        self.start("server")
        self.check(id, 4)

    def test_the_scheduler_is_killed(self):
        id, go = self.start_job(5)
        self.kill("scheduler")
        open(go, "w").close()
        self.check(id, 5)
        later = self.submit("--", "/bin/true")       # queued while nobody schedules
        self.start("scheduler")
        self.assertEqual(self.until_state(later, "F")["Exit_status"], "0")

    def test_the_mom_is_killed(self):
        id, go = self.start_job(6)
        self.kill("mom")
        self.start("mom")
        self.until_free("a")
        self.assertEqual(self.job(id)["job_state"], "R")
        open(go, "w").close()
        self.check(id, 6)

    def test_the_job_ends_while_its_mom_is_dead(self):
        id, go = self.start_job(7)
        self.kill("mom")
        open(go, "w").close()
        self.until(lambda: not self.alive_below("a"), "the job has ended")
        self.start("mom")
        self.check(id, 7)

    def alive_below(self, host):
        """Processes of the host other than daemons and what keeps them."""
        return self.cluster.machines[host].pids()

    def test_all_are_killed_together(self):
        first, go_first = self.start_job(8)
        second, go_second = self.start_job(9)
        self.kill("server", "scheduler", "mom")
        open(go_first, "w").close()                  # one ends while nobody watches, one goes on
        self.start("server", "scheduler", "mom")
        self.until_answers()
        self.check(first, 8)
        self.assertEqual(self.job(second)["job_state"], "R")
        open(go_second, "w").close()
        self.check(second, 9)



class a_host_that_stays_down(ClusterTest):
    """pbs guide: node_fail_requeue."""

    def test_its_jobs_are_queued_again_or_ended(self):
        again = self.submit("--", "/bin/sleep", "1000")
        never = self.submit("-r", "n", "--", "/bin/sleep", "1000")
        self.until_running(again)
        self.until_running(never)
        self.cluster.kill("a")
        self.until(lambda: "down" in self.sure("pbsnodes", "-av"), "the server has noticed")
        self.assertEqual(self.job(again)["job_state"], "R")       # 310 seconds are not over
        self.sure("qmgr", "-c", "set server node_fail_requeue = 1")
        self.until_state(again, "Q")
        ended = self.until_state(never, "F")
        self.assertEqual(ended["Exit_status"], "-4")
        self.assertTrue(ended["comment"].endswith("and failed, execution node a down"), ended)
        self.until_logged(f"{again};Job requeued, execution node a down")
        self.cluster.start("a")
        self.until_running(again)
        self.assertEqual(self.job(again)["run_count"], "2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
