#!/usr/bin/env python3
"""Logs that were written by a version of Annals, and what they say: every later version must read the same from them.

Beside each logs.tar.xz stands what pbs_audit said of its logs when they were made: all records, the verification, states in between and
at the end with their digests, the accounting, the usage of each job and of all, the runs of hooks. make_golden_logs.py makes them.

usage: golden_logs_test.py                 compares (unittest)
       golden_logs_test.py --record        writes anew what stands beside, when the words of pbs_audit were changed on purpose
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ.get("ANNALS_STAGE") or os.path.join(HERE, "..", "..", "build", "stage")
AUDIT = os.path.join(os.path.abspath(STAGE), "sbin", "pbs_audit")
STATES = 12        # so many moments of a log are replayed


class Says:
    """pbs_audit on the logs of one version, unpacked into a directory of their own."""

    def __init__(self, version, directory):
        self.directory = directory
        with tarfile.open(os.path.join(HERE, version, "logs.tar.xz")) as packed:
            packed.extractall(directory)
        self.logs = sorted(os.listdir(directory))

    def audit(self, log, *arguments):
        """What it prints, and how it ends if not well."""
        done = subprocess.run([AUDIT, "--log", log, *arguments], cwd=self.directory, capture_output=True, text=True,
                              env={**os.environ, "TZ": "UTC", "LC_ALL": "C"}, stdin=subprocess.DEVNULL)
        return done.stdout + done.stderr + (f"exit status {done.returncode}\n" if done.returncode else "")

    def accounting(self, log):
        days = os.path.join(self.directory, "days")
        text = re.sub(r"^.*/", "", self.audit(log, "accounting", "--rebuild", days))
        for path in sorted(glob.glob(days + "/*")):
            with open(path) as f:
                text += f.read()
        shutil.rmtree(days, ignore_errors=True)
        return text

    def states(self, log, last):
        moments = sorted({max(1, last * n // STATES) for n in range(1, STATES)})
        digests = ((at, self.audit(log, "replay", "--until", str(at)).splitlines()[-1]) for at in moments)
        return "".join(f"#{at}: {digest}\n" for at, digest in digests) + self.audit(log, "replay")

    def all(self, log):
        """file name -> text."""
        said = {"records": self.audit(log, "log"), "verify": self.audit(log, "verify")}
        last = int(re.findall(r"#(\d+)", said["records"])[-1])
        said["states"] = self.states(log, last)
        if log == "server":        # the other logs of a server have mostly the same
            jobs = sorted(set(re.findall(r"^job +(\S+)", said["states"], re.M)), key=lambda id: int(id.split(".")[0]))
            said["accounting"] = self.accounting(log)
            said["usage"] = (self.audit(log, "efficiency") + self.audit(log, "efficiency", "--csv")
                             + "".join(f"== {job}\n{self.audit(log, 'usage', job, '--csv')}" for job in jobs))
            said["jobs"] = "".join(f"== {job}\n{self.audit(log, 'job', job)}{self.audit(log, 'usage', job)}{self.audit(log, 'hook', job)}" for job in jobs)
        return {f"{log}.{what}.txt": text for what, text in said.items()}


def versions():
    return sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(HERE, "*", "logs.tar.xz")))


def said_of(version):
    directory = tempfile.mkdtemp(prefix="golden_logs.")
    try:
        says = Says(version, directory)
        return {name: text for log in says.logs for name, text in says.all(log).items()}
    finally:
        shutil.rmtree(directory)


def record(version):
    for path in glob.glob(os.path.join(HERE, version, "*.txt")):
        os.remove(path)
    for name, text in said_of(version).items():
        with open(os.path.join(HERE, version, name), "w") as f:
            f.write(text)


class golden_logs(unittest.TestCase):
    maxDiff = 4000

    def test_there_is_one(self):
        self.assertTrue(versions())

    def test_each_says_what_it_always_said(self):
        for version in versions():
            said = said_of(version)
            beside = {os.path.basename(p) for p in glob.glob(os.path.join(HERE, version, "*.txt"))}
            self.assertEqual(set(said), beside)
            for name in sorted(said):
                with self.subTest(version=version, file=name), open(os.path.join(HERE, version, name)) as f:
                    self.assertEqual(said[name], f.read())


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        for one in versions():
            record(one)
    else:
        unittest.main()
