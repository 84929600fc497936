"""The clock of the server's machine is wrong for a moment, and right again: the server believes it again at once."""
import glob
import json
import os
import re
import time
import unittest

from private_cluster import ClusterTest
from moved_clock import COMPILER, MovedClock

SERVER = "pbs_server"
WEEK_S = 7 * 86400
TWO_YEARS_S = 2 * 366 * 86400


@unittest.skipUnless(COMPILER, "no C compiler, to build what gives a daemon a wrong clock")
class a_server_whose_clock_is_wrong(ClusterTest):
    def before_up(self):
        self.clock = MovedClock(self.top)

    def setUp(self):
        super().setUp()
        self.stop()
        self.start()

    def environment(self):
        """Commands are typed on the server's machine."""
        return {**super().environment(), **self.clock.environment()}

    def stop(self):
        self.sure("qterm")
        self.until(lambda: not self.daemon_pids(SERVER), "the server has gone")

    def start(self, *arguments):
        machine = self.cluster.machines["server"]
        with open(self.cluster.layout.output("server", SERVER), "a") as out:
            status = machine.launch(["/usr/bin/env", *(f"{name}={value}" for name, value in self.clock.environment().items()),
                                     machine.program(SERVER), *arguments], out)
        self.assertEqual(status, 0, self.server_log())
        self.until_free("a")

    def held(self):
        return self.submit("-h", "--", "/bin/true")

    def qtime(self, id):
        return time.mktime(time.strptime(self.job(id)["qtime"]))

    def steps(self):
        events = [json.loads(line) for line in self.audit("log", "--kind", "log", "--json").splitlines()]
        return [event for event in events if event["kind"] == "LogClockSteppedBack"]

    def assert_now(self, seconds):
        self.assertLess(abs(seconds - time.time()), 120)

    def all_logs_of_the_server(self):
        """Their days are those of the wrong clock too."""
        text = ""
        for path in glob.glob(os.path.join(self.home(), "server_logs", "*")):
            with open(path) as f:
                text += f.read()
        return text

    def until_the_step_is_logged(self):
        self.until(lambda: re.search(r"PBS_Server;the clock went back from .* to ", self.all_logs_of_the_server()), "the server's log says so")

    def is_recorded_now(self, letter, id):
        """In an accounting file of a day that there was already."""
        for path in glob.glob(os.path.join(self.home(), "server_priv", "accounting", "*")):
            with open(path) as f:
                if os.path.basename(path) <= time.strftime("%Y%m%d") and f";{letter};{id};" in f.read():
                    return True
        return False

    def test_a_week_ahead_for_a_moment_and_back(self):
        go = os.path.join(self.work, "go")
        before = self.submit("--", "/bin/sh", "-c", f"while [ ! -e {go} ]; do sleep 0.05; done")
        self.until_running(before)
        self.clock.set_ahead(WEEK_S)
        ahead = self.held()
        self.assertGreater(self.qtime(ahead), time.time() + WEEK_S - 120)
        self.clock.set_ahead(0)
        after = self.submit("--", "/bin/true")
        self.assert_now(self.qtime(after))
        self.assertEqual(len(self.steps()), 1)
        open(go, "w").close()
        self.sure("qrls", ahead)
        for id in (before, ahead, after):
            job = self.until_state(id, "F")
            self.assertEqual(job["Exit_status"], "0")
            self.assert_now(time.mktime(time.strptime(job["stime"])))
            self.assertRegex(job["resources_used.walltime"], r"^00:\d\d:\d\d$")      # no week
            self.until(lambda: self.is_recorded_now("E", id), f"the end of {id} is in a file of now")
        self.assertFalse(self.is_recorded_now("Q", ahead))
        self.until_the_step_is_logged()
        self.assertIn("the clock went back from ", self.audit("log", "--kind", "log"))
        for check in (("verify",), ("accounting", "--check")):
            done = self.run_command("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), *check)
            self.assertEqual(done.status, 0, done)
        # What is asked of now, and of the week to come, is the end of the log.
        for when in (time.time() + 1, time.time() + 2 * WEEK_S):
            then = self.sure("qstat", "--at", str(int(when)), "-x", "-f", after)
            self.assertIn("job_state = F", then)

    def test_a_start_whose_clock_is_behind_the_log(self):
        self.clock.set_ahead(WEEK_S)
        self.held()
        self.stop()
        self.clock.set_ahead(0)
        self.start()
        self.assert_now(self.qtime(self.held()))
        self.assertEqual(len(self.steps()), 1)
        self.until_the_step_is_logged()

    def test_what_is_too_far_back_is_believed_when_somebody_says_so(self):
        self.clock.set_ahead(TWO_YEARS_S)
        self.held()
        self.clock.set_ahead(0)
        id = self.held()
        self.assertGreater(self.qtime(id), time.time() + TWO_YEARS_S - 120)
        self.until(lambda: "start the server once with --accept-clock" in self.all_logs_of_the_server(), "the server's log says so")
        self.assertEqual(self.steps(), [])
        self.stop()
        self.start("--accept-clock")
        self.assert_now(self.qtime(self.held()))
        self.assertEqual(len(self.steps()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
