"""docs/howto/export_accounting.md is true: its steps are taken and print what the page says, and its queries answer what they ask, by the
daily accounting files.

`export_howto_test.py --show` prints the steps with what the commands print now.
"""
import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as xml
from collections import Counter, defaultdict

from private_cluster import COMMAND_DEADLINE_S, DEADLINE_S, STAGE, ClusterTest
from export_test import ask, seconds
from page_steps import fits, steps
import postgres

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = os.path.join("docs", "howto", "export_accounting.md")
PROMPT = r"\$|borg#|postgres\$"
LOOKS = ("sqlite3 ", "psql ")      # asked again until they say what the page says: the exporter is a moment behind
UNIT = os.path.join(ROOT, "cluster-config", "packaging", "systemd", "annals-export.service")


def page():
    with open(os.path.join(ROOT, NAME), encoding="utf-8") as f:
        return f.read()


def part(title):
    """Of the page, with empty lines before it, so that its lines have the numbers that they have there."""
    text = page()
    begin = text.index(f"\n## {title}\n")
    end = text.find("\n## ", begin + 1)
    return "\n" * text.count("\n", 0, begin) + text[begin:end]


def queries():
    """The number of a question -> its query."""
    found = re.findall(r"### (\d+)\. .*?```sql\n(.*?)```", page(), re.S)
    return {int(number): query for number, query in found}


