"""The server is killed again and again while eight clients submit: nothing acknowledged is lost, nothing is done twice.

A client whose connection breaks asks again with the same command id (qsub does that itself); one that gives up, since the server was away
for too long, may have been heard before, and goes on with another job. The moments of the kills are chosen from a seed, which is printed; ANNALS_SEED sets it (the
machine's own timing stays as it is).
"""
import collections
import os
import random
import re
import threading
import time
import unittest

from private_cluster import ClusterTest

CLIENTS, KILLS = 8, 20
CANNOT_CONNECT = (160, 162, 255)


class a_submission_storm(ClusterTest):
    def test_kills_of_the_server_lose_and_repeat_nothing(self):
        seed = int(os.environ.get("ANNALS_SEED") or random.SystemRandom().randrange(1 << 32))
        print(f"ANNALS_SEED={seed}")
        chance = random.Random(seed)
        self.acknowledged, self.trouble, self.stop = {}, [], threading.Event()
        clients = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            for _ in range(KILLS):
                # Between two kills some submissions get through: how many is the random moment.
                target = len(self.acknowledged) + chance.randrange(30)
                self.until(lambda: len(self.acknowledged) >= target, "submissions get through")
                time.sleep(chance.random() * 0.02)   # not a wait for anything: the moment within one submission
                self.kill_daemon("pbs_server")
                self.start_daemon("pbs_server")
        finally:
            self.stop.set()
            for client in clients:
                client.join()
        self.assertEqual(self.trouble, [])
        self.check_all()

    def client(self, number):
        count = 0
        while not self.stop.is_set():
            name = f"c{number}n{count}"
            done = self.run_command("qsub", "-N", name, "-o", "/dev/null", "-j", "oe", "--", "/bin/sh", "-c",
                                    f"echo $PBS_JOBID >> {self.work}/{name}")
            count += 1
            if done.status == 0:
                self.acknowledged[name] = done.out.strip()
            elif done.status not in CANNOT_CONNECT:
                self.trouble.append(f"{name}: {done}")
                return

    def check_all(self):
        acknowledged = dict(self.acknowledged)
        self.assertGreater(len(acknowledged), KILLS)
        self.until(lambda: not re.search(r" [QREHWT] ", self.sure("qstat")), "every job has ended", deadline_s=300)
        jobs = self.jobs()
        names = collections.Counter(job["Job_Name"] for job in jobs.values())
        self.assertEqual([name for name, times in names.items() if times > 1], [], "submitted twice")
        self.assertEqual(len(set(acknowledged.values())), len(acknowledged), "an id was given twice")
        for name, id in acknowledged.items():
            self.assertIn(id, jobs)
            self.assertEqual(jobs[id]["Job_Name"], name)
        self.until(lambda: sum(letter == "E" for letter, _, _ in self.accounting()) >= len(jobs), "the end of every job is recorded")
        records = collections.defaultdict(list)
        for letter, id, _ in self.accounting():
            records[id].append(letter)
        for id, job in jobs.items():
            self.assertEqual(job["Exit_status"], "0", id)
            with open(os.path.join(self.work, job["Job_Name"])) as f:
                self.assertEqual(f.read(), f"{id}\n", "run exactly once")
            self.assertEqual(records.pop(id), ["Q", "S", "E"], id)
        self.assertEqual(dict(records), {}, "records of no job")


if __name__ == "__main__":
    unittest.main(verbosity=2)
