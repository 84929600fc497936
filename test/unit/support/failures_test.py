"""A test that fails tells what it saw last of its cluster, and the ends of the logs."""
import contextlib
import io
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "cluster-config", "minicluster"))
sys.path.insert(0, os.path.join(ROOT, "test", "system"))
import private_cluster  # noqa: E402  found by the paths above
from minicluster.layout import Layout  # noqa: E402


class a_cluster(private_cluster.ClusterTest):
    """Its files alone."""

    def setUp(self):
        self.top = self.work = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.top)
        self.dir = os.path.join(self.top, "c")
        self.cluster = mock.Mock(layout=Layout(self.dir))
        self.addCleanup(self.tell_if_failed)
        for host, log in (("server", "server_logs"), ("server", "sched_log_s1"), ("a", "mom_logs")):
            for day in "20300101", "20300102":
                self.write(os.path.join(self.home(host), log, day), "".join(f"{log} of {day}: line {n}.\n" for n in range(1, 41)))
        self.write(os.path.join(self.home("a"), "mom_priv", "mom_out"), "printed by the MoM\n")
        self.write(os.path.join(self.dir, "hosts", "server", "pbs_server.out"), "printed by the server\n")

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def waits(self):
        self.run_command("echo", "an older command")
        self.until(lambda: "state = R" in self.sure("echo", "state = Q"), "job 1 runs", deadline_s=0.1)

    def fails_in_a_subtest(self):
        with self.subTest("one"):
            self.waits()

    def has_an_error(self):
        raise OSError("no such thing")

    def passes(self):
        self.sure("echo", "state = Q")


def story_of(name):
    with contextlib.redirect_stderr(io.StringIO()) as told:
        result = unittest.TestResult()
        a_cluster(name).run(result)
    return told.getvalue(), result


class a_test_that_fails(unittest.TestCase):
    def test_tells_the_last_look_and_the_newest_lines_of_each_log(self):
        told, result = story_of("waits")
        self.assertIn("not after 0.1 s: job 1 runs", result.failures[0][1])
        self.assertEqual(told.count("---- the last look: echo state = Q\nexit 0\nstate = Q\n"), 1)
        self.assertLess(told.index("an older command"), told.index("state = Q"))
        for log in "server_logs", "sched_log_s1", "mom_logs":
            self.assertIn(f"{log}/20300102\n{log} of 20300102: line 26.\n", told)
            self.assertIn(f"{log} of 20300102: line 40.\n", told)
        self.assertNotIn("line 25.", told)
        self.assertNotIn("of 20300101", told)
        for printed in "printed by the MoM\n", "printed by the server\n":
            self.assertEqual(told.count(printed), 1)

    def test_tells_it_of_errors_and_of_subtests_too(self):
        for name in "has_an_error", "fails_in_a_subtest":
            told, result = story_of(name)
            self.assertFalse(result.wasSuccessful())
            self.assertIn("mom_logs of 20300102: line 40.\n", told)

    def test_tells_nothing_when_it_passes(self):
        told, result = story_of("passes")
        self.assertTrue(result.wasSuccessful())
        self.assertEqual(told, "")


class a_look(unittest.TestCase):
    def test_is_bounded(self):
        looks = private_cluster.failures.Looks()
        for n in range(1000):
            looks.add(["qstat", str(n)], 0, "x" * 10 ** 5 + "\n" + "y\n" * 10 ** 4, "")
        self.assertLess(len(looks.text()), 5000)
        self.assertIn("qstat 999", looks.text())
        self.assertIn("more lines)", looks.text())


if __name__ == "__main__":
    unittest.main()