class the_page(ClusterTest):
    """Its cluster is for the service; the steps of the first part make one of their own."""
    show = False

    def setUp(self):
        super().setUp()
        self.here = {"/tmp/try": os.path.join(self.top, "try"), "/var/lib/annals": self.top,
                     "/etc/default/annals-export": os.path.join(self.top, "default"), "@db.example.org/": "@/"}
        self.more = {}        # environment of commands
        self.service, self.chart = None, None
        self.addCleanup(self.stop_service)

    def take(self, title):
        if not shutil.which("sqlite3"):
            self.skipTest("needs sqlite3")
        for number, _, command, expected in steps(part(title), PROMPT):
            said = self.run_step(command, expected)
            if self.show:
                print(f"{command}\n{said}", end="", flush=True)
            elif not fits(expected, said):
                self.fail(f"{NAME}:{number}: {command}\nprints\n{said}\nthe page says\n{expected}")

    def run_step(self, command, expected):
        if command.startswith("systemctl "):
            return self.systemctl(*command.split()[1:])
        if command.startswith("pbs_minicluster down"):      # the last that is seen of the chart
            with open(os.path.join(self.here["/tmp/try"], "chart.svg"), encoding="utf-8") as f:
                self.chart = f.read()
        deadline = time.monotonic() + DEADLINE_S
        while True:
            said = self.type(command)
            if fits(expected, said) or not command.startswith(LOOKS) or self.show or time.monotonic() > deadline:
                return said
            time.sleep(0.1)

    def type(self, command):
        """In one shell after the other, each with the variables that the one before has exported; what it prints, in the page's words."""
        for theirs, ours in self.here.items():
            command = command.replace(theirs, ours)
        state = os.path.join(self.top, "state")
        script = f"[ ! -e {state} ] || . {state}\n{command}\nstatus=$?\nexport -p > {state}\nexit $status"
        done = subprocess.run(["bash", "-c", script], env={**self.environment(), **self.more}, cwd=self.work, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, timeout=2 * COMMAND_DEADLINE_S)
        self.looks.add([command], done.returncode, done.stdout, "")
        said = done.stdout
        for theirs, ours in self.here.items():
            said = said.replace(ours, theirs)
        return said

    # ---- the service, by what its unit says

    def systemctl(self, what, name):
        self.assertEqual(name, "annals-export")
        self.stop_service()
        if what == "start":
            condition, start = (self.of_unit(key) for key in ("ExecCondition", "ExecStart"))
            environment = {**self.environment(), **self.more, **self.variables(self.cluster.layout.conf("server")),
                           **self.variables(self.here["/etc/default/annals-export"])}
            self.assertEqual(subprocess.run(["/bin/sh", "-c", condition], env=environment).returncode, 0)
            self.assertEqual(subprocess.run(["/bin/sh", "-c", condition], env={**environment, "ANNALS_EXPORT_TARGET": ""}).returncode, 1)
            # The unit needs it not: its pbs.conf is /etc/pbs.conf.
            environment["PBS_CONF_FILE"] = self.cluster.layout.conf("server")
            self.service = subprocess.Popen(["/bin/sh", "-c", start], env=environment, cwd=self.top, stdin=subprocess.DEVNULL)
        return ""

    def of_unit(self, key):
        with open(UNIT, encoding="utf-8") as f:
            return re.search(rf"(?m)^{key}=/bin/sh -c '(.*)'$", f.read()).group(1).replace("$$", "$")

    def variables(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for theirs, ours in self.here.items():
            text = text.replace(theirs, ours)
        return dict(re.findall(r"(?m)^([A-Z_]+)=(.*)$", text))

    def stop_service(self):
        if self.service:
            self.service.send_signal(signal.SIGTERM)
            self.assertEqual(self.service.wait(DEADLINE_S), 0)
            self.service = None

    # ---- its parts

    def test_from_nothing_to_a_chart(self):
        self.addCleanup(lambda: self.run_command("pbs_minicluster", "down", "--dir", self.here["/tmp/try"]))
        self.take("From nothing to a chart")
        chart = xml.fromstring(self.chart)
        texts = [text.text for text in chart.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([text.split()[1] for text in texts if re.match(r"\d{4}-\d\d-\d\d ", text)], ["water", "wind"])
        widths = [int(bar.get("width")) for bar in chart.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertEqual(max(widths), 361)
        self.assertTrue(all(width > 1 for width in widths), widths)

    def test_as_a_service(self):
        if not postgres.programs():
            self.skipTest("needs PostgreSQL, and a user that it runs as")
        id = self.submit("--", "/bin/true")
        self.until_state(id, "F")
        server = postgres.Server()
        self.addCleanup(server.remove)
        self.addCleanup(self.stop_service)
        self.more = {**server.environment(), "PATH": f"{server.bin}:{self.environment()['PATH']}"}
        self.take("As a service")


class ten_questions(ClusterTest):
    hosts = ["a", "b"]

    def setUp(self):
        super().setUp()
        self.log_directory = os.path.join(self.home(), "server_priv", "log")
        self.base = os.path.join(self.top, "jobs.db")

    def run_jobs(self):
        """Of two projects and two queues, wide and small, that ask for memory and time, fail, are rerun, or can't run; a host goes away."""
        self.manage("create queue long queue_type=execution, enabled=True, started=True")
        ends = [self.submit("-P", "wind", "-A", "physics", "-l", "select=2:ncpus=2:mem=100mb", "-l", "place=scatter", "-l", "walltime=01:00:00",
                            "--", "/bin/sleep", "2"),
                self.submit("-P", "water", "-q", "long", "-l", "select=1:ncpus=1:mem=10mb", "-l", "walltime=00:10:00", "--", "/bin/sleep", "1"),
                self.submit("-P", "water", "-q", "long", "-S", "/bin/sh", input="exit 3\n"), self.submit("--", "/bin/false"),
                self.submit("-J", "1-3", "--", "/bin/sleep", "1")]
        rerun = self.submit("-P", "wind", "--", "/bin/sleep", "1000")
        self.until_running(rerun)
        self.sure("qrerun", rerun)
        self.until_running(rerun)
        self.sure("qdel", rerun)
        for id in [*ends, rerun]:
            self.until_state(id, "F")
        self.never = self.submit("-l", "select=1:ncpus=1000", "--", "/bin/true")
        self.until(lambda: "Can Never Run" in (self.job(self.never) or {}).get("comment", ""), lambda: f"it never runs: {self.job(self.never)}")
        self.kill_daemon("pbs_mom", "b")
        self.until(lambda: "down" in self.sure("pbsnodes", "b"), "b is down")
        self.sure("pbs_export", "--log", self.log_directory, self.base)
        over = ask(self.base, "select count(*) from runs where closed_at is not null")[0][0]
        self.until(lambda: len(self.told()) == over, "accounting is as far as the rows")

    def told(self):
        """The runs that accounting tells of."""
        found = []
        for letter, id, text in self.accounting():
            said = dict(re.findall(r'(\S+?)=("[^"]*"|\S*)', text))
            if letter in "ER" and "exec_host" in said:
                clock = lambda key: sum(int(n) * 60 ** i for i, n in enumerate(reversed(said[key].split(":")))) if key in said else 0
                size = lambda key: int(re.match(r"\d+", said[key]).group()) * {"kb": 1 << 10, "mb": 1 << 20}[said[key][-2:]] if key in said else 0
                found.append({"letter": letter, "user": said["user"], "project": said["project"], "queue": said["queue"],
                              "account": said["account"].strip('"') if "account" in said else None, "exit": int(said["Exit_status"]),
                              "wait": int(said["start"]) - int(said["etime"]),
                              "day": time.strftime("%Y-%m-%d", time.gmtime(int(said["end"]))),
                              "cores_s": int(said["resources_used.ncpus"]) * clock("resources_used.walltime"), "cpu_s": clock("resources_used.cput"),
                              "wall_s": clock("resources_used.walltime"), "asked_wall_s": clock("Resource_List.walltime"),
                              "mem": size("resources_used.mem"), "asked_mem": size("Resource_List.mem")})
        return found

    def asked(self, number):
        """What SQLite answers."""
        return [tuple(round(value, 6) if isinstance(value, float) else value for value in row) for row in ask(self.base, queries()[number])]

    def grouped(self, *keys, among=lambda run: True):
        groups = defaultdict(list)
        for run in filter(among, self.told()):
            groups[tuple(run[key] for key in keys)].append(run)
        return groups

    def test_each_is_answered_as_accounting_would(self):
        self.assertEqual(sorted(queries()), list(range(1, 11)))
        self.run_jobs()
        hours = lambda runs, key: round(sum(run[key] for run in runs) / 3600, 6)
        ended = lambda run: run["letter"] == "E"
        months = defaultdict(list)
        for run in self.told():
            months[run["day"][:7], run["user"]].append(run)
        self.assertEqual(self.asked(1), [(*key, len(runs), hours(runs, "cores_s"), hours(runs, "cpu_s")) for key, runs in sorted(months.items())])
        self.assertEqual(sorted(map(str, self.asked(2))),
                         sorted(str((*key, len(runs), hours(runs, "cores_s"))) for key, runs in self.grouped("project", "account", "queue").items()))
        waits = []
        for (queue,), runs in sorted(self.grouped("queue").items()):
            of_queue = sorted(run["wait"] for run in runs)
            n = len(of_queue)
            waits.append((queue, n, of_queue[(n + 1) // 2 - 1], of_queue[(n * 95 + 99) // 100 - 1], of_queue[-1]))
        answered = self.asked(3)
        self.assertEqual([row[:2] for row in answered], [row[:2] for row in waits])
        for row, by_files in zip(answered, waits):      # the files have whole seconds of both moments
            self.assertTrue(all(abs(a - b) <= 1 for a, b in zip(row[2:], by_files[2:])), (row, by_files))
        percent = lambda part, whole: round(100 * part / whole, 6) if whole else None
        self.assertEqual(self.asked(4), [(user, hours(runs, "cpu_s"), hours(runs, "cores_s"),
                                          percent(sum(run["cpu_s"] for run in runs), sum(run["cores_s"] for run in runs)))
                                         for (user,), runs in self.grouped("user", among=ended).items()])
        of_memory = self.grouped("user", among=lambda run: ended(run) and run["asked_mem"])
        self.assertEqual(self.asked(5), [(user, len(runs), max(run["asked_mem"] for run in runs) >> 20, max(run["mem"] for run in runs) >> 20,
                                          percent(sum(run["mem"] for run in runs), sum(run["asked_mem"] for run in runs)))
                                         for (user,), runs in of_memory.items()])
        of_time = self.grouped("queue", among=lambda run: ended(run) and run["asked_wall_s"])
        self.assertEqual(self.asked(6), [(queue, len(runs), hours(runs, "asked_wall_s"), hours(runs, "wall_s"),
                                          percent(sum(run["wall_s"] for run in runs), sum(run["asked_wall_s"] for run in runs)))
                                         for (queue,), runs in sorted(of_time.items())])
        cores = sum(int(n) for n in re.findall(r"(?m)^ +resources_available.ncpus = (\d+)$", self.sure("pbsnodes", "-a")))
        self.assertEqual(self.asked(7), [(day, hours(runs, "cores_s"), percent(sum(run["cores_s"] for run in runs), 86400 * cores))
                                         for (day,), runs in sorted(self.grouped("day").items())])
        failed = Counter(run["exit"] for run in self.told() if ended(run) and run["exit"])
        self.assertEqual(sorted(self.asked(8)), sorted(("ended", exit, None, n, 1) for exit, n in failed.items()))
        self.assertEqual(set(failed), {1, 3, 271})
        (vnode, state, _, reason), = self.asked(9)
        self.assertEqual((vnode, state), ("b", "down"))
        self.assertTrue(reason)
        self.assertIn(("resources", "ncpus", 1), self.asked(10))
        self.in_postgres_too()

    def in_postgres_too(self):
        """Where it is, it must say the same."""
        if not postgres.programs():
            return
        server = postgres.Server()
        try:
            environment = {**os.environ, **server.environment()}
            export = [os.path.join(STAGE, "sbin", "pbs_export"), "-q", "--log", self.log_directory, "postgresql:///annals"]
            for command in ["createdb", "annals"], export:
                subprocess.run(command, env=environment, check=True, timeout=COMMAND_DEADLINE_S)
            for number, query in queries().items():
                told = subprocess.run(["psql", "-q", "--csv", "-t", "-v", "ON_ERROR_STOP=1", "annals"], env=environment, check=True,
                                      input="set search_path to annals; set timezone to 'UTC';" + query, capture_output=True, text=True,
                                      timeout=COMMAND_DEADLINE_S).stdout
                self.assertEqual([self.plain(row) for row in csv.reader(io.StringIO(told))], [self.plain(row) for row in self.asked(number)], query)
        finally:
            server.remove()

    def plain(self, row):
        """The same of both: numbers with six digits, moments in whole seconds."""
        words = ["" if value is None else str(value) for value in row]
        return [f"{float(word):.6f}" if re.fullmatch(r"-?\d+(\.\d+)?(e-\d+)?", word) else
                str(seconds(word[:10] + "T" + word[11:19] + "Z")) if re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:", word) else word for word in words]

    def test_the_further_queries_can_be_asked(self):
        self.sure("pbs_export", "--log", self.log_directory, self.base)
        further = page()[page().index("### Further"):]
        asked = [query for query in re.search(r"```sql\n(.*?)```", further, re.S).group(1).split(";") if query.strip()]
        self.assertEqual([ask(self.base, query) for query in asked], [[], []])


if __name__ == "__main__":
    if "--show" in sys.argv:
        sys.argv.remove("--show")
        the_page.show = True
    unittest.main(verbosity=2)
