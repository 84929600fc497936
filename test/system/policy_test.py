"""The site's policy on a real cluster: prime time, dedicated time, the order of jobs, amounts that a program tells."""
import os
import time
import unittest

from private_cluster import ClusterTest, signal

ALWAYS = "weekday {0}\nsaturday {0}\nsunday {0}\n"
PRIME, NON_PRIME = ALWAYS.format("all none"), ALWAYS.format("none all")


class PolicyTest(ClusterTest):
    def priv(self, name):
        return os.path.join(self.home(), "sched_priv", name)

    def hup(self):
        os.kill(self.daemon_pids("pbs_sched")[0], signal.SIGHUP)

    def put(self, file, text):
        """The scheduler has read it when it said so once more."""
        with open(self.priv(file), "w") as f:
            f.write(text)
        before = self.log("sched_logs").count("Updating scheduler attributes")
        self.hup()
        self.until(lambda: self.log("sched_logs").count("Updating scheduler attributes") > before, "the scheduler reads its files")

    def configure(self, *lines):
        with open(self.priv("sched_config")) as f:
            kept = f.read()
        self.put("sched_config", kept + "".join(line + "\n" for line in lines))

    def queue(self, name):
        self.sure("qmgr", "-c", f"create queue {name} queue_type=e,enabled=t,started=t")

    def until_comment(self, id, text):
        self.until(lambda: self.job(id).get("comment") == text, lambda: self.job(id))

    def refused(self, status, text, *command):
        done = self.run_command(*command)
        self.assertEqual((done.status, text in done.err), (status, True), done)

    def order_of_starts(self, *ids):
        self.sure("qmgr", "-c", "set server scheduling = True")
        for id in ids:
            self.until_recorded(id, "S", "S")
        return [id for letter, id, _ in self.accounting() if letter == "S" and id in ids]


class times(PolicyTest):
    def test_queues_of_a_time_run_in_that_time(self):
        for name in "p_q", "np_q":
            self.queue(name)
        self.put("holidays", NON_PRIME)
        by_day = self.submit("-q", "p_q", "--", "/bin/true")
        by_night = self.submit("-q", "np_q", "--", "/bin/true")
        self.until_state(by_night, "F")
        self.until_comment(by_day, "Not Running: Job will run in primetime only")
        self.put("holidays", PRIME)
        self.sure("qmgr", "-c", "set server scheduling = True")
        self.until_state(by_day, "F")
        self.until_comment(self.submit("-q", "np_q", "--", "/bin/true"), "Not Running: Job will run in nonprimetime only")

    def test_no_job_runs_into_dedicated_time(self):
        self.queue("ded_q")
        at = [time.strftime("%m/%d/%Y %H:%M", time.localtime(time.time() + minutes * 60)) for minutes in (30, 120)]
        self.put("dedicated_time", " ".join(at) + "\n")
        short = self.submit("-l", "walltime=10:00", "--", "/bin/true")
        long = self.submit("-l", "walltime=2:00:00", "--", "/bin/true")
        endless = self.submit("--", "/bin/true")
        dedicated = self.submit("-q", "ded_q", "-l", "walltime=10:00", "--", "/bin/true")
        self.until_state(short, "F")
        for id in long, endless:
            self.until_comment(id, "Not Running: Job would cross dedicated time boundary")
        self.until_comment(dedicated, "Not Running: Dedicated time conflict")

    def test_a_job_is_shrunk_to_end_before_a_reservation(self):
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 2")
        begin = time.strftime("%Y%m%d%H%M.%S", time.localtime(time.time() + 900))
        self.sure("pbs_rsub", "-I", "100", "-R", begin, "-D", "600", "-l", "select=1:ncpus=2")
        too_long = self.submit("-l", "min_walltime=20:00", "-l", "max_walltime=5:00:00", "--", "/bin/true")
        id = self.submit("-l", "min_walltime=5:00", "-l", "max_walltime=5:00:00", "--", "/bin/true")
        self.until_state(id, "F")
        walltime = self.job(id)["Resource_List.walltime"]
        self.assertRegex(walltime, r"\A00:1(5:00|[0-4]:\d\d)\Z")
        self.until_recorded(id, "E", "E")
        for letter, of, rest in self.accounting():
            if of == id and letter in "SE":
                self.assertIn(f" Resource_List.walltime={walltime} ", rest)
        self.until_comment(too_long, "Not Running: Job would conflict with reservation or top job")
        self.assertNotIn("Resource_List.walltime", self.job(too_long))


