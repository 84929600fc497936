"""What administrators do with hosts that are there: delete one and create it again, suspend jobs for maintenance."""
import unittest

from private_cluster import ClusterTest


class a_live_host(ClusterTest):
    def test_one_that_is_deleted_and_created_is_free_again(self):
        for _ in range(2):
            self.sure("qmgr", "-c", "delete node a")
            self.assertEqual(self.sure("pbsnodes", "-av"), "")
            self.sure("qmgr", "-c", "create node a")
            self.until_free("a")
        self.until_state(self.submit("--", "/bin/true"), "F")

    def test_jobs_suspended_for_maintenance_go_on_one_after_the_other(self):
        jobs = [self.submit("--", "/bin/sleep", "1000") for _ in range(2)]
        for job in jobs:
            self.until_running(job)
        for job in jobs:
            self.sure("qsig", "-s", "admin-suspend", job)
            self.until_state(job, "S")
        waits = self.submit("--", "/bin/true")
        self.assertEqual(self.node("a")["maintenance_jobs"], ",".join(jobs))
        for job, left in zip(jobs, (jobs[1], None)):
            self.sure("qsig", "-s", "admin-resume", job)
            self.until_state(job, "R")
            self.assertEqual(self.node("a").get("maintenance_jobs"), left)
        self.until_state(waits, "F")

    # With the sched_config that is shipped: resources of the site are compared whether its `resources:` line has them or not.
    def test_what_is_asked_of_a_sites_resources_is_there(self):
        for name, flags, available in (("speed", "h", 2), ("lic", "nh", 2)):
            self.sure("qmgr", "-c", f"create resource {name} type=long, flag={flags}")
            self.sure("qmgr", "-c", f"set node a resources_available.{name} = {available}")
        asked = ["speed=2", "speed=2", "speed=3", "lic=1", "lic=1", "lic=1"]
        jobs = []
        for at, what in enumerate(asked):
            jobs.append(self.submit("-l", f"select=1:ncpus=1:{what}", "--", "/bin/sleep", "1000"))
            if at not in (2, 5):
                self.until_running(jobs[at])  # the text says how much there was when the cycle began
        for at, text in (2, "Can Never Run: Insufficient amount of resource: speed (R: 3 A: 2 T: 2)"), \
                        (5, "Not Running: Insufficient amount of resource: lic (R: 1 A: 0 T: 2)"):
            self.until(lambda: self.job(jobs[at]).get("comment", "").rstrip() == text.rstrip(), lambda: self.job(jobs[at]))
        shown = self.node("a")
        self.assertEqual((shown["resources_assigned.lic"], shown.get("resources_assigned.speed")), ("2", None))

    # No vnode has room for it when it is asked for: a cycle resumes it later.
    def test_one_that_had_no_room_goes_on_when_there_is_some(self):
        first, second = (self.submit("--", "/bin/sleep", "1000") for _ in range(2))
        for job in (first, second):
            self.until_running(job)
            self.sure("qsig", "-s", "admin-suspend", job)
            self.until_state(job, "S")
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 1")
        self.sure("qsig", "-s", "admin-resume", first)
        self.until_state(first, "R")
        self.sure("qsig", "-s", "admin-resume", second)
        self.assertEqual(self.job(second)["job_state"], "S")
        self.sure("qdel", first)
        self.until_state(second, "R")

    def node(self, name):
        shown = self.sure("pbsnodes", name)
        return dict(line.strip().split(" = ", 1) for line in shown.splitlines() if " = " in line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
