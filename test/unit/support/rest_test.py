"""Daemons that rest are told from those that do not, with stand-ins for the daemons."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import rest  # noqa: E402  found by the path above

STAND_IN = """
import ctypes, os, sys, threading, time
ctypes.CDLL(None).prctl(15, b"pbs_mom", 0, 0, 0)      # PR_SET_NAME
rename, renamed = threading.Event(), threading.Event()
def wait():
    rename.wait()
    ctypes.CDLL(None).prctl(15, b"caf.actor", 0, 0, 0)
    renamed.set()
    threading.Event().wait()
def more(): threading.Thread(target=wait, daemon=True).start()
def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
more()
kept = []
while True:
    print("ready", flush=True)
    exec(sys.stdin.readline())
"""


class a_daemon(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.dir)
        self.conf = os.path.join(self.dir, "hosts", "a", "pbs.conf")
        os.makedirs(os.path.dirname(self.conf))
        self.start()
        self.before = rest.looks_at(self.dir)

    def start(self):
        self.daemon = subprocess.Popen([sys.executable, "-c", STAND_IN], env={**os.environ, "PBS_CONF_FILE": self.conf},
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(self.end, self.daemon)
        self.assertEqual(self.daemon.stdout.readline(), "ready\n")

    def end(self, daemon):
        with daemon:
            daemon.kill()

    def does(self, what, waits=True):
        self.daemon.stdin.write(what + "\n")
        if waits:
            self.assertEqual(self.daemon.stdout.readline(), "ready\n")

    def trouble(self):
        return rest.until_rest(self.dir, self.before, deadline_s=0)

    def test_that_waits_rests(self):
        self.assertEqual(list(self.before), ["pbs_mom of a"])
        self.assertEqual(rest.until_rest(self.dir, self.before), "")

    def test_that_is_never_idle_is_told_with_its_threads(self):
        self.does("busy(1000)", waits=False)
        told = self.trouble()
        self.assertRegex(told, rf"^pbs_mom of a \(pid {self.daemon.pid}\) does not rest:\n  used [0-9.]+ ms of [0-9]+ ms, its threads:\n")
        self.assertRegex(told, rf"\n    {self.daemon.pid} pbs_mom: [0-9.]+ ms, state R, wchan ")
        os.kill(self.daemon.pid, signal.SIGSTOP)      # nobody can rest who is stopped, nor do anything else
        self.assertEqual(self.trouble(), "")

    def test_that_was_busy_is_waited_for(self):
        self.does("busy(0.3)", waits=False)
        self.assertEqual(rest.until_rest(self.dir, self.before), "")

    def test_has_a_dead_child(self):
        self.does("p = os.fork() or os._exit(0); os.waitid(os.P_PID, p, os.WEXITED | os.WNOWAIT)")
        self.assertRegex(self.trouble(), r"  zombie [0-9]+ \(pbs_mom\)\n")
        self.does("os.waitpid(p, 0)")
        self.assertEqual(rest.until_rest(self.dir, self.before), "")

    def test_has_more_descriptors(self):
        self.does("kept += [open('/dev/null')]")
        self.assertRegex(self.trouble(), r"  1 more /dev/null than before: [0-9]+ -> /dev/null\n")

    def test_has_a_descriptor_of_a_process_that_is_gone(self):
        self.does("p = os.fork() or os._exit(0); kept = os.pidfd_open(p); os.waitpid(p, 0)")
        self.assertRegex(self.trouble(), "  1 more pidfd of a process that is gone than before: ")

    def test_has_more_threads(self):
        self.does("more()")
        self.assertEqual(self.trouble(), "")      # it may be Asio's
        self.does("more()")
        self.assertIn("  1 more threads pbs_mom than before\n", self.trouble())

    def test_has_threads_that_have_got_their_names(self):
        self.does("rename.set(); renamed.wait()")
        self.assertEqual(self.trouble(), "")
        self.does("renamed.clear(); more(); renamed.wait()")
        self.assertIn("  1 more threads caf.actor than before\n", self.trouble())

    def test_that_was_started_again_is_compared_with_the_first(self):
        self.end(self.daemon)
        self.start()
        self.does("kept += [open('/dev/null')]")
        self.assertIn("1 more /dev/null than before", self.trouble())


if __name__ == "__main__":
    unittest.main()
