"""Nothing that steers a terminal, turns or hides text comes out of any command, as it was said: the list of events/values/shown_text.hpp.

Commands are those that are installed, with each option that their usage tells: the next one is here without anybody thinking of it.
"""
import glob
import json
import os
import re
import subprocess
import unittest

from hostile import STAGE, HostileTest

RANGES = [(0x00, 0x08), (0x0b, 0x1f), (0x7f, 0x9f), (0xad, 0xad), (0x61c, 0x61c), (0x180e, 0x180e), (0x200b, 0x200b), (0x200e, 0x200f),
          (0x2028, 0x202e), (0x2060, 0x2064), (0x2066, 0x206f), (0xfeff, 0xfeff), (0xfff9, 0xfffb), (0xe0000, 0xe007f)]
FORBIDDEN = re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in RANGES) + "]")
# One of each kind, and a byte of C1 alone.
HOSTILE = b"a\r\x1b[2J\x7f\x9b31m" + "\u0085\u009b\u00ad\u061c\u200b\u200e\u202e\u2028\u2029\u2066\u2060\ufeff\U000e0041".encode() + b"z"
TEXT = HOSTILE.replace(b"\x9b31m", b"")      # that is UTF-8
GOOD = "Zürich 官話 שלום 👨‍👩‍👧 ❤️"
# These serve, take a terminal, or wait for something; or are not for people. pbs_rcp becomes cp or scp, whose words are theirs.
NOT_COMMANDS = {"pbs_server", "pbs_mom", "pbs_sched", "pbs_comm", "pbs_follow", "pbs_export", "pbs_minicluster", "pbs_python", "pbs_sleep", "pbs_attach",
                "pbs_rcp"}


def raw(printed):
    """What stands in it that never should. A byte of C1 alone is none of UTF-8."""
    text = printed.decode("utf-8", "surrogateescape")
    return sorted({f"U+{ord(c):04X}" for c in FORBIDDEN.findall(text)} | {f"byte {ord(c) - 0xdc00:02x}" for c in text if "\udc80" <= c <= "\udc9f"})


