"""What a job uses on its hosts, told as one (docs/design/0020-jobs-across-hosts.md)."""
import shlex
import unittest

from private_cluster import STAGE, ClusterTest

HOLD = "exec perl -e '$x = \"x\" x 60000000; sleep 1000'"
HELD_KB = 60000000 // 1024


class usage_on_two_hosts(ClusterTest):
    hosts = ["a", "b"]

    def seconds(self, job, resource):
        hours, minutes, seconds = job.get(f"resources_used.{resource}", "00:00:00").split(":")
        return int(hours) * 3600 + int(minutes) * 60 + int(seconds)

    def mem_kb(self, job):
        return int(job.get("resources_used.mem", "0kb").removesuffix("kb"))

    def test_a_primary_that_was_killed_hears_again_what_its_sister_used(self):
        """The sister's task idles then: it has nothing new to tell."""
        id = self.submit("-l", "select=2:ncpus=1", "-l", "place=scatter", "-S", "/bin/sh",
                         input=f"{STAGE}/bin/pbsdsh -n 1 /bin/sh -c {shlex.quote(HOLD)} &\nexec sleep 1000\n")
        self.until_running(id)

        def idle():      # its share of a cpu has faded away: nothing will change any more
            job = self.job(id)
            return self.mem_kb(job) >= HELD_KB and job["resources_used.cpupercent"] == "0" and job
        job = self.until(idle, lambda: f"the sister's memory is counted: {self.job(id)}")
        primary = job["exec_host"].split("/")[0]
        self.kill_daemon("pbs_mom", primary)
        before = self.seconds(self.job(id), "walltime")
        self.start_daemon("pbs_mom", primary)
        self.until(lambda: self.seconds(self.job(id), "walltime") > before + 5 and self.mem_kb(self.job(id)) >= HELD_KB,
                   lambda: f"it is counted again: {self.job(id)}")
        self.sure("qdel", id)
        job = self.until_state(id, "F")
        self.assertGreaterEqual(self.mem_kb(job), HELD_KB)
        self.assertEqual(job["resources_used.ncpus"], "2")


if __name__ == "__main__":
    unittest.main()
