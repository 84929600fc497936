"""How the rows of a section are tried on a running cluster: a class for each `kind`. A failure is a text that names the row."""
import ctypes
import json
import os
import re
import signal
import string
import subprocess
import sys
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "system"))
from private_cluster import COMMAND_DEADLINE_S, STAGE  # noqa: E402  found by the path above

READ_ONLY = "Cannot set attribute, read only or insufficient permission"
SHOWN_CHARS = 300
LINE_DEADLINE_S = 120     # the logs follow what clients are told
WITHOUT_EFFECT = " has no effect"


NAMES_HOOK = """import json, pbs


def there(name):
    try:
        eval("pbs." + name)
        return True
    except AttributeError:
        return False


e = pbs.event()
if e.job.Job_Name == "names":
    e.reject(json.dumps([n for n in {names!r} if not there(n)]))
"""


class Try:
    """A section on the cluster of `test`, a ClusterTest; `variables` are in the environment of its command lines."""

    def __init__(self, test, section, variables):
        self.test, self.section, self.keys = test, section, section.keys
        self.variables = variables
        self.failures = []

    def run(self):
        self.before()
        for row in self.section.rows:
            self.row(row)
        self.after()
        return self.failures

    def before(self):
        """What the rows need."""
        if "before" in self.keys:
            done = self.shell(self.keys["before"])
            self.test.assertEqual(done.returncode, 0, f"{self.keys['before']}: {done.stderr}")

    def after(self):
        """What is seen only when all rows have been tried."""

    def row(self, row):
        raise NotImplementedError

    def fail(self, row, text):
        self.failures.append(f"{row.where}: {row.name} ({row.verdict}; {row.tried}): {text}")

    def shell(self, line):
        how = {"env": {**self.test.environment(), **self.variables}, "cwd": self.test.work}
        return subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMMAND_DEADLINE_S, **how)

    def expect_refusal(self, row, done, says):
        said = done.stdout + done.stderr
        if done.returncode == 0 or says not in said:
            self.fail(row, f"not refused with {says!r}: exit status {done.returncode}, {said.strip()[:SHOWN_CHARS]!r}")


class Commands(Try):
    """`try` is a command line: exit status 0 and `says` in its output, or not 0 and `says` in it where it is refused."""

    def row(self, row):
        done = self.shell(row.tried)
        said = done.stdout + done.stderr
        if row.verdict in ("refused", "absent"):
            return self.expect_refusal(row, done, row.says)
        if done.returncode != 0 or row.says not in said:
            self.fail(row, f"exit status {done.returncode}, not {row.says!r} in {said.strip()[-SHOWN_CHARS:]!r}")


class Attributes(Try):
    """`try` is
        [.part] = value     `set` does it and `show` says it so, or as `says` has it
        $ command           it prints the object's name; `show` then says what `says` has
        (read-only)         nobody may set it: `set` is refused, with `says` if there is one
        (read-only, shown)  and `seen` shows it
        (seen)              `seen` shows it, and no try is made to set it
        (taken)             `set` takes it, and it is not shown
    Where `clear` is given it is typed after the first form."""

    def before(self):
        super().before()
        self.seen = self.lines(self.keys["seen"]) if "seen" in self.keys else []
        self.log_before = len(self.test.server_log())

    def lines(self, command):
        return [line.strip() for line in self.shell(command).stdout.split("\n")]

    def known(self, text):
        """With the values of variables."""
        return string.Template(text).safe_substitute(self.variables)

    def filled(self, key, row, part="", value="", said=""):
        return self.keys[key].replace("{name}", row.name + part).replace("{said}", said).replace("{value}", self.known(value))

    def row(self, row):
        if row.tried.startswith("("):
            return self.read_only(row)
        part, value = "", ""
        if row.tried.startswith("$ "):
            done = self.shell(row.tried[2:])
        else:
            part, _, value = row.tried.partition("= ")
            part = part.strip()
            done = self.shell(self.filled("set", row, part, value))
        if row.verdict in ("refused", "absent"):
            return self.expect_refusal(row, done, row.says)
        said = (done.stdout.split() or [""])[0]
        shown = self.lines(self.filled("show", row, part, value, said))
        wanted = f"{row.name}{part} = " + self.known(row.says or value.strip('"'))
        if done.returncode != 0 or wanted not in shown:
            there = [line for line in shown if line.startswith(row.name)][:3]
            self.fail(row, f"not {wanted!r}: exit status {done.returncode}, {done.stderr.strip()!r}, shown {there}")
        if "clear" in self.keys and not row.tried.startswith("$ "):
            cleared = self.shell(self.filled("clear", row, part, value, said))
            if cleared.returncode != 0:
                self.fail(row, f"not cleared: {cleared.stderr.strip()!r}")

    def read_only(self, row):
        if row.tried == "(taken)":
            done = self.shell(self.filled("set", row, "", "1"))
            if done.returncode != 0:
                self.fail(row, f"exit status {done.returncode}, {done.stderr.strip()!r}")
        elif "seen" not in row.tried or "read-only" in row.tried:
            done = self.shell(self.filled("refuse" if "refuse" in self.keys else "set", row, "", "1"))
            self.expect_refusal(row, done, row.says or self.keys.get("refusal", READ_ONLY))
        there = [line for line in self.seen if re.match(re.escape(row.name) + r"(\.\S+)? = ", line)]
        if ("shown" in row.tried or "seen" in row.tried) != bool(there):
            self.fail(row, f"shown: {there}")

    def after(self):
        """That it has no effect is said in the server's log of these and of no others."""
        if self.keys.get("log") != "says what has no effect":
            return
        last = "seen_" + self.section.file
        self.shell(f"qmgr -c 'set server comment = {last}'")
        self.test.until(lambda: last in self.log(), "the server has logged all that was set")
        told = set(re.findall(r";(\w+)" + WITHOUT_EFFECT, self.log()))
        for row in self.section.rows:
            if row.verdict == "no effect" and row.name not in told:
                self.fail(row, "the server's log does not say that it has no effect")
            if row.verdict != "no effect" and row.name in told:
                self.fail(row, "the server's log says that it has no effect")

    def log(self):
        return self.test.server_log()[self.log_before:]


