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


if __name__ == "__main__":
    unittest.main()
