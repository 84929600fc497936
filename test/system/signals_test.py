"""HUP: each daemon begins its log anew and reads its files again, and nothing else happens to it or to its jobs. And the signals of qdel."""
import glob
import os
import signal
import unittest

from private_cluster import ClusterTest


class hang_up(ClusterTest):
    def hang_up(self, daemon, host="server"):
        (pid,) = self.daemon_pids(daemon, host)
        os.kill(pid, signal.SIGHUP)
        return pid

    def put_before_config(self, lines):
        path = os.path.join(self.home("a"), "mom_priv", "config")
        with open(path) as f:
            lines += f.read()
        with open(path, "w") as f:
            f.write(lines)

    def test_every_daemon_begins_its_log_anew_and_lives_on(self):
        id = self.submit("--", "/bin/sleep", "1000")
        self.until_running(id)
        for daemon, kind, host in (("pbs_server", "server_logs", "server"), ("pbs_sched", "sched_logs", "server"),
                                   ("pbs_mom", "mom_logs", "a")):
            with self.subTest(daemon):
                for path in glob.glob(os.path.join(self.home(host), kind, "2*")):
                    os.rename(path, os.path.join(self.top, f"{daemon}.old"))      # as a log rotation does
                pid = self.hang_up(daemon, host)
                self.until(lambda: "Log opened" in self.log(kind, host), f"{daemon} has a new log")
                self.assertEqual(self.daemon_pids(daemon, host), [pid])
        self.assertEqual(self.job(id)["job_state"], "R")
        self.sure("qdel", id)

    def test_a_mom_reads_its_config_again_also_for_a_job_that_runs(self):
        there = os.path.join(self.work, "there")
        os.mkdir(there, 0o777)
        os.chmod(there, 0o777)
        id = self.submit("-j", "oe", "-o", "192.0.2.1:/far/away/out", "--", "/bin/sh", "-c",
                         f"until [ -e {self.work}/go ]; do sleep 0.1; done; echo hello")
        self.until_running(id)
        self.put_before_config(f"$usecp 192.0.2.1:/far/away {there}\n$nonsense 1\n")
        self.read_settings_again("a")
        self.assertIn("unknown setting $nonsense", self.mom_log("a"))
        with open(os.path.join(self.work, "go"), "w"):
            pass
        self.until_state(id, "F")
        with open(os.path.join(there, "out")) as f:
            self.assertEqual(f.read(), "hello\n")

    def test_a_mom_gives_a_new_job_the_environment_it_read_again(self):
        with open(os.path.join(self.home("a"), "pbs_environment"), "w") as f:
            f.write("# of all jobs\nPATH=/bin:/usr/bin\nANNALS_NEW=yes\n")
        self.read_settings_again("a")
        id = self.submit("-o", f"{self.work}/out", "--", "/bin/sh", "-c", "echo $ANNALS_NEW; env | grep -c of.all.jobs")
        self.until_state(id, "F")
        with open(os.path.join(self.work, "out")) as f:
            self.assertEqual(f.read(), "yes\n0\n")      # a comment is no variable


class signals_of_qdel(ClusterTest):      # pbs guide: resend_term_delay, kill_delay
    RESEND_S = 10      # a shell that stands still for longer sees two signals as one
    SCRIPT = "trap 'echo term >> terms' TERM\n: > ready\nwhile :; do sleep 0.1; done\n"

    def terms(self):
        try:
            with open(os.path.join(self.work, "terms")) as f:
                return len(f.readlines())
        except FileNotFoundError:
            return 0

    def job_that_bears_sigterm(self):
        self.sure("qmgr", "-c", f"set server resend_term_delay = {self.RESEND_S}")
        self.sure("qmgr", "-c", "set queue workq kill_delay = 600")
        id = self.submit("-S", "/bin/sh", input=f"cd {self.work}\n" + self.SCRIPT)
        self.until(lambda: os.path.exists(os.path.join(self.work, "ready")), "the job has its trap")
        self.until_running(id)
        return id

    def test_sigterm_comes_again(self):
        id = self.job_that_bears_sigterm()
        self.sure("qdel", id)
        self.until(lambda: self.terms() == 2, lambda: f"twice: {self.terms()}")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.sure("qdel", "-W", "force", id)
        self.until_state(id, "F")

    def test_it_comes_again_from_a_mom_that_was_started_anew(self):
        id = self.job_that_bears_sigterm()
        self.sure("qdel", id)
        self.until(lambda: self.terms() >= 1, "once")
        self.kill_daemon("pbs_mom", "a")
        self.start_daemon("pbs_mom", "a")
        self.until(lambda: self.terms() == 2, lambda: f"twice: {self.terms()}")
        self.sure("qdel", "-W", "force", id)
        self.until_state(id, "F")


if __name__ == "__main__":
    unittest.main()