class order(PolicyTest):
    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 1")

    def test_a_formula_is_checked_and_orders(self):         # MS-120
        self.refused(19, "Invalid Formula Format", "qmgr", "-c", 'set server job_sort_formula="ncpus+"')
        self.refused(20, "Formula contains invalid keyword", "qmgr", "-c", 'set server job_sort_formula="foo*2"')
        self.sure("qmgr", "-c", 'set server job_sort_formula="job_priority * 2"')
        self.refused(122, "Server's job_sort_formula value is incompatible with sched's", "qmgr", "-c", 'set sched job_sort_formula="ncpus"')
        self.sure("qmgr", "-c", "set server scheduling = False")
        low, high, middle = (self.submit("-p", p, "--", "/bin/true") for p in ("1", "9", "5"))
        self.assertEqual(self.order_of_starts(low, high, middle), [high, middle, low])
        self.sure("qmgr", "-c", "set sched job_sort_formula_threshold=10")
        waits = self.submit("-p", "5", "--", "/bin/true")
        self.until_comment(waits, "Not Running: Job is under job_sort_formula threshold value")
        self.until_state(self.submit("-p", "6", "--", "/bin/true"), "F")
        self.assertEqual(self.job(waits)["job_state"], "Q")

    def test_job_sort_key_orders(self):
        self.configure('job_sort_key: "walltime HIGH" ALL')
        self.sure("qmgr", "-c", "set server scheduling = False")
        short, long, endless = (self.submit(*words, "--", "/bin/true") for words in (["-l", "walltime=100"], ["-l", "walltime=300"], []))
        self.assertEqual(self.order_of_starts(short, long, endless), [long, short, endless])


class eligible_time(PolicyTest):
    def accrues(self, id):
        job = self.job(id)
        return job.get("accrue_type"), job.get("eligible_time")

    def test_it_grows_while_a_job_waits_for_its_turn_only(self):
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 1")
        self.sure("qmgr", "-c", "set server eligible_time_enable = True")
        runs = self.submit("--", "/bin/sleep", "1000")
        self.until_running(runs)
        waits, held = self.submit("--", "/bin/true"), self.submit("-h", "--", "/bin/true")
        self.until(lambda: self.accrues(waits)[1] >= "00:00:02", lambda: self.job(waits))
        self.assertEqual(self.accrues(waits)[0], "2")
        self.assertEqual(self.accrues(held), ("1", "00:00:00"))
        self.assertEqual(self.accrues(runs)[0], "3")
        self.sure("qmgr", "-c", "set server max_run = [o:PBS_ALL=1]")
        self.until(lambda: self.accrues(waits)[0] == "1", lambda: self.job(waits))      # a limit keeps it back
        self.sure("qmgr", "-c", "unset server max_run")
        self.until(lambda: self.accrues(waits)[0] == "2", lambda: self.job(waits))
        self.sure("qalter", "-W", "eligible_time=1:00:00", waits)
        self.assertTrue(self.accrues(waits)[1] >= "01:00:00")
        self.sure("qmgr", "-c", "set server eligible_time_enable = False")
        self.assertEqual(self.accrues(waits), (None, None))


class amounts_of_programs(PolicyTest):
    def test_jobs_wait_for_licences(self):
        script = self.priv("licences")

        def tell(amount):
            with open(script, "w") as f:
                f.write(f"#!/bin/sh\necho {amount}\n")
            os.chmod(script, 0o755)

        tell(1)
        self.sure("qmgr", "-c", "create resource lic type=long")
        self.configure(f'server_dyn_res: "lic !{script}"', 'resources: "lic"')
        waits = self.submit("-l", "lic=2", "--", "/bin/true")
        self.until_comment(waits, "Can Never Run: Insufficient amount of server resource: lic (R: 2 A: 1 T: 1)")
        tell(2)
        self.sure("qmgr", "-c", "set server scheduling = True")
        self.until_state(waits, "F")
        go = self.priv("go")      # while a program takes its time the scheduler shows that it is in a cycle (MS-44)
        begun = lambda: self.log("sched_logs").count(";Starting Scheduling Cycle\n")
        before = begun()
        with open(script, "w") as f:
            f.write(f"#!/bin/sh\nwhile [ ! -e {go} ]; do sleep 0.05; done\necho 2\n")
        slow = self.submit("-l", "lic=2", "--", "/bin/true")
        self.until(lambda: "state = scheduling\n" in self.sure("qmgr", "-c", "list sched"), "it is in a cycle")
        self.assertGreater(begun(), before)
        open(go, "w").close()
        self.until_state(slow, "F")
        self.put("sched_config", 'server_dyn_res: "lic !/nosuch"\n')
        said = "Error reading line 1: server_dyn_res script /nosuch does not exist"
        self.until(lambda: said in self.log("sched_logs"), said)


if __name__ == "__main__":
    unittest.main()
