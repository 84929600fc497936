"""Scripts that go ahead of their jobs, while the server is killed again and again: every job that qsub was told of is there
once, with its script, and runs."""
import concurrent.futures
import itertools
import os
import threading
import unittest

from private_cluster import ClusterTest

CANNOT_CONNECT = (160, 162, 255)
FILLER = "# " + "x" * 77 + "\n"


class large_scripts(ClusterTest):
    kills = 6
    jobs_between_kills = 12

    def script(self, number, size):
        head = f"#!/bin/sh\necho ran >> {self.work}/ran{number}\n"
        return head + FILLER * ((size - len(head)) // len(FILLER) + 1)

    def submit_until_told(self, numbers, told):
        """Ids by number, and the numbers of which nobody was told: a qsub that has lost the server waits for it for a while only."""
        acknowledged, unsure = {}, set()
        while not told.is_set():
            number = next(numbers)
            size = 3 << 20 if number % 8 == 0 else 80 << 10         # several pieces, or one
            done = self.run_command("qsub", "-S", "/bin/sh", "-N", f"n{number}", input=self.script(number, size))
            if done.status in CANNOT_CONNECT:
                unsure.add(number)
                continue
            self.assertEqual(done.status, 0, done)
            acknowledged[number] = done.out.strip()
            self.count()
        return acknowledged, unsure

    def count(self):
        with self.lock:
            self.counted += 1

    def test_the_server_is_killed_again_and_again(self):
        self.lock, self.counted = threading.Lock(), 0
        told, numbers = threading.Event(), itertools.count(1)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            clients = [pool.submit(self.submit_until_told, numbers, told) for _ in range(4)]
            try:
                for _ in range(self.kills):
                    enough = self.counted + self.jobs_between_kills
                    self.until(lambda: self.counted >= enough or any(c.done() for c in clients), "jobs are submitted")
                    self.kill_daemon("pbs_server")
                    self.start_daemon("pbs_server")
                    self.until_answers()
            finally:
                told.set()
            results = [c.result() for c in clients]
        acknowledged = {number: id for ids, _ in results for number, id in ids.items()}
        unsure = {number for _, numbers in results for number in numbers}
        known = {id: int(job["Job_Name"].removeprefix("n")) for id, job in self.jobs().items()}
        ids = {number: id for id, number in known.items()}
        self.assertEqual(len(ids), len(known), f"a job is there twice: {known}")
        self.assertEqual({number: id for number, id in ids.items() if number not in unsure}, acknowledged)
        for number, id in ids.items():
            self.assertEqual(self.until_state(id, "F")["Exit_status"], "0", id)
            with open(os.path.join(self.work, f"ran{number}")) as f:
                self.assertEqual(f.read(), "ran\n")
        self.kill_daemon("pbs_server")
        verified = self.run_command("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), "verify")
        self.assertEqual(verified.status, 0, verified)


if __name__ == "__main__":
    unittest.main(verbosity=2)