class Symbols(Try):
    """Whether a C library, libpbs or the one that `library` names, has them; a call that is refused fails and says why."""

    def before(self):
        self.name = self.keys.get("library", "libpbs.so")
        with mock.patch.dict(os.environ, self.test.environment()):
            self.library = ctypes.CDLL(os.path.join(STAGE, "lib", self.name))
            if any(row.verdict == "refused" for row in self.section.rows):
                self.library.pbs_geterrmsg.restype = ctypes.c_char_p
                self.connection = self.library.pbs_connect(None)
                self.test.assertGreater(self.connection, 0)
                self.test.addCleanup(self.library.pbs_disconnect, self.connection)

    def row(self, row):
        if hasattr(self.library, row.name) == (row.verdict == "absent"):
            self.fail(row, self.name + (" has it" if row.verdict == "absent" else " has it not"))
        elif row.verdict == "refused":
            getattr(self.library, row.name)(self.connection, *[None] * 6)
            said = (self.library.pbs_geterrmsg(self.connection) or b"").decode()
            if said != row.says:
                self.fail(row, f"not refused with {row.says!r} but {said!r}")


class HookNames(Try):
    """Whether a hook has them: it rejects a job of the name `names` and says which of them `pbs` has not."""

    def before(self):
        names = [row.name for row in self.section.rows]
        with open(os.path.join(self.test.work, "names.py"), "w") as f:
            f.write(NAMES_HOOK.format(names=names))
        for line in ("create hook names_pbs event=queuejob", "import hook names_pbs application/x-python default names.py"):
            self.test.sure("qmgr", "-c", line)
        said = self.test.run_command("qsub", "-N", "names", "--", "/bin/true").err
        self.missing = json.loads(said.removeprefix("qsub: "))
        self.test.sure("qmgr", "-c", "delete hook names_pbs")

    def row(self, row):
        if (row.name in self.missing) != (row.verdict == "absent"):
            self.fail(row, "the module has it" if row.verdict == "absent" else "the module has it not")


class ConfigFile(Try):
    """All lines of `try` go into the file, the daemon reads it again, and what it says of a line is what the row has, or nothing.

    `file` and `log` are below the PBS_HOME of `host`; `complaint` is how the log speaks of a line, where {line} is its number. `last` is a line
    that the daemon complains of: when it has, it has read all."""

    def run(self):
        path = os.path.join(self.test.home(self.keys["host"]), self.keys["file"])
        with open(path) as f:
            before = f.read()
        rows = [row for row in self.section.rows if row.tried]
        began = len(self.log())
        self.reread(path, "".join(line + "\n" for line in [*(row.tried for row in rows), self.keys["last"]]))
        self.test.until(lambda: self.said_of(len(rows) + 1, began), f"{self.keys['daemon']} has read all of {path}")
        for number, row in enumerate(rows, 1):
            self.judge(row, " ".join(self.said_of(number, began)))
        self.reread(path, before)
        return self.failures

    def judge(self, row, said):
        silent = row.verdict in ("works", "differs")
        if silent and said:
            self.fail(row, f"the daemon says {said!r}")
        elif row.says not in said:
            self.fail(row, f"the daemon does not say {row.says!r}: {said!r}")

    def said_of(self, number, began):
        return re.findall(self.keys["complaint"].replace("{line}", str(number)), self.log()[began:])

    def log(self):
        return self.test.log(self.keys["log"], self.keys["host"])

    def reread(self, path, text):
        with open(path, "w") as f:
            f.write(text)
        for pid in self.test.daemon_pids(self.keys["daemon"], self.keys["host"]):
            os.kill(pid, signal.SIGHUP)


class LogLines(Try):
    """`try` is a kind of log and its host, `says` a regular expression: such a line is there, or is not, after all that was done before. With
    `root` behind them it is tried only by root, who can ask as somebody else."""

    def row(self, row):
        kind, host, *who = row.tried.split()
        if who == ["root"] and os.geteuid() != 0:
            return
        try:
            self.test.until(lambda: re.search(row.says, self.test.log(kind, host)), "such a line", LINE_DEADLINE_S if row.verdict != "absent" else 0)
            there = True
        except self.test.failureException:
            there = False
        if there != (row.verdict != "absent"):
            self.fail(row, "there is such a line" if there else "there is no such line")


KINDS = {"commands": Commands, "attributes": Attributes, "symbols": Symbols, "hook names": HookNames, "configuration": ConfigFile,
         "log lines": LogLines}
