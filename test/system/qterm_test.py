"""qterm -t immediate and -t delay: what becomes of running jobs, and that the server goes when they have; -m: that the MoMs go
too, and find their jobs again (pbs guide: qterm)."""
import os
import unittest

from private_cluster import ClusterTest, procs, signal


class QtermTest(ClusterTest):
    def running(self, *options, go="go", **how):
        id = self.submit(*options, "--", "/bin/sh", "-c", f"until [ -e {self.work}/{go} ]; do sleep 0.1; done", **how)
        self.until_running(id)
        return id

    def let_go(self, go="go"):
        with open(os.path.join(self.work, go), "w"):
            pass

    def until_gone(self):
        self.until(lambda: not self.daemon_pids("pbs_server"), "the server has gone")

    def started_again(self):
        self.start_daemon("pbs_server")
        self.until_answers()


class qterm(QtermTest):
    def test_immediate_queues_what_can_run_again_and_aborts_the_rest(self):
        again, never = self.running(), self.running("-r", "n")
        self.sure("qterm", "-t", "immediate")
        self.until_gone()
        log = self.server_log()
        for line in ("Shutdown request from ", "Starting to shutdown the server, type is Immediate",
                     f"Job;{again};Requeued in queue: workq on Server shutdown",
                     f"Job;{never};Aborted by PBS Server  on Server shutdown", "Server shutdown completed"):
            self.assertIn(line, log)
        self.let_go()
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
        self.let_go()
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
        self.let_go()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_an_idle_server_goes_at_once(self):
        for how in ("delay", "immediate", "quick"):
            with self.subTest(how):
                self.sure("qterm", "-t", how)
                self.until_gone()
                self.started_again()


class qterm_m(QtermTest):
    hosts = ["a", "b"]

    def moms(self):
        return [pid for host in self.hosts for pid in self.daemon_pids("pbs_mom", host)]

    def test_ends_both_moms_and_the_server_and_jobs_go_on(self):
        on_a, on_b = self.running("-l", "select=host=a", go="a"), self.running("-l", "select=host=b", go="b")
        self.sure("qterm")
        self.until_gone()
        self.assertEqual(len(self.moms()), 2, "without -m they stay")
        self.started_again()
        for host in self.hosts:
            self.until_free(host)
        self.sure("qterm", "-m")
        self.until_gone()
        self.until(lambda: not self.moms(), "the MoMs have gone")
        self.let_go("b")      # nobody is there to see it
        log = self.server_log()
        for host in self.hosts:
            self.assertIn(f"Node;{host};Shutdown request sent to MoM", log)
            self.assertIn("Svr;pbs_mom;Shutdown request from server ", self.mom_log(host))
            self.assertIn("Svr;pbs_mom;Is down", self.mom_log(host))
        for host in self.hosts:
            self.start_daemon("pbs_mom", host)
        self.started_again()
        job = self.until_state(on_b, "F")
        self.assertEqual((job["run_count"], job["Exit_status"]), ("1", "0"))
        self.until_free("a")
        self.assertEqual(self.job(on_a)["job_state"], "R")
        self.let_go("a")
        job = self.until_state(on_a, "F")
        self.assertEqual((job["run_count"], job["Exit_status"]), ("1", "0"))

    def test_delay_ends_moms_when_the_last_job_has_left(self):
        id = self.running("-r", "n", "-l", "select=host=a")
        self.sure("qterm", "-m", "-t", "delay")
        self.until_logged("Starting to shutdown the server, type is Delayed")
        self.assertEqual(len(self.moms()), 2, "the job needs its MoM")
        self.let_go()
        self.until_gone()
        self.until(lambda: not self.moms(), "the MoMs have gone")
        for host in self.hosts:
            self.start_daemon("pbs_mom", host)
        self.started_again()
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_hosts_that_do_not_answer_are_not_waited_for(self):
        self.kill_daemon("pbs_mom", "a")
        self.until(lambda: "down" in self.sure("pbsnodes", "a"), "a is down")
        hanging = self.daemon_pids("pbs_mom", "b")
        procs.send(hanging, signal.SIGSTOP)
        self.sure("qterm", "-m")
        self.until_gone()
        self.assertIn("Node;a;MoM not connected; it is not shut down", self.server_log())
        procs.send(hanging, signal.SIGCONT)


if __name__ == "__main__":
    unittest.main()