class every_printer(HostileTest):
    hosts = ["a"]
    maxDiff = None

    def output_of(self, *command, input=b""):
        done = subprocess.run(command, env=self.environment(), cwd=self.work, capture_output=True, input=input, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def check(self, *command, **how):
        """What it said, without a character that steers."""
        status, out, err = self.output_of(*command, **how)
        if wrong := raw(out) + raw(err):
            self.wrong[" ".join(c if isinstance(c, str) else "HOSTILE" for c in command)] = wrong
        return status, out, err

    def setUp(self):
        super().setUp()
        self.wrong = {}

    def test_no_command_repeats_what_it_was_given(self):
        commands = sorted(os.path.basename(p) for folder in ("bin", "sbin") for p in glob.glob(os.path.join(STAGE, folder, "*")))
        commands = [c for c in commands if c not in NOT_COMMANDS]
        self.assertGreater(len(commands), 30)
        for command in commands:
            usage = b"".join(self.output_of(command, "--help")[1:]) + b"".join(self.output_of(command, "-?")[1:])
            letters = sorted(set(re.findall(r"(?<![\w-])-([A-Za-z])\b", usage.decode(errors="replace"))))
            words = [[HOSTILE], [HOSTILE, HOSTILE], [b"-" + HOSTILE], [b"--" + HOSTILE], [b"-\x9b"], [b"1." + HOSTILE], [b"1[" + HOSTILE + b"]"]]
            for letter in letters:
                words += [[f"-{letter}", HOSTILE, HOSTILE]]
            for arguments in words:
                self.check(command, *arguments)
        self.until_answers()
        self.assertEqual(self.wrong, {})

    def test_no_printer_shows_it(self):
        for what in ("set server comment", "set server mail_from", "set queue workq comment", "set node a comment"):
            self.output_of("qmgr", "-c", what.encode() + b" = '" + TEXT + b"'")
        self.sure("qmgr", "-c", "create resource text type=string")
        self.output_of("qmgr", "-c", b"set node a resources_available.text = '" + TEXT + b"'")
        hostile = ["-A", TEXT, "-v", b"V=" + TEXT, "-l", b"text=" + TEXT, "-e", b"/tmp/" + TEXT]
        held = self.job_of("-h", *hostile, "--", "/bin/echo", TEXT)
        self.output_of("qalter", "-W", b"comment=" + TEXT, held)
        ended = self.job_of("-A", TEXT, "-S", "/bin/sh", "-o", "/dev/null", "-e", "/dev/null", "--", "/bin/echo", TEXT)
        self.until_state(ended, "F")
        self.output_of("pbs_rsub", "-R", "2330", "-D", "60", "-N", TEXT, "-U", TEXT)
        log, home = os.path.join(self.home(), "server_priv", "log"), self.home()
        shows = [["qstat"], *[["qstat", f"-{letters}"] for letters in ("a", "an", "ans1", "i", "r", "H", "x", "f", "xf", "Q", "Qf", "B", "Bf", "fw", "s", "aw", "G")],
                 ["qstat", "-f", "-F", "json"], ["qstat", "-xf", "-F", "dsv"], ["qstat", "-Qf", "-F", "json"], ["qstat", "-Bf", "-F", "json"],
                 ["qstat", "--why", held], ["pbs_efficiency"], ["pbs_efficiency", "-F", "json", ended], ["pbsnodes", "-a"], ["pbsnodes", "-aS"], ["pbsnodes", "-aSj"], ["pbsnodes", "-l"], ["pbsnodes", "-av", "-F", "json"],
                 ["pbsnodes", "-a", "-F", "dsv"], *[["qmgr", "-c", f"{verb} {kind}"] for verb in ("list", "print") for kind in
                                                    ("server", "queue workq", "node a", "sched default", "resource")],
                 ["pbs_rstat", "-f"], ["pbs_rstat", "-S"], ["tracejob", "-v", held], ["tracejob", ended], ["printjob", held], ["pbsfs"], ["pbsfs", "-t"],
                 ["qselect", "-x"]]
        audits = ["log", "job " + held, "job " + ended, "status", "replay", "usage", "efficiency", "hosts", "startup " + ended, "verify", "cycle 1"]
        forms = ["", "--json", "--csv"]
        shows += [["pbs_audit", "--log", log, *what.split(), *form.split()] for what in audits for form in forms]
        said = 0
        for command in shows:
            status, out, _ = self.check(*command)
            said += status == 0 and len(out) > 0
        self.assertGreater(said, 50, "some said something, or nothing was looked at")
        for path in glob.glob(os.path.join(home, "*_logs", "2*")) + glob.glob(os.path.join(home, "server_priv", "accounting", "2*")) + \
                glob.glob(os.path.join(self.home("a"), "mom_logs", "2*")) + glob.glob(os.path.join(home, "sched_log", "2*")):
            with open(path, "rb") as f:
                if wrong := raw(f.read()):
                    self.wrong[path] = wrong
        self.assertEqual(self.wrong, {})
        # A program that reads gets what was meant.
        shown = json.loads(self.sure("qstat", "-f", "-F", "json", held))["Jobs"][held]
        self.assertEqual(shown["Account_Name"], TEXT.decode())
        self.assertEqual(shown["comment"], TEXT.decode())

    def job_of(self, *options):
        status, out, err = self.output_of("qsub", *options)
        self.assertEqual((status, err), (0, b""))
        return out.decode().strip()

    def test_what_is_written_in_any_language_stays(self):
        id = self.submit("-h", "-A", GOOD, "--", "/bin/true")
        self.assertEqual(self.job(id)["Account_Name"], GOOD)
        self.assertEqual(json.loads(self.sure("qstat", "-f", "-F", "json", id))["Jobs"][id]["Account_Name"], GOOD)
        self.sure("qmgr", "-c", f"set server comment = '{GOOD}'")
        printed = self.sure("qmgr", "-c", "print server")
        self.assertIn(f'set server comment = "{GOOD}"\n', printed)
        self.sure("qmgr", "-c", "set server comment = other")
        line = next(line for line in printed.split("\n") if line.startswith("set server comment"))
        self.sure("qmgr", "-c", line)
        self.assertIn(f"    comment = {GOOD}\n", self.sure("qmgr", "-c", "list server"))
        story = self.sure("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), "job", id, "--json")
        self.assertIn(GOOD, "".join(json.dumps(json.loads(line), ensure_ascii=False) for line in story.splitlines()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
