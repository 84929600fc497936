"""Jobs with scripts of 1 KB to 50 MB are submitted and run while server and MoM are killed again and again: each that qsub was told of is there
once, under a number that no other has, and runs once, to the last line of its script; the log is sound.

usage: ANNALS_STAGE=$PWD/build/stage [ANNALS_SEED=n] python3 test/durability/scripts_test.py [--long]

The short form has 6 kills, the long one 60. ctest runs the short one, with the same seed each time; the machine's own timing stays as it is.
"""
import concurrent.futures
import glob
import itertools
import os
import random
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from private_cluster import DEADLINE_S, ClusterTest  # noqa: E402  found by the path above

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
KILLS = 60 if LONG else 6
JOBS_BETWEEN_KILLS = 6
CLIENTS = 3
KB, MB = 1 << 10, 1 << 20
# In an event, in one piece ahead of its job, at and beside the borders, in many pieces.
SIZES = [KB, 63 * KB, 64 * KB, 64 * KB + 1, 80 * KB, MB, 3 * MB, 10 * MB, 50 * MB]
WEIGHTS = [6, 3, 3, 3, 3, 3, 2, 1, 1]
CANNOT_CONNECT = (160, 162, 255)
LINE = 80


class scripts_of_all_sizes(ClusterTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        self.lock, self.counted = threading.Lock(), 0
        self.told, self.numbers = threading.Event(), itertools.count(1)
        seed = int(os.environ.get("ANNALS_SEED") or (random.SystemRandom().randrange(1 << 32) if LONG else 3))
        print(f"ANNALS_SEED={seed}", flush=True)
        self.seed = seed

    def script(self, number, size):
        """Of just this size; its last line says that it has run."""
        last = f"\necho $PBS_JOBID >> {self.work}/ran{number}\n"
        filler = (f"#{number:078d}\n" * (size // LINE + 1))[:size - len(last) - 10]
        return "#!/bin/sh\n" + filler + last

    def submit_until_told(self, client):
        """number -> id of what was acknowledged."""
        chance = random.Random(f"{self.seed} {client}")
        sizes = SIZES[::-1][client::CLIENTS]          # each of them comes at least once
        acknowledged = {}
        while sizes or not self.told.is_set():
            number = next(self.numbers)
            size = sizes.pop() if sizes else chance.choices(SIZES, WEIGHTS)[0]
            script = self.script(number, size)
            self.assertEqual(len(script), size)
            submit = lambda: self.run_command("qsub", "-S", "/bin/sh", "-N", f"n{number}", "-o", "/dev/null", "-j", "oe", input=script)
            while (done := submit()).status in CANNOT_CONNECT:
                self.assertNotIn(f"n{number} ", self.names(), "it was told that there is no job, and there is one")
            self.assertEqual(done.status, 0, done)
            acknowledged[number] = done.out.strip()
            with self.lock:
                self.counted += 1
        return acknowledged

    def names(self):
        """Of all jobs, as soon as the server says."""
        self.until_answers()
        return self.run_command("qstat", "-x").out

    def test_while_daemons_are_killed(self):
        chance = random.Random(self.seed)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self.submit_until_told, client) for client in range(CLIENTS)]
            try:
                for _ in range(KILLS):
                    enough = self.counted + chance.randrange(1, JOBS_BETWEEN_KILLS)
                    self.until(lambda: self.counted >= enough or any(c.done() for c in clients), "jobs are submitted")
                    daemon, host = chance.choice([("pbs_server", "server")] * 3 + [("pbs_mom", "a")])
                    self.kill_daemon(daemon, host)
                    self.start_daemon(daemon, host)
                self.until_answers()
            finally:
                self.told.set()
            acknowledged = {number: id for c in clients for number, id in c.result(DEADLINE_S).items()}
        self.check(acknowledged)

    def check(self, acknowledged):
        self.assertEqual(len(set(acknowledged.values())), len(acknowledged), "a number was given twice")
        for number, id in acknowledged.items():
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0", id)
            with open(os.path.join(self.work, f"ran{number}")) as f:
                self.assertEqual(f.read(), id + "\n")
        self.assertEqual(sorted(self.jobs()), sorted(acknowledged.values()))
        self.assertEqual(len(glob.glob(os.path.join(self.work, "ran*"))), len(acknowledged))
        self.kill_daemon("pbs_server")
        verified = self.run_command("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), "verify")
        self.assertEqual(verified.status, 0, verified)
        # Uploads that a kill has cut off leave nothing behind.
        self.start_daemon("pbs_server")
        self.until_answers()
        self.assertEqual(os.listdir(os.path.join(self.home(), "server_priv", "uploads")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
