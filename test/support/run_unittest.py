"""usage: run_unittest.py SCRIPT [CASE...]     what ctest runs for a Python test

As the script's own unittest.main(), and: exit status 77 when every case was skipped; and when ANNALS_TIMEOUT seconds, after which
ctest kills, are nearly over, or at HUP, INT and TERM, the case that runs is ended with an error, so that its cleanups can still stop
what it started.
"""
import os
import signal
import sys
import unittest

SKIPPED = 77


class Ended(Exception):
    pass


class Result(unittest.TextTestResult):
    ended = False

    def end(self, number, frame):
        """Handles signals."""
        self.ended = True
        self.stop()
        while frame:
            if frame.f_code.co_name == "doCleanups":
                return      # it ends by itself
            frame = frame.f_back
        raise Ended("the time for all cases of this program is nearly over" if number == signal.SIGALRM else signal.strsignal(number))

    def startTestRun(self):
        super().startTestRun()
        limit_s = int(os.environ.get("ANNALS_TIMEOUT", 0))
        for number in (signal.SIGALRM, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.end)
        signal.alarm(limit_s * 5 // 6)

    def stopTestRun(self):
        signal.alarm(0)
        super().stopTestRun()

    def status(self):
        if self.ended or not self.wasSuccessful():
            return 1
        return SKIPPED if self.skipped and len(self.skipped) >= self.testsRun else 0


def main():
    script, cases = sys.argv[1], sys.argv[2:]
    sys.path.insert(0, os.path.dirname(script))
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    name = os.path.splitext(os.path.basename(script))[0]
    return unittest.main(name, argv=[script, *cases], testRunner=runner, exit=False).result.status()


sys.exit(main())
