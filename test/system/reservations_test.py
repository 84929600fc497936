"""Reservations on real daemons: confirmed, run a job, end; denied, deleted; a server that dies loses none of it."""
import time
import unittest

from at_another_time import AtAnotherTime

ANSWERED = ("-I", "100")      # the command says CONFIRMED or DENIED as soon as it is known, and not that it is not yet


class reservations(AtAnotherTime):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.sure("qmgr", "-c", "set server acl_roots = root")
        self.sure("qmgr", "-c", "set node a resources_available.ncpus = 4")

    def at(self, seconds):
        return time.strftime("%Y%m%d%H%M.%S", time.localtime(self.clock.now() + seconds))

    def reserve(self, start, lasts, *more, ncpus=2):
        said = self.sure("pbs_rsub", "-R", self.at(start), "-D", str(lasts), "-l", f"select=1:ncpus={ncpus}", *more).split()
        return said[0], said[1]

    def reservation(self, id):
        shown = self.run_command("pbs_rstat", "-f", id).out
        return dict(line.split(" = ", 1) for line in shown.splitlines() if " = " in line)

    def until_reserved(self, id, state):
        """Jobs can be submitted to it then: its queue is made just after it is confirmed."""
        queue = id.split(".")[0]
        self.until(lambda: self.run_command("qstat", "-Q", queue).status == 0, lambda: self.reservation(id))
        return self.until(lambda: (self.reservation(id).get("reserve_state") == state) and self.reservation(id),
                          lambda: self.reservation(id))

    def until_gone(self, id):
        self.until(lambda: not self.reservation(id), lambda: self.reservation(id))

    def until_queue_gone(self, id):
        queue = id.split(".")[0]
        self.until(lambda: self.run_command("qstat", "-Q", queue).status != 0, f"queue {queue} is there")

    def test_one_is_confirmed_runs_a_job_and_ends(self):
        begins = self.clock.now() + 300
        id, word = self.reserve(300, 200)
        self.assertEqual(word, "UNCONFIRMED")
        shown = self.until_reserved(id, "RESV_CONFIRMED")
        self.assertEqual((shown["resv_nodes"], shown["partition"]), ("(a:ncpus=2)", "pbs-default"))
        queue = id.split(".")[0]
        job = self.submit("-q", queue, "--", "/bin/sleep", "1000")
        waits = self.submit("-h", "-q", queue, "--", "/bin/true")
        self.assertEqual(self.job(job)["reserve_ID"], id)
        self.until(lambda: self.job(job).get("comment") == "Not Running: Queue not started.", lambda: self.job(job))
        self.assertIn(f"resv = {id}", self.sure("pbsnodes", "a"))
        self.go_on_to(begins, id)
        self.until_running(job)
        self.assertEqual(self.reservation(id)["reserve_state"], "RESV_RUNNING")
        self.go_on_to(begins + 200, id)
        self.until_state(job, "F")
        self.until_state(waits, "F")
        self.until_gone(id)
        self.until_queue_gone(id)
        self.assertEqual(self.job(job)["Exit_status"], "271")

    # MS-100
    def test_one_without_room_is_denied_and_vanishes(self):
        self.assertEqual(self.reserve(600, 60, *ANSWERED, ncpus=99)[1], "DENIED")
        began = self.clock.now()
        then = lambda seconds: began + seconds - self.clock.now()      # however long the commands before it took
        word = self.reserve(then(600), 60, *ANSWERED, ncpus=3)[1]
        self.assertEqual(word, "CONFIRMED")
        self.assertEqual(self.reserve(then(630), 60, *ANSWERED)[1], "DENIED")
        self.assertEqual(self.reserve(then(690), 60, *ANSWERED)[1], "CONFIRMED")

    def standing(self, rule, *more, in_s=600):
        return self.run_command("env", "PBS_TZID=Europe/Berlin", "pbs_rsub", "-R", self.at(in_s), "-D", "1", "-l", "select=1:ncpus=1",
                                "-r", rule, *more)

    def test_any_rule_is_answered_and_holds_nobody_up(self):
        listed = lambda part, count: f"{part}=" + ",".join(map(str, range(count)))
        never = "COUNT=1;BYMONTH=2;BYMONTHDAY=30"
        times = ";".join([listed("BYHOUR", 24), listed("BYMINUTE", 60), listed("BYSECOND", 60)])
        for rule in (f"FREQ=DAILY;{never};{times}", f"FREQ=SECONDLY;{never}", f"FREQ=YEARLY;{never}"):
            done = self.standing(rule)
            self.assertNotEqual(done.status, 0)
            self.assertIn("Undefined iCalendar syntax: no occurrence in the next ", done.err)
        for number in range(10):        # one behind the other: there are few cpus
            done = self.standing("FREQ=DAILY;COUNT=3999", *ANSWERED, in_s=600 + 60 * number)
            self.assertEqual(done.out.split()[1:], ["CONFIRMED"], done)
        shown = self.reservation(done.out.split()[0])
        self.assertEqual((shown["reserve_count"], shown["reserve_index"]), ("3999", "1"))
        self.until_state(self.submit("-l", "walltime=60", "--", "/bin/true"), "F")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.reservation(done.out.split()[0]), shown)

    def test_one_that_is_deleted_takes_its_jobs_with_it(self):
        id, _ = self.reserve(600, 60, *ANSWERED)
        job = self.submit("-q", id.split(".")[0], "--", "/bin/true")
        self.sure("pbs_rdel", id)
        self.until_gone(id)
        self.until_state(job, "F")
        self.until_queue_gone(id)
        self.assertNotEqual(self.run_command("pbs_rdel", id).status, 0)

    def test_a_job_makes_its_own_when_it_starts(self):
        job = self.submit("-h", "-l", "walltime=600", "--", "/bin/sleep", "1000")
        self.sure("qalter", "-W", "create_resv_from_job=true", job)
        self.sure("qrls", job)
        id = self.until(lambda: self.job(job).get("reserve_ID"), lambda: self.job(job))
        shown = self.reservation(id)
        self.assertEqual((shown["reserve_job"], shown["reserve_state"], shown["reserve_duration"]), (job, "RESV_RUNNING", "600"))
        self.assertEqual(self.job(job)["queue"], id.split(".")[0])
        self.sure("pbs_rdel", id)
        self.until_state(job, "F")
        self.until_gone(id)

    def test_jobs_that_would_be_in_the_way_wait(self):
        self.reserve(120, 600, *ANSWERED, ncpus=4)
        long = self.submit("-l", "select=1:ncpus=1", "-l", "walltime=1:00:00", "--", "/bin/sleep", "1000")
        short = self.submit("-l", "select=1:ncpus=1", "-l", "walltime=5", "--", "/bin/sleep", "1")
        self.until_state(short, "F")
        self.assertEqual(self.job(long)["job_state"], "Q")

    def test_a_server_that_dies_loses_no_reservation(self):
        begins = self.clock.now() + 300
        id, _ = self.reserve(300, 200, *ANSWERED)
        job = self.submit("-q", id.split(".")[0], "--", "/bin/sleep", "1000")
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.reservation(id)["reserve_state"], "RESV_CONFIRMED")
        self.go_on_to(begins, id)
        self.until_running(job)
        self.kill_daemon("pbs_server")
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(self.reservation(id)["reserve_state"], "RESV_RUNNING")
        self.go_on_to(begins + 200, id)
        self.until_state(job, "F")
        self.until_gone(id)
        self.until_queue_gone(id)

    def test_one_without_its_vnode_is_degraded(self):
        id, _ = self.reserve(600, 60, *ANSWERED)
        self.sure("pbsnodes", "-o", "a")
        self.until_reserved(id, "RESV_DEGRADED")
        self.sure("pbsnodes", "-r", "a")
        self.until_reserved(id, "RESV_CONFIRMED")

    def test_its_times_change(self):
        id, _ = self.reserve(600, 60, *ANSWERED)
        self.assertEqual(self.sure("pbs_ralter", "-D", "90", *ANSWERED, id).strip(), f"pbs_ralter: {id} CONFIRMED")
        self.assertEqual(self.reservation(id)["reserve_duration"], "90")


if __name__ == "__main__":
    unittest.main()
