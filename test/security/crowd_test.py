"""Thousands of one user's commands at once, with 1,024 open files for each daemon: each is answered or told why not within 5 s, and root's own
within 1 s. On a machine with other work these are figures of the machine: only the long form holds them against these limits.

usage: ANNALS_STAGE=$PWD/build/stage python3 test/security/crowd_test.py [--long]

The short form, which ctest runs, has 500 of them, the long one 5,000. What they do: test/bench/crowd.cpp.
"""
import os
import re
import resource
import unittest

from hostile import LONG, STAGE, HostileTest, needs_two_users

CLIENTS = 5000 if LONG else 500
FILES = 1024
CROWD_MS, ROOT_MS = (5000, 1000) if LONG else (60000, 30000)


def setUpModule():
    # A hard limit that was lowered stays: this process is for these tests alone.
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


@needs_two_users
class a_crowd_of_one_user(HostileTest):
    hosts = ["a"]

    def test_everyone_is_answered_or_told_why_and_root_soon(self):
        bench = os.path.join(os.path.dirname(STAGE), "test", "bench", "bench_crowd")
        done = self.run_command(bench, str(CLIENTS), "nobody")
        print(done.out, flush=True)
        self.assertEqual(done.status, 0, done)      # nobody was left without an answer
        slowest = {who: int(ms) for who, ms in re.findall(r"^(.*): \d+, ms .* max (\d+)$", done.out, re.M)}
        self.assertLess(max(ms for who, ms in slowest.items() if not who.startswith("beside")), CROWD_MS)
        self.assertLess(slowest["beside them, one after the other"], ROOT_MS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
