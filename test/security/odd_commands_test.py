"""Whatever one ordinary user types, others are served: his commands are drawn at random (odd_commands.py), several at a time, while root asks
`qstat -B` again and again and somebody else's jobs start and end on a host of their own. By ctest for some seconds, always the same commands,
with bounds for a machine that is busy; `--long` for a minute, others each time, with the bounds that are promised (others beside it change these
times). ANNALS_SEED=N draws what a run drew that has printed N.
"""
import os
import random
import subprocess
import threading
import time
import unittest

from hostile import LONG, BesideOthersTest, needs_two_users
from odd_commands import Drawer

LASTS_S, ANSWER_S, JOB_S = (60, 1, 5) if LONG else (6, 20, 60)
AT_A_TIME = 4
LEARNT_BYTES = 64 * 1024  # of what a command prints: to look through 100 MB would stop the other threads, which measure
COMMAND_S = 10            # a command that takes longer is killed, as its user would


@needs_two_users
class odd_commands(BesideOthersTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("ANNALS_SEED") or (random.SystemRandom().randrange(10**9) if LONG else 1))
        self.looks.add(["ANNALS_SEED"], 0, str(self.seed), "")

    def type_commands(self, number, over, typed):
        drawer = Drawer(random.Random(self.seed * AT_A_TIME + number), ["a", "b", "server"])
        who = self.person("nobody")
        while not over.is_set():
            command = drawer.command()
            begun = time.monotonic()
            try:
                done = subprocess.run(command, env=self.environment(), cwd=self.work, capture_output=True, stdin=subprocess.DEVNULL,
                                      timeout=COMMAND_S, check=False, **who)
                drawer.learn(done.stdout[:LEARNT_BYTES].decode(errors="replace"))
                status = done.returncode
            except subprocess.TimeoutExpired:
                status = "killed"
            except OSError:       # arguments that are too long
                continue
            typed.append((time.monotonic() - begun, status, command))

    def test_others_are_served(self):
        over, typed = threading.Event(), []
        users = [threading.Thread(target=self.type_commands, args=(n, over, typed), daemon=True) for n in range(AT_A_TIME)]
        for user in users:
            user.start()
        answers, jobs = [], []
        ends = time.monotonic() + LASTS_S
        try:
            while time.monotonic() < ends or not jobs:
                begun = time.monotonic()
                self.sure("qstat", "-B", timeout=ANSWER_S + 60)
                answers.append(time.monotonic() - begun)
                jobs.append(self.job_of_another(JOB_S + 60))
        finally:
            over.set()
            for user in users:
                user.join()
        slowest = sorted(typed, key=lambda t: t[0])[-5:]
        told = (f"seed {self.seed}: {len(typed)} commands, {sum(s == 0 for _, s, _ in typed)} of them took effect; {len(answers)} answers, the "
                f"slowest after {max(answers):.2f} s; {len(jobs)} jobs, the slowest after {max(jobs):.2f} s")
        if LONG:
            print(told, *slowest, sep="\n")
        self.assertGreater(len(typed), AT_A_TIME)
        self.assertLess(max(answers), ANSWER_S, f"{told}; {slowest}"[:4000])
        self.assertLess(max(jobs), JOB_S, f"{told}; {slowest}"[:4000])
        self.assertEqual([t for t in typed if isinstance(t[1], int) and t[1] < 0], [], f"{told}: commands died of a signal")


if __name__ == "__main__":
    unittest.main()
