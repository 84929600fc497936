"""Every file of the server's log is cut, changed, removed and exchanged with an older one, one after the other: then the server either
serves everything that it has acknowledged, or does not start and says what is wrong, as `pbs_audit verify` does; and no job's number is given
twice, not even when the loss is accepted.

usage: ANNALS_STAGE=$PWD/build/stage [ANNALS_SEED=n] python3 test/durability/damage_test.py [--long]

The short form tries each kind of damage on each file once, the long one five places of each, in a log that has tables. ctest runs the
short one, with the same seed each time.
"""
import os
import random
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
from private_cluster import ClusterTest, Trouble  # noqa: E402  found by the path above

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
PLACES = 5 if LONG else 1
SERVER = "pbs_server"
# Whatever is not one of these is no reason to an administrator.
REASONS = (r"records? .*(is|are) missing|record \d+ .*: the index of streams does not have it|"
           r"the log in \S+ is (damaged|not what it was)|Corruption: .+|No such file or directory: .+|"
           r"its file CURRENT is missing")
# A script that is lost keeps no server from starting: its job is held with a reason, and verify names it.
SCRIPTS_LOST = r"the blob it names .+|block checksum mismatch"


class Damage:
    """One way to harm a file; `place` is where, from 0 to 1."""

    def __init__(self, name, harm):
        self.name, self.harm = name, harm


def cut(path, older, place):
    os.truncate(path, int(os.path.getsize(path) * place))


def change(path, older, place):
    with open(path, "r+b") as f:
        at = int(os.path.getsize(path) * place)
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 0x10]))


def remove(path, older, place):
    os.remove(path)


def exchange(path, older, place):
    """With the file of this name of an earlier time; where there was none, with an earlier one of its kind."""
    name = os.path.basename(path)
    kind = re.sub(r"\d+", "", name)
    of_kind = [n for n in sorted(os.listdir(older)) if re.sub(r"\d+", "", n) == kind]
    if name in of_kind or of_kind:
        shutil.copyfile(os.path.join(older, name if name in of_kind else of_kind[-1]), path)


WAYS = [Damage("cut", cut), Damage("changed", change), Damage("removed", remove), Damage("exchanged", exchange)]


class every_file_of_the_log(ClusterTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        # Without a host nobody is asked what a log that was copied may lack, which is waited for (lost_log_test.py); nor does a MoM say what it
        # knows, and stop a server that has started.
        self.sure("pbsnodes", "-o", "a")
        self.kill_daemon("pbs_mom", "a")
        self.sure("qmgr", "-c", "delete node a")
        self.priv = os.path.join(self.home(), "server_priv")
        self.log_directory = os.path.join(self.priv, "log")
        seed = int(os.environ.get("ANNALS_SEED") or (random.SystemRandom().randrange(1 << 32) if LONG else 7))
        print(f"ANNALS_SEED={seed}", flush=True)
        self.chance = random.Random(seed)

    def held(self, n, size=100):
        """Jobs with a script of their own."""
        script = lambda: "# " + self.chance.randbytes(size // 2).hex() + "\n"
        return [self.submit("-h", "-S", "/bin/sh", input=script()) for _ in range(n)]

    def stop(self):
        self.sure("qterm", "-t", "quick")
        self.until(lambda: not self.daemon_pids(SERVER), "the server has gone")

    def start(self, *arguments):
        """What it said when it did not start; nothing when it runs."""
        printed = self.cluster.layout.output("server", SERVER)
        before = os.path.getsize(printed)
        try:
            self.cluster.machines["server"].start_daemon(SERVER, *arguments)
        except Trouble:
            self.assertEqual(self.daemon_pids(SERVER), [])
            with open(printed) as f:
                f.seek(before)
                return f.read()
        return None

    def grow(self):
        """A log of several files, an earlier state of it, and what was acknowledged: by an orderly end and by a kill."""
        self.acknowledged = set(self.held(4)) | set(self.held(2, 300 << 10))
        self.stop()
        self.older = os.path.join(self.top, "older")
        shutil.copytree(self.log_directory, self.older)
        self.start()
        self.acknowledged |= set(self.held(4))
        self.stop()
        self.start()
        self.acknowledged |= set(self.held(4)) | set(self.held(200 if LONG else 1, 300 << 10))      # many: tables are written
        last = self.last_record()
        self.until(lambda: self.marked() >= last, "the mark knows the end")
        self.kill_daemon(SERVER)
        self.whole = os.path.join(self.top, "whole")
        shutil.copytree(self.priv, self.whole)

    def marked(self):
        with open(os.path.join(self.priv, "log.mark")) as f:
            return int(f.read().split()[3])

    def last_record(self):
        return int(re.search(r'"sequence":(\d+)', self.audit("log", "-n", "1", "--json").splitlines()[-1]).group(1))

    def restore(self):
        shutil.rmtree(self.priv)
        shutil.copytree(self.whole, self.priv)

    def test_is_harmed_in_turn(self):
        self.grow()
        if LONG:
            self.assertIn("sst", {name.split(".")[-1] for name in os.listdir(self.log_directory)})
        for name in sorted(os.listdir(os.path.join(self.whole, "log"))):
            for way in WAYS:
                for place in [self.chance.random() for _ in range(PLACES if way.harm in (cut, change) else 1)]:
                    self.restore()
                    path = os.path.join(self.log_directory, name)
                    before = self.content(path)
                    if not before and way.harm in (cut, change):
                        continue
                    way.harm(path, self.older, place)
                    if os.path.exists(path) and self.content(path) == before:
                        continue        # the older one is the same
                    with self.subTest(file=name, size=len(before), harm=way.name, place=place):
                        print(f"{name} {way.name} ({place:.2f}): {self.look(name, way)}", flush=True)
        self.restore()
        self.assertIsNone(self.start(), "the whole log starts")

    def content(self, path):
        with open(path, "rb") as f:
            return f.read()

    def look(self, name, way):
        refusal = self.start()
        if refusal is None:
            try:
                self.until_answers()
                self.assertEqual(self.acknowledged - set(self.sure("qselect").split()), set(), "lost, and the server has started")
                self.new_numbers_are_new()
            finally:
                self.kill_daemon(SERVER)
            verified = self.verify()
            if verified.status == 1 and re.fullmatch(r"\d+\.(log|sst)", name) and re.search(SCRIPTS_LOST, verified.out):
                return "served, and " + re.search(SCRIPTS_LOST, verified.out).group()
            self.assertEqual(verified.status, 0, f"served, and damaged: {verified}")
            return "served"
        self.assertRegex(refusal, REASONS)
        self.assertEqual(self.verify().status, 1, "verify agrees with the server")
        if self.start("--accept-loss") is None:
            try:
                self.until_answers()
                self.sure("qmgr", "-c", "set server acl_roots = root@*")       # perhaps with the log went its settings
                self.new_numbers_are_new()
            finally:
                self.kill_daemon(SERVER)
            return "refused, a loss can be accepted: " + re.search(REASONS, refusal).group()
        return "refused: " + re.search(REASONS, refusal).group()

    def verify(self):
        return self.run_command("pbs_audit", "--log", self.log_directory, "verify")

    def new_numbers_are_new(self):
        """Of what was acknowledged once, whether it is lost or not."""
        for _ in range(2):
            self.assertNotIn(self.submit("-h", "--", "/bin/true"), self.acknowledged)


if __name__ == "__main__":
    unittest.main(verbosity=2)
