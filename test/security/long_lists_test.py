"""Whatever lists one ordinary user asks for, others are served, and the server's memory stays small: an array of 10,000 subjobs that one command
names a thousand times, lists of all subjobs from many commands at once, lists that nobody reads, jobs that depend on hundreds of others. By
ctest with bounds for a machine that is busy; `--long` with the bounds that are promised.
"""
import os
import subprocess
import threading
import time
import unittest

from hostile import LONG, BesideOthersTest, needs_two_users

ANSWER_S, JOB_S = (1, 5) if LONG else (20, 60)
LASTS_S = 30 if LONG else 5
UNREAD = 20
DEPENDS_ON = 400 if LONG else 100
MEMORY_MB = 300


@needs_two_users
class lists_of_one_user(BesideOthersTest):
    def setUp(self):
        super().setUp()
        self.nobody = self.person("nobody")
        self.array = self.submit("-h", "-J", "1-10000", "--", "/bin/true", **self.nobody)

    def start(self, *command, out=subprocess.DEVNULL):
        process = subprocess.Popen(command, env=self.environment(), cwd=self.work, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.DEVNULL, **self.nobody)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    # root's `qstat -B` and another user's job, again and again. How long each took at most.
    def others_wait(self, seconds):
        answer = job = 0
        ends = time.monotonic() + seconds
        while not job or time.monotonic() < ends:
            begun = time.monotonic()
            self.sure("qstat", "-B", timeout=ANSWER_S + 60)
            answer = max(answer, time.monotonic() - begun)
            job = max(job, self.job_of_another(JOB_S + 60))
        return answer, job

    def are_served(self, what, seconds=LASTS_S):
        answer, job = self.others_wait(seconds)
        if LONG:
            print(f"{what}: qstat -B {answer:.2f} s, a job {job:.2f} s", flush=True)
        self.assertLess(answer, ANSWER_S, what)
        self.assertLess(job, JOB_S, what)

    def memory_mb(self):
        [pid] = self.daemon_pids("pbs_server")
        with open(f"/proc/{pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024

    def test_an_array_that_is_named_a_thousand_times(self):
        lists = [self.start("qstat", "-t", *[self.array] * 1000) for _ in range(4)]
        self.are_served("an array named 1,000 times")
        for one in lists:
            one.kill()
        self.are_served("its clients are gone", 0)

    def test_lists_of_all_subjobs_at_once(self):
        for _ in range(10):
            self.submit("-h", "-J", "1-10000", "--", "/bin/true", **self.nobody)
        over = threading.Event()

        def ask():
            while not over.is_set():
                self.start("qstat", "-tf").wait()

        users = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
        for user in users:
            user.start()
        try:
            self.are_served("8 users, 110,000 subjobs")
        finally:
            over.set()

    def test_lists_that_nobody_reads(self):
        before = self.memory_mb()
        readers, unread = os.pipe()
        self.addCleanup(os.close, readers)
        for _ in range(UNREAD):
            self.start("qstat", "-tf", out=unread)
        os.close(unread)
        self.are_served(f"{UNREAD} lists that are not read")
        self.assertLess(self.memory_mb() - before, MEMORY_MB)

    def test_jobs_that_depend_on_hundreds_of_others(self):
        over = threading.Event()

        def submit():
            last = [self.submit("-h", "--", "/bin/true", **self.nobody)]
            while not over.is_set():
                last.append(self.submit("-h", "-W", "depend=afterany:" + ":".join(last[-DEPENDS_ON:]), "--", "/bin/true", **self.nobody))

        users = [threading.Thread(target=submit, daemon=True) for _ in range(3)]
        for user in users:
            user.start()
        try:
            self.are_served(f"jobs that depend on {DEPENDS_ON} others")
        finally:
            over.set()
            for user in users:
                user.join()


if __name__ == "__main__":
    unittest.main(verbosity=2)
