"""Top jobs have a time and a place; jobs make room for more important ones, whoever dies in between."""
import os
import unittest

from private_cluster import ClusterTest, signal

SLEEP = ("--", "/bin/sleep", "1000")


class FourCpus(ClusterTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 4")
        self.sure("qmgr", "-c", "set sched log_events = 2047")
        self.sure("qmgr", "-c", "create queue exp queue_type=e,enabled=t,started=t,Priority=200")

    def takes(self, ncpus, *more):
        return self.submit("-l", f"select=1:ncpus={ncpus}", *more, *SLEEP)

    def sched_log(self):
        return self.log("sched_log") or self.log("sched_logs")

    def until_scheduler_says(self, text):
        """It writes what it has done behind what it does."""
        self.until(lambda: text in self.sched_log(), lambda: f"the scheduler's log has {text}: {self.sched_log()[-2000:]}")

    def until_suspended(self, id):
        job = self.until_state(id, "S")
        self.assertEqual(job["substate"], "45")
        return job


class preemption(FourCpus):
    def test_a_job_is_suspended_and_goes_on_when_there_is_room(self):
        low = self.takes(4)
        self.until_running(low)
        high = self.takes(4, "-q", "exp")
        self.until_running(high)
        self.until_suspended(low)
        self.until(lambda: self.job(low)["comment"] == "Not Running: Not enough free nodes available", lambda: self.job(low))
        for line in (f"{high};Employing preemption to try and run high priority job.", f"{low};Job preempted by suspension",
                     f"{high};Job run"):
            self.until_scheduler_says(line)
        self.sure("qdel", high)
        self.until_running(low)
        self.sure("qdel", low)
        self.until_state(low, "F")
        self.until_recorded(low, "QSzrDE")

    def test_a_job_is_queued_again_or_deleted_if_the_site_wants_that(self):
        self.sure("qmgr", "-c", "set sched preempt_order = R")
        self.sure("qmgr", "-c", "set sched sched_preempt_enforce_resumption = True")
        low = self.takes(4)
        self.until_running(low)
        high = self.takes(4, "-q", "exp", "-l", "walltime=1:00:00")
        self.until_running(high)
        self.assertEqual((self.job(low)["job_state"], self.job(low)["run_count"]), ("Q", "1"))
        self.until(lambda: self.job(low).get("topjob") == "True" and "estimated.start_time" in self.job(low), lambda: self.job(low))
        self.sure("qdel", high)
        self.until_running(low)
        self.assertNotIn("topjob", self.job(low))
        self.sure("qmgr", "-c", "set sched preempt_order = D")
        other = self.takes(4, "-q", "exp")
        self.until_running(other)
        self.assertEqual(self.job(low)["job_state"], "F")

    def test_qrun_makes_room(self):
        low = self.takes(4)
        self.until_running(low)
        other = self.takes(4)
        self.until(lambda: "comment" in self.job(other), "a cycle has looked at it")
        self.sure("qrun", other)
        self.until_running(other)
        self.until_suspended(low)

    def test_whoever_dies_the_important_job_runs_and_the_other_goes_on(self):
        for victim_of_chance in ("pbs_server", "pbs_sched", "pbs_mom"):
            with self.subTest(victim_of_chance):
                low = self.takes(4)
                self.until_running(low)
                high = self.takes(4, "-q", "exp")
                host = "a" if victim_of_chance == "pbs_mom" else "server"
                self.kill_daemon(victim_of_chance, host)
                if victim_of_chance != "pbs_sched":
                    self.start_daemon(victim_of_chance, host)
                self.until_answers()
                self.until_running(high)
                self.until_state(low, "S")
                self.sure("qdel", high)
                self.until_running(low)
                self.sure("qdel", low)
                self.until_state(low, "F")


class checkpoints(FourCpus):
    def setUp(self):
        super().setUp()
        self.script("checkpoint", "echo begun > $2/begun\nwhile ! test -e $2/go; do sleep 0.05; done\nkill -9 -$1\n")
        self.script("restart", f"cat $1/begun > {self.work}/restarted\nexec /bin/sleep 1000\n")
        with open(f"{self.home('a')}/mom_priv/config", "a") as f:
            f.write(f"$action checkpoint_abort 600 !{self.top}/checkpoint %sid %path\n$action restart 0 !{self.top}/restart %path\n")
        self.restart_mom()
        self.sure("qmgr", "-c", "set sched preempt_order = C")

    def script(self, name, text):
        with open(f"{self.top}/{name}", "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(f"{self.top}/{name}", 0o755)

    def restart_mom(self):
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")

    def place(self, id, name):
        return os.path.join(self.home("a"), "checkpoint", id + ".CK", name)

    def lets_go(self, id):
        with open(self.place(id, "go"), "w"):
            pass

    def test_a_preempted_job_goes_on_from_its_checkpoint_though_its_mom_was_killed(self):
        self.until_free("a")
        low = self.takes(4)
        self.until_running(low)
        high = self.takes(4, "-q", "exp")
        self.until(lambda: os.path.exists(self.place(low, "begun")), "the script runs")
        self.restart_mom()
        self.lets_go(low)
        self.until_running(high)
        self.assertEqual(self.job(low)["job_state"], "Q")
        self.until_scheduler_says(f"{low};Job preempted by checkpointing")
        self.sure("qdel", high)
        self.until_running(low)
        self.until(lambda: os.path.exists(f"{self.work}/restarted"), "the restart script runs")
        self.sure("qdel", low)
        self.until_state(low, "F")
        self.until(lambda: not os.path.exists(self.place(low, "begun")), "the checkpoint is gone")
        self.until_recorded(low, "QSCSTDE")

    def test_qhold_checkpoints_a_running_job(self):
        self.until_free("a")
        job = self.takes(1)
        self.until_running(job)
        self.sure("qhold", job)
        self.until(lambda: os.path.exists(self.place(job, "begun")), "the script runs")
        self.lets_go(job)
        self.until_state(job, "H")


class top_jobs(FourCpus):
    def setUp(self):
        super().setUp()
        path = os.path.join(self.home(), "sched_priv", "sched_config")
        with open(path) as f:
            lines = [line for line in f if not line.startswith("strict_ordering")]
        with open(path, "w") as f:
            f.writelines(lines + ["strict_ordering: True ALL\n"])
        read = lambda: self.sched_log().count("Scheduler is reconfiguring")
        before = read()
        os.kill(self.daemon_pids("pbs_sched")[0], signal.SIGHUP)
        self.until(lambda: read() > before, "the scheduler has read it")

    def test_a_top_job_shows_when_it_will_run_and_nothing_delays_it(self):
        first = self.takes(3, "-l", "walltime=1:00:00")
        self.until_running(first)
        top = self.takes(4, "-l", "walltime=10:00")
        job = self.until(lambda: "estimated.start_time" in (self.job(top) or {}) and self.job(top), lambda: self.job(top))
        self.assertEqual((job["estimated.exec_vnode"], job["topjob"]), ("(a:ncpus=4)", "True"))
        long = self.takes(1, "-l", "walltime=2:00:00")
        short = self.takes(1, "-l", "walltime=30:00")
        self.until_running(short)
        self.assertEqual(self.job(long)["job_state"], "Q")
        self.assertEqual(self.job(top)["estimated.start_time"], job["estimated.start_time"])
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.job(top)["estimated.start_time"], job["estimated.start_time"])
        self.sure("qdel", first, short)
        self.until_running(top)


if __name__ == "__main__":
    unittest.main()
