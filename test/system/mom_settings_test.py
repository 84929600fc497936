"""Settings of a MoM: what lines of mom_priv/config change for jobs, hooks and vnodes, at the start and at HUP."""
import os
import unittest

from mom_hooks import MomHookTest
from private_cluster import signal


class MomSettingsTest(MomHookTest):
    hosts = ["a"]

    def set_in_mom(self, *lines, host="a"):
        """These lines besides those that the mini-cluster wrote; until the MoM has read them."""
        path = os.path.join(self.home(host), "mom_priv", "config")
        if not hasattr(self, "first_lines"):
            with open(path) as f:
                self.first_lines = f.read() + "$logevent 0xffff\n"
        with open(path, "w") as f:
            f.write("".join([self.first_lines, *(line + "\n" for line in lines), "$end_of_settings\n"]))
        said = "unknown setting $end_of_settings"
        before = self.mom_log(host).count(said)
        os.kill(self.daemon_pids("pbs_mom", host)[0], signal.SIGHUP)
        self.until(lambda: self.mom_log(host).count(said) > before, "the MoM has read its settings")


class rejected_scripts(MomSettingsTest):      # $reject_root_scripts
    TEXT = "mom not accepting remote hook files or root job scripts"

    @unittest.skipIf(os.geteuid() != 0, "only root has jobs of root")
    def test_a_job_of_root_waits_in_its_queue_until_the_host_takes_it(self):
        self.set_in_mom("$reject_root_scripts true")
        id = self.submit("--", "/bin/true")
        self.until(lambda: self.TEXT in self.mom_log("a"), "the MoM refuses it")
        self.until(lambda: self.TEXT in self.job(id).get("comment", ""), lambda: f"the job says why: {self.job(id)}")
        self.set_in_mom()
        self.run_command("qrls", "-h", "s", id)        # it may have been tried too often meanwhile
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "0")

    def test_hooks_stay_as_they_are(self):
        self.mom_hook("h", "execjob_begin", self.script(says="'first'"))
        self.set_in_mom("$reject_root_scripts true")
        self.sure("qmgr", "-c", f"import hook h application/x-python default {self.file('other.py', self.script(says=repr('second')))}")
        self.until(lambda: f";Hook;h;{self.TEXT}\n" in self.mom_log("a"), "the MoM refuses the script")
        self.set_in_mom("$reject_root_scripts false")
        self.until(lambda: "second" in self.file_of_hook("h.PY"), "it takes it now")

    def file_of_hook(self, name):
        with open(os.path.join(self.home("a"), "mom_priv", "hooks", name)) as f:
            return f.read()


class time_of_a_host(MomSettingsTest):      # $cputmult, $wallmult
    BURN = "import time\nwhile time.process_time() < 1.2: pass\n"

    def test_what_is_used_counts_as_the_host_says(self):
        self.set_in_mom("$cputmult 60", "$wallmult 3600")
        id = self.submit("-l", "walltime=100:00:00", "--", "/usr/bin/python3", "-c", self.BURN)
        job = self.until_state(id, "F")
        self.assertEqual(job["Exit_status"], "0")
        self.assertGreaterEqual(job["resources_used.cput"], "00:01:00")
        self.assertGreaterEqual(int(job["resources_used.walltime"].split(":")[0]), 1)
        self.until(lambda: any(of == id and letter == "E" and f"resources_used.cput={job['resources_used.cput']}" in rest
                               for letter, of, rest in self.accounting()), "its record says so too")

    def test_limits_are_in_the_same_time(self):
        self.set_in_mom("$cputmult 1000", "$wallmult 1000")
        late = self.submit("-l", "walltime=00:15:00", "--", "/bin/sleep", "1000")
        busy = self.submit("-l", "cput=00:15:00", "--", "/bin/sh", "-c", "while :; do :; done")
        self.assertEqual(self.until_state(late, "F")["Exit_status"], "-29")
        self.assertIn(self.until_state(busy, "F")["Exit_status"], ("-28", str(256 + signal.SIGXCPU), str(256 + signal.SIGKILL)))


class options_of_a_mom(MomSettingsTest):      # -c, -C, -L, -M, -S
    def mom(self, *options):
        return self.run_command("env", f"PBS_CONF_FILE={self.cluster.layout.conf('a')}", "pbs_mom", *options)

    def test_settings_and_log_lie_elsewhere(self):
        log = os.path.join(self.top, "mom.log")
        with open(os.path.join(self.home("a"), "mom_priv", "other"), "w") as f:
            f.write("$logevent 0xffff\n$settings_of_other\n")
        before = self.mom_log("a")
        self.kill_daemon("pbs_mom", "a")
        self.cluster.machines["a"].start_daemon("pbs_mom", "-c", "other", "-L", log)
        self.until_free("a")
        with open(log) as f:
            text = f.read()
        self.assertIn("unknown setting $settings_of_other", text)
        self.assertEqual(self.mom_log("a"), before)
        self.assertEqual(self.until_state(self.submit("--", "/bin/true"), "F")["Exit_status"], "0")

    def test_what_makes_no_sense_is_refused(self):
        for letter, value in (("L", "mom.log"), ("M", "0"), ("M", "x"), ("S", "70000"), ("C", ""), ("c", "")):
            done = self.mom(f"-{letter}", value)
            self.assertEqual((done.status, done.err.split("\n")[0]), (2, f"pbs_mom: illegal -{letter} value"))
        done = self.run_command("pbs_server", "-L", "server.log")
        self.assertEqual((done.status, done.err.split("\n")[0]), (2, "pbs_server: illegal -L value"))
        done = self.mom("-c", "nowhere")
        self.assertEqual(done.status, 1)
        self.assertIn("cannot read ", done.err)
        self.assertIn("mom_priv/nowhere", done.err)


if __name__ == "__main__":
    unittest.main()
