"""Hosts with networks of their own (root): one that is cut off is down, its job goes on, and all is well when it is back."""
import os
import subprocess
import unittest

from private_cluster import ClusterTest

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "true"],
                                                  capture_output=True).returncode == 0


@unittest.skipUnless(NAMESPACES, "hosts with networks of their own need root")
class a_cut_off_host(ClusterTest):
    plain = False
    hosts = ["a", "b"]

    def state(self, host):
        done = self.run_command("qmgr", "-c", f"list node {host} state")
        return done.out.partition("state = ")[2].strip()

    def test_its_job_goes_on_and_is_reported_when_it_is_back(self):
        go = os.path.join(self.work, "go")
        id = self.submit("-l", "select=1:host=b", "-S", "/bin/sh",
                         input=f"while [ ! -e {go} ]; do sleep 0.05; done\nuname -n > {self.work}/ran_on\nexit 9\n")
        self.until_running(id)
        self.cluster.set_link("b", False)
        self.until(lambda: "down" in self.state("b"), "the server misses b")
        self.assertEqual(self.state("a"), "free")
        elsewhere = self.submit("--", "/bin/true")
        self.assertEqual(self.until_state(elsewhere, "F")["exec_host"], "a/0")
        open(go, "w").close()
        self.until(lambda: os.path.exists(os.path.join(self.work, "ran_on")), "the job ends unheard")
        self.assertEqual(self.job(id)["job_state"], "R")
        self.cluster.set_link("b", True)
        self.assertEqual(self.until_state(id, "F")["Exit_status"], "9")
        self.until_free("b")
        with open(os.path.join(self.work, "ran_on")) as f:
            self.assertEqual(f.read(), "b\n")

    def test_a_host_that_lost_its_power_comes_back_without_its_job(self):
        id = self.submit("-l", "select=1:host=b", "-r", "y", "--", "/bin/sleep", "1000")
        self.until_running(id)
        self.cluster.kill("b")
        self.until(lambda: "down" in self.state("b"), "the server misses b")
        self.cluster.start("b")
        self.until_free("b")
        # The program is gone with its host; nobody knows how far it came, so it is run again.
        self.until(lambda: (self.job(id) or {}).get("run_count") == "2", lambda: f"job {id} runs again: {self.job(id)}")
        self.until_running(id)
        self.sure("qdel", id)
        self.until_state(id, "F")


if __name__ == "__main__":
    unittest.main(verbosity=2)
