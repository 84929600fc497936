"""Escapes, line ends and bytes that are no UTF-8 in what users may set never come out again as they went in: neither on the terminal of
whoever looks (qstat -f, qstat -f -F json) nor in a log (of server, MoM or scheduler, and accounting). Only bytes that are no UTF-8 do, as in PBS, and
never in JSON.
"""
import glob
import os
import re
import subprocess
import unittest

from hostile import LONG, HostileTest

HELD = ("qsub", "-h", "--", "/bin/true")
BYTES = {"line end": b"\n", "escape": b"\x1b", "return": b"\r", "no UTF-8": b"\xff", "C1 escape": "\u009b".encode(),
         "right to left": "\u202e".encode()}

# What a user or manager can say of a job: how it is shown -> options of qsub and of qalter. @ is the word with the byte.
ATTRIBUTES = {
    "Job_Name": ["-N", "@"],
    "Account_Name": ["-A", "@"],
    "project": ["-P", "@"],
    "Variable_List": ["-v", "V=@"],
    "Variable_List, a name": ["-v", "@=V"],
    "Shell_Path_List": ["-S", "/bin/@"],
    "Output_Path": ["-o", "{work}/@"],
    "Output_Path, its host": ["-o", "@:/tmp/x"],
    "Error_Path": ["-e", "{work}/@"],
    "Mail_Users": ["-M", "@"],
    "stagein": ["-W", "stagein={work}/x@@server:{work}/@"],
    "stageout": ["-W", "stageout={work}/x@@server:{work}/@"],
    "group_list": ["-W", "group_list=@"],
    "User_List": ["-u", "@"],
    "gridname": ["-W", "gridname=@"],
    "node_set": ["-W", "node_set=@"],
    "comment": ["-W", "comment=@"],
    "cred": ["-W", "cred=@"],
    "credential_id": ["-W", "credential_id=@"],
    "forward_x11_cookie": ["-W", "forward_x11_cookie=@"],
    "reserve_ID": ["-W", "reserve_ID=@"],
    "Submit_Host": ["-W", "Submit_Host=@"],
    "executable": ["-W", "executable=@"],
    "argument_list": ["-W", "argument_list=@"],
    "Submit_arguments": ["-W", "Submit_arguments=@"],
    "sandbox": ["-W", "sandbox=@"],
    "umask": ["-W", "umask=@"],
    "tolerate_node_failures": ["-W", "tolerate_node_failures=@"],
    "depend": ["-W", "depend=afterok:@"],
    "Checkpoint": ["-c", "@"],
    "Hold_Types": ["-h", "@"],
    "Priority": ["-p", "@"],
    "Resource_List.software": ["-l", "software=@"],
    "Resource_List.arch": ["-l", "arch=@"],
    "Resource_List.host": ["-l", "host=@"],
    "Resource_List.walltime": ["-l", "walltime=@"],
    "Resource_List.place": ["-l", "place=group=@"],
    "Resource_List.select": ["-l", "select=1:arch=@"],
    "Resource_List.text": ["-l", "text=@"],
    "Resource_List.texts": ["-l", "texts=@"],
    "Resource_List.unknown": ["-l", "@=1"],
}
# Which attributes show which bytes as they are, by the place where they are shown.
FREE = {"Account_Name", "project", "Shell_Path_List", "Output_Path", "Error_Path", "stagein", "stageout", "gridname", "node_set",
        "comment", "credential_id", "forward_x11_cookie", "Submit_Host", "executable", "argument_list", "Submit_arguments",
        "Resource_List.software", "Resource_List.arch", "Resource_List.host", "Resource_List.text", "Resource_List.texts"}
AT_CREATION = {"Variable_List", "Variable_List, a name", "cred", "reserve_ID"}
OVERWRITTEN = {"Submit_Host", "executable"}      # by qsub's own word
# Bytes that are no UTF-8 are no escapes: qstat -f shows them as PBS does.
RAW = {
    ("qsub", "qstat -f"): {(a, "no UTF-8") for a in FREE - OVERWRITTEN | AT_CREATION | {"Resource_List.select"}},
    ("qsub", "qstat -F json"): set(),
    ("qalter", "qstat -f"): {(a, "no UTF-8") for a in FREE | {"Resource_List.select"}},
    ("qalter", "qstat -F json"): set(),
}
# Control characters are caught in logs; mom_logs have the words of copies.
RAW_IN_LOGS = {(kind, "no UTF-8") for kind in ["accounting", "server_logs", "sched_logs"] + ["mom_logs"] * LONG}


class Word:
    """A byte between two words that stand nowhere else."""

    def __init__(self, number, byte):
        self.whole = b"a%dz" % number + byte + b"y%db" % number

    def is_in(self, text):
        return self.whole in text


class nothing_comes_out_raw(HostileTest):
    hosts = ["a"]

    def setUp(self):
        super().setUp()
        for resource, type in ("text", "string"), ("texts", "string_array"):
            self.sure("qmgr", "-c", f"create resource {resource} type={type}")
        self.words = []

    def word(self, byte):
        self.words.append(Word(len(self.words), BYTES[byte]))
        return self.words[-1]

    def raw(self, *command, input=None):
        """(exit status, stdout) of a command whose words may be bytes."""
        done = subprocess.run(command, env=self.environment(), cwd=self.work, capture_output=True, input=input or b"", timeout=120)
        return done.returncode, done.stdout

    def options(self, row, word):
        # "@@" is the @ of a stage-in itself
        with_word = [re.sub(rb"(?<!@)@(?!@)", lambda _: word.whole, o.replace("{work}", self.work).encode()) for o in ATTRIBUTES[row]]
        return [o.replace(b"@@", b"@") for o in with_word]

    def with_qsub(self, row, word):
        """The job's id, or nothing when it is refused."""
        status, out = self.raw("qsub", "-h", *self.options(row, word), "--", "/bin/true")
        return out.strip() if status == 0 else None

    def with_qalter(self, row, word):
        id = self.sure(*HELD).strip()
        status, _ = self.raw("qalter", *self.options(row, word), id)
        return id if status == 0 else None

    def shown(self, id, *how, but=None):
        """What qstat shows of a job, in one line each, without the attribute `but`."""
        status, out = self.raw("qstat", "-f", *how, id)
        self.assertEqual(status, 0)
        if how:
            return re.sub(rb'(?m)^\s*"' + but + rb'":.*$', b"", out) if but else out
        out = out.replace(b"\n\t", b"")
        return re.sub(rb"(?ms)^    " + but + rb" = .*?(?=^    [a-zA-Z]+ = )", b"", out) if but else out

    def check(self, verb, set):
        found = {"qstat -f": {}, "qstat -F json": {}}
        taken = 0
        for row in ATTRIBUTES:
            but = b"Submit_arguments" if verb == "qsub" and row != "Submit_arguments" else None
            for byte in BYTES:
                word = self.word(byte)
                id = set(row, word)
                if not id:
                    continue
                taken += 1
                for place, how in ("qstat -f", ()), ("qstat -F json", ("-F", "json")):
                    if word.is_in(self.shown(id, *how, but=but)):
                        found[place][row, byte] = id
        self.assertGreater(taken, 60, "some were taken, or nothing was tried")
        for place, raw in found.items():
            known = RAW[verb, place]
            with self.subTest(place=place):
                self.assertEqual(sorted(raw.keys() - known), [], f"{verb}: shown as they came by {place}")
                self.assertEqual(sorted(known - raw.keys()), [], f"{verb}: not shown by {place} as they came, take them out of RAW")

    def test_by_qsub(self):
        self.check("qsub", self.with_qsub)

    def test_by_qalter(self):
        self.check("qalter", self.with_qalter)

    def test_arguments_and_directives(self):
        """Submit_arguments has all that stood behind qsub, and what stands in the script is an option as well."""
        found = set()
        for byte in BYTES:
            argument, directive = self.word(byte), self.word(byte)
            for what, word, (status, id) in (
                    ("argument", argument, self.raw("qsub", "-h", "--", "/bin/echo", argument.whole)),
                    ("directive", directive, self.raw("qsub", "-h", input=b"#PBS -A " + directive.whole + b"\ntrue\n"))):
                self.assertEqual(status, 0)
                found |= {(what, byte, "qstat -f")} if word.is_in(self.shown(id.strip())) else set()
                found |= {(what, byte, "json")} if word.is_in(self.shown(id.strip(), "-F", "json")) else set()
        self.assertEqual(found, {(what, "no UTF-8", "qstat -f") for what in ("argument", "directive")})

    def test_a_line_end_makes_no_attribute(self):
        """The worst of it: an attribute that nobody has set."""
        id = self.sure(*HELD).strip()
        self.sure("qalter", "-A", "x\n    Job_Owner = root@elsewhere", id)
        owners = [line for line in self.sure("qstat", "-f", id).split("\n") if line.startswith("    Job_Owner")]
        self.assertEqual(len(owners), 1, owners)

    # ---- logs ----------------------------------------------------------------------------------------------------------------------------

    def logs(self):
        """What each kind of log has, of all daemons."""
        kinds = {"server_logs": "server", "sched_logs": "server", "mom_logs": "a"}
        paths = {kind: glob.glob(os.path.join(self.home(host), kind, "2*")) for kind, host in kinds.items()}
        paths["accounting"] = glob.glob(os.path.join(self.home(), "server_priv", "accounting", "2*"))
        texts = {}
        for kind, files in paths.items():
            self.assertTrue(files, kind)
            texts[kind] = b""
            for path in files:
                with open(path, "rb") as f:
                    texts[kind] += f.read()
        return texts

    def test_logs(self):
        """Of jobs that are altered, run, stage files and are deleted with such words, and of requests that are refused for them."""
        self.sure("qmgr", "-c", "set server log_events = 4095")
        rows = ["Account_Name", "project", "Variable_List", "Shell_Path_List", "Output_Path", "gridname",
                "Resource_List.software", "Resource_List.arch", "Resource_List.text"]
        rows += ["stagein"] * LONG      # copies are tried for 30 s
        ran = []
        for byte in BYTES:
            for row in rows:
                ran.append(self.with_qsub(row, self.word(byte)))
                self.with_qalter(row, self.word(byte))
            self.refused_requests(self.word(byte).whole)
        self.assertNotIn(None, ran)
        self.sure("qrls", *[id.decode() for id in ran])
        self.until(lambda: self.through(ran), lambda: f"jobs run: {self.raw('qstat', '-f')}")
        last = self.submit("--", "/bin/true").encode()
        logged = {"accounting": b";E;" + last, "server_logs": b"Job;" + last + b";Exit_status=0", "sched_logs": b"Job;" + last + b";Job run",
                  "mom_logs": b"Job;" + last}
        self.until(lambda: all(logged[kind] in text for kind, text in self.logs().items()), "each log has what came before")
        raw = {(kind, name) for kind, text in self.logs().items() for name in BYTES if self.is_raw(text, name)}
        self.assertEqual(raw, RAW_IN_LOGS)

    def is_raw(self, log, name):
        return any(word.is_in(log) for word in self.words if BYTES[name] in word.whole) or (name != "line end" and BYTES[name] in log)

    def through(self, ids):
        """Each has run, or was tried, or can't run as a scheduler said."""
        _, out = self.raw("qstat", "-x", "-f")
        jobs = dict(re.findall(rb"(?ms)^Job Id: (\S+)$(.*?)(?=^Job Id: |\Z)", out.replace(b"\n\t", b"")))
        return all(re.search(rb"(?m)^    job_state = [FHW]$|comment = (Can Never|Not) Run", jobs[id]) for id in ids)

    def refused_requests(self, word):
        id = self.sure(*HELD).strip()
        for command in (["qdel", word], ["qmove", word, id], ["qsig", "-s", word, id], ["qmsg", word, id], ["qsub", "-q", word, "--", "/bin/true"],
                        ["qmgr", "-c", b"create queue " + word], ["qmgr", "-c", b"set server comment = '" + word + b"'"],
                        ["qrun", "-H", word, id], ["pbs_rsub", "-N", word, "-R", "0100", "-D", "60"], ["qorder", id, word],
                        ["pbsnodes", "-o", word], ["qselect", "-q", word], ["qhold", "-h", word, id]):
            self.raw(*command)


if __name__ == "__main__":
    unittest.main(verbosity=2)
