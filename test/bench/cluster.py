#!/usr/bin/env python3
"""The figures that need a whole cluster. Usage: cluster.py [--build DIR] [alone|submit|hooks|hookruns|drain|arrays|subjobs|status|fairshare|paced|crowd|replay|start|interactive|history]...
                  [--events N]

Each measurement brings up a plain mini-cluster of its own in a temporary directory and removes it. One line per figure:
what it is, the value, how long a sync of the same disk took beside it, and the load average (it shows whether the
machine was ours alone). Not tests: nothing fails here for being slow. docs/performance.md keeps what was measured.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEADLINE_S = 300


class Cluster:
    def __init__(self, build, hosts="n1"):
        self.build = build
        self.top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")    # short: the server's socket lies deep below it
        os.chmod(self.top, 0o755)
        self.dir = os.path.join(self.top, "c")
        self.prefix = os.path.join(build, "stage")
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith("PBS")},
                    "PATH": f"{self.prefix}/bin:{self.prefix}/sbin:{os.environ['PATH']}"}
        self.mini("up", "--hosts", hosts, "--plain")
        text = self.mini("env")
        self.env["PBS_CONF_FILE"] = re.search(r"PBS_CONF_FILE=(\S+)", text).group(1)
        with open(self.env["PBS_CONF_FILE"]) as f:
            self.home = re.search(r"(?m)^PBS_HOME=(.*)$", f.read()).group(1)

    def mini(self, command, *arguments):
        return self.run("pbs_minicluster", command, "--dir", self.dir, *arguments)

    def run(self, *command):
        done = subprocess.run(command, env=self.env, cwd=self.top, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.returncode} {done.stderr or done.stdout}")
        return done.stdout

    def bench(self, name, *arguments):
        return self.run(os.path.join(self.build, "test", "bench", "bench_" + name), *arguments).strip()

    def scheduling(self, on):
        self.run("qmgr", "-c", f"set server scheduling = {on}")

    def down(self):
        kill_server(self)      # one that restart() started is not known to the mini-cluster
        self.mini("down")
        shutil.rmtree(self.top, True)

    # ---- what is measured beside ---------------------------------------------------------------------------------

    def server_pid(self):
        with open(os.path.join(self.home, "server_priv", "server.lock")) as f:
            return int(f.read().split()[0])

    def server_io(self):
        with open(f"/proc/{self.server_pid()}/io") as f:
            return {k: int(v) for k, v in (line.split(": ") for line in f)}

    def server_rss_kb(self):
        with open(f"/proc/{self.server_pid()}/status") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def server_cpu_s(self):
        with open(f"/proc/{self.server_pid()}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def say(self, what, value):
        sync = re.search(r"p50 (\S+) .*p99 (\S+)", self.bench("load", "sync", self.top, "100"))
        print(f"{what}: {value}   [sync p50 {sync.group(1)} ms, p99 {sync.group(2)} ms; load {os.getloadavg()[0]:.1f}]",
              flush=True)

    def wait(self, true, what, pause_s=0.005):
        deadline = time.monotonic() + DEADLINE_S
        while not true():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not after {DEADLINE_S} s: {what}")
            time.sleep(pause_s)


@contextlib.contextmanager
def cluster(build):
    c = Cluster(build)
    try:
        yield c
    finally:
        c.down()


def wall_ms(work):
    start = time.monotonic()
    work()
    return (time.monotonic() - start) * 1000


def median_ms(work, times=9):
    return statistics.median(wall_ms(work) for _ in range(times))


# ---- submit ------------------------------------------------------------------------------------------------------

SHELL_LOOP = 'i=0; while [ $i -lt {count} ]; do qsub -- /bin/true >/dev/null || exit 1; i=$((i+1)); done'


def qsub_loop(c, count):
    c.run("/bin/sh", "-c", SHELL_LOOP.format(count=count))


def threads_of(pid):
    """Of each thread: its name, how often it gave way or was put aside, and its processor time in ns."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError):
            of = f"/proc/{pid}/task/{task}"
            with open(f"{of}/status") as f:
                status = f.read()
            with open(f"{of}/schedstat") as f:
                ran_ns = int(f.read().split()[0])
            found[task] = (re.search(r"Name:\s+(.*)", status).group(1),
                           sum(map(int, re.findall(r"voluntary_ctxt_switches:\s+(\d+)", status))), ran_ns)
    return found


def alone(build):
    """One qsub after another, with nobody else about: what a person at a terminal meets."""
    count = 400
    with cluster(build) as c:
        c.scheduling(False)
        qsub_loop(c, 100)
        spawn = "i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done".format(count=count)
        for _ in range(3):
            nothing = wall_ms(lambda: c.run("/bin/sh", "-c", spawn)) / count
            before = threads_of(c.server_pid())
            each = wall_ms(lambda: qsub_loop(c, count)) / count
            after = threads_of(c.server_pid())
            c.say("qsub after qsub", f"{1000 / each:.0f} a second, {each / nothing:.2f} times /bin/true")
            by_name = {}
            for task, (name, switches, ran_ns) in after.items():
                was = before.get(task, (name, 0, 0))
                had = by_name.setdefault(name, [0.0, 0.0])
                had[0] += (switches - was[1]) / count
                had[1] += (ran_ns - was[2]) / count / 1e6
            c.say("  the server, per submission", f"{sum(h[0] for h in by_name.values()):.1f} context switches, "
                  f"{sum(h[1] for h in by_name.values()):.3f} ms of processor time: "
                  + ", ".join(f"{name} {h[0]:.1f} ({h[1] * 1000:.0f} us)" for name, h in sorted(by_name.items(), key=lambda x: -x[1][0]) if h[0] >= 0.05))


def submit(build):
    with cluster(build) as c:
        c.scheduling(False)
        qsub_loop(c, 50)
        count = 1000
        c.say("qsub after qsub", f"{count / wall_ms(lambda: qsub_loop(c, count)) * 1000:.0f} a second")

        def eight():
            with concurrent.futures.ThreadPoolExecutor(8) as clients:
                list(clients.map(lambda _: qsub_loop(c, 250), range(8)))
        c.say("8 clients of qsub", f"{2000 / wall_ms(eight) * 1000:.0f} a second")
        depth = 3050
        for _ in range(3):
            before, cpu = c.server_io(), c.server_cpu_s()
            line = c.bench("submit", "connections", "32", "3")
            after, cpu = c.server_io(), c.server_cpu_s() - cpu
            jobs = int(re.search(r": (\d+) in", line).group(1))
            c.say(f"8 connections x 32 in flight, {depth} jobs queued before", line.split(": ", 1)[1])
            c.say("  bytes at write() per submission (log, replies to clients and daemon log together)",
                  f"{(after['wchar'] - before['wchar']) / jobs:.0f}; to the disk {(after['write_bytes'] - before['write_bytes']) / jobs:.0f}; "
                  f"server cpu {cpu / jobs * 1e6:.0f} us")
            depth += jobs


# ---- hooks -------------------------------------------------------------------------------------------------------

ONE_ATTRIBUTE = 'import pbs\nj = pbs.event().job\nif j.Priority > 1000:\n    pbs.event().reject("no")\nj.Account_Name = "acme"\n'


def ten_attributes():
    with open(os.path.join(HERE, "ten_attributes.py")) as f:
        return f.read()


def make_hook(c, name, event, text):
    script = os.path.join(c.top, name + ".py")
    with open(script, "w") as f:
        f.write(text + f"# {name}\n")              # each a script of its own
    c.run("qmgr", "-c", f"create hook {name} event={event}")
    c.run("qmgr", "-c", f"import hook {name} application/x-python default {script}")


def latencies_ms(c):
    """Median and p99 of submissions one after the other, over a second."""
    line = c.bench("submit", "connections", "1", "1", "1")
    return [float(re.search(rf"p{n} (\S+)", line).group(1)) for n in (50, 99)]


def added_by(c, what, names, rounds=8):
    """What hooks add to a submission: with and without them in turn, so that the machine's moods meet both."""
    without, with_them = [], []
    for enabled, into in [("false", without), ("true", with_them)] * rounds:
        for name in names:
            c.run("qmgr", "-c", f"set hook {name} enabled = {enabled}")
        into.append(latencies_ms(c))
    off, on = ([statistics.median(x[i] for x in those) for i in (0, 1)] for those in (without, with_them))
    c.say(f"{what}, {rounds} rounds", f"median {off[0]:.3f} -> {on[0]:.3f} ms, adds {on[0] - off[0]:.3f}; "
                                      f"p99 {off[1]:.2f} -> {on[1]:.2f} ms, adds {on[1] - off[1]:.2f}")


def hooks(build):
    with cluster(build) as c:
        c.scheduling(False)

        def throughput(what):
            for _ in range(2):
                c.say(f"{what}: 8 x 32 in flight", c.bench("submit", "connections", "32", "3", "8").split(": ", 1)[1])
        latencies_ms(c)
        throughput("no hook")
        make_hook(c, "nothing", "queuejob", "pass\n")
        added_by(c, "one queuejob hook that does nothing", ["nothing"])
        c.run("qmgr", "-c", "delete hook nothing")
        ten = [f"h{i}" for i in range(10)]
        make_hook(c, ten[0], "queuejob", ten_attributes())
        added_by(c, "one of ten attributes", ten[:1])
        throughput("one of ten attributes")
        for name in ten[1:]:
            make_hook(c, name, "queuejob", ten_attributes())
        added_by(c, "ten such hooks", ten, 4)
        for name in ten:
            c.run("qmgr", "-c", f"delete hook {name}")
        job = c.run("qsub", "-h", "--", "/bin/true").strip()
        make_hook(c, "m", "modifyjob", ONE_ATTRIBUTE)
        c.say("50,000 runs of a modifyjob hook", c.bench("submit", "alter", job, "64", "50000").split(": ", 1)[1])


def hookruns(build):
    """A million runs of a hook that rejects: no job comes of them, so what grows is the hooks'."""
    with cluster(build) as c:
        c.scheduling(False)
        make_hook(c, "no", "queuejob", ONE_ATTRIBUTE + 'pbs.event().reject("no")\n')
        c.say("before the first run", memory_mb(c))
        for n in range(1, 11):
            line = c.bench("submit", "refused", "256", "100000")
            c.say(f"after {n}00,000 runs", memory_mb(c) + "; " + line.split(": ", 1)[1])
        c.say("start to first answer after kill -9", f"{restart(c):.0f} ms, {memory_mb(c)}")
        c.say("then `qmgr -c 'set hook no order = 2'`", f"{wall_ms(lambda: c.run('qmgr', '-c', 'set hook no order = 2')):.0f} ms")
        c.say("and a run", f"{wall_ms(lambda: c.bench('submit', 'refused', '1', '1')):.0f} ms")


def memory_mb(c):
    return f"{c.server_rss_kb() / 1024:.0f} MB"


# ---- drain -------------------------------------------------------------------------------------------------------

class ends:
    """Counts E records. Only what is new in the files is read: to read all of it each time cost a tenth of what was measured."""

    def __init__(self, c):
        self.accounting = os.path.join(c.home, "server_priv", "accounting")
        self.read = {}       # of each file, how much
        self.count = 0

    def __call__(self):
        for name in os.listdir(self.accounting):
            with open(os.path.join(self.accounting, name), "rb") as f:
                f.seek(self.read.get(name, 0))
                new = f.read()
            whole = new.rfind(b"\n") + 1
            self.read[name] = self.read.get(name, 0) + whole
            self.count += new.count(b";E;", 0, whole)
        return self.count


def drained(c, count, submitted):
    """So many a second, from the first cycle to the last E record."""
    ended = ends(c)
    before = ended()
    c.scheduling(False)
    submitted()

    def all_of_it():
        c.scheduling(True)
        c.wait(lambda: ended() - before >= count, f"{count} E records", 0.02)
    return count / wall_ms(all_of_it) * 1000


def done(c, count, submit):
    """So many a second, from the first qsub to the last E record, while the scheduler is at work."""
    ended = ends(c)
    before = ended()

    def all_of_it():
        submit()
        c.wait(lambda: ended() - before >= count, f"{count} E records", 0.02)
    return count / wall_ms(all_of_it) * 1000


def drain(build):
    with cluster(build) as c:
        c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 500")
        for round in range(3):
            rate = drained(c, 500, lambda: qsub_loop(c, 500))
            c.say("500 queued /bin/true on one MoM", f"{rate:.0f} jobs a second")


# ---- arrays ------------------------------------------------------------------------------------------------------

def arrays(build):
    with cluster(build) as c:
        c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 500")
        c.run("qmgr", "-c", "set server max_array_size = 1000000")
        c.scheduling(False)
        c.say("qsub of a job", f"{median_ms(lambda: c.run('qsub', '--', '/bin/true')):.1f} ms")
        c.say("qstat beside nine jobs", f"{median_ms(lambda: c.run('qstat')):.1f} ms")
        c.say("qsub -J 1-1000000", f"{median_ms(lambda: c.run('qsub', '-h', '-J', '1-1000000', '--', '/bin/true')):.1f} ms")
        c.say("qstat beside nine such arrays", f"{median_ms(lambda: c.run('qstat')):.1f} ms; the server has {memory_mb(c)}")
        c.run("/bin/sh", "-c", "qdel $(qselect)")
        for what, submitted in (("500 jobs", lambda: qsub_loop(c, 500)),
                                ("an array of 500", lambda: c.run("qsub", "-J", "1-500", "--", "/bin/true"))) * 3:
            c.say(f"{what} of /bin/true on one MoM", f"{drained(c, 500, submitted):.0f} a second")


def subjobs(build, count=10_000):
    """Ten thousand jobs, then arrays of as many subjobs, the second with its output in one file, on the same MoM: from the first qsub on, and of
    those that are queued."""
    with cluster(build) as c:
        c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 500")
        for what, measured in (("from the first qsub on", done), ("queued before", drained)):
            jobs = measured(c, count, lambda: qsub_loop(c, count))
            c.say(f"{count} jobs of /bin/true on one MoM, {what}", f"{jobs:.0f} a second")
            for kind, option in (("an array", ()), ("an array with its output in one file", ("-W", "indexed_output=true"))):
                array = measured(c, count, lambda option=option: c.run("qsub", "-J", f"1-{count}", *option, "--", "/bin/true"))
                c.say(f"{kind} of {count} of /bin/true on one MoM, {what}", f"{array:.0f} a second, {array / jobs:.2f} times as many")


# ---- status ------------------------------------------------------------------------------------------------------

CYCLE_EDGE = re.compile(r"(\d+):(\d+):(\d+\.\d+);.*(Starting|Leaving) Scheduling Cycle")


def cycles_ms(c):
    """How long each cycle took, by the times in the scheduler's log."""
    began, took = None, []
    logs = os.path.join(c.home, "sched_logs")
    for name in sorted(os.listdir(logs)):
        with open(os.path.join(logs, name), errors="replace") as f:
            for edge in filter(None, map(CYCLE_EDGE.search, f)):
                at = int(edge[1]) * 3600 + int(edge[2]) * 60 + float(edge[3])
                if edge[4] == "Starting":
                    began = at
                elif began is not None:
                    took.append((at - began) * 1000)
    return took


def restart_scheduler_with_microseconds(c):
    with open(os.path.join(c.dir, "hosts", "server", "pbs.conf"), "a") as f:
        f.write("PBS_LOG_HIGHRES_TIMESTAMP=1\n")
    c.mini("kill", "sched")
    c.mini("start", "sched")


def status(build):
    with cluster(build) as c:
        restart_scheduler_with_microseconds(c)
        c.scheduling(False)
        c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 0")
        restart(c)
        empty = c.server_rss_kb()
        c.bench("load", "fill", "10000", "distinct")
        c.run("qstat", "-B")
        c.say("server memory per job, 10,000 queued", memory(c, empty))
        last = c.run("qselect").split()[-1]
        quiet = subprocess.DEVNULL
        for command in (["qstat"], ["qstat", "-f"], ["qstat", last]):
            def ask():
                subprocess.run(command, env=c.env, stdout=quiet, check=True)
            cpu = c.server_cpu_s()
            used = median_ms(ask, 15)
            name = " ".join(command).replace(last, "of one job")
            c.say(name, f"{used:.1f} ms (server cpu {(c.server_cpu_s() - cpu) / 15 * 1000:.1f} ms)")
        for wanted in range(1, 6):
            c.scheduling(False)
            c.scheduling(True)
            c.wait(lambda: len(cycles_ms(c)) >= wanted, "a cycle")
        c.say("cycles over 10,000 distinct jobs, nothing free, with their log lines",
              ", ".join(f"{ms:.0f}" for ms in cycles_ms(c)) + " ms")
        for _ in range(3):
            c.say("restart to first answer after kill -9", f"{restart(c):.0f} ms")
        c.say("server memory per job after a restart", memory(c, empty))


def memory(c, empty_kb, jobs=10000):
    kb = c.server_rss_kb()
    return f"{(kb - empty_kb) / jobs:.2f} KB ({kb / 1024:.0f} MB in all)"


def history(build, jobs=100_000):
    """What finished jobs cost, and how long it takes to look at them."""
    with cluster(build) as c:
        c.run("qmgr", "-c", "set server job_history_enable = True")
        c.scheduling(False)
        restart(c)
        empty = c.server_rss_kb()
        ids = []
        for _ in range(0, jobs, 2000):     # as jobs come and go, never many at a time
            c.bench("load", "fill", "2000", "distinct")
            ids += (here := c.run("qselect").split())
            c.run("qdel", *here)
        c.run("qstat", "-B")
        c.say(f"server memory per job of the history, {jobs:,} deleted", memory(c, empty, jobs))
        c.say("restart to first answer after kill -9", f"{restart(c):.0f} ms")
        c.say("server memory per job after a restart", memory(c, empty, jobs))
        asked = {"qstat -xf of one": ["-xf", ids[len(ids) // 2]], "qstat -x of the newest 10,000": ["-x", *ids[-10_000:]],
                 "qstat -x --newest 10000": ["-x", "--newest", "10000"], "qstat -x --since now": ["-x", "--since", str(int(time.time()))],
               "qstat -x -u nobody": ["-x", "-u", "nobody"], "qstat -x": ["-x"], "qstat": []}
        for name, words in asked.items():
            def ask(words=words):
                subprocess.run(["qstat", *words], env=c.env, stdout=subprocess.DEVNULL, check=True)
            cpu = c.server_cpu_s()
            used = median_ms(ask, 5)
            c.say(name, f"{used:.1f} ms (server cpu {(c.server_cpu_s() - cpu) / 5 * 1000:.1f} ms)")
        beside(c)


def beside(c):
    """How long others wait while somebody lists the whole history."""
    took = []
    with subprocess.Popen(["qstat", "-x"], env=c.env, stdout=subprocess.DEVNULL) as long:
        while long.poll() is None:
            took.append(wall_ms(lambda: subprocess.run(["qstat"], env=c.env, stdout=subprocess.DEVNULL, check=True)))
    c.say("qstat beside one qstat -x", f"median {statistics.median(took):.1f} ms, worst {max(took):.1f} ms, {len(took)} asked")


def restart(c):
    """pbs_server as an init script starts it, after kill -9: ms from exec to the first answer."""
    kill_server(c)

    def start():
        run_server(c)
        c.run("qstat", "-B")
    return wall_ms(start)


def run_server(c, *words):
    env = {**c.env, "PBS_CONF_FILE": os.path.join(c.dir, "hosts", "server", "pbs.conf")}
    subprocess.run(["pbs_server", *words], env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def kill_server(c):
    pid = c.server_pid()
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    c.wait(lambda: lock_is_free(c), "the server is gone")


def lock_is_free(c):
    """A killed process has ended when its last thread has, not when it is a zombie."""
    with open(os.path.join(c.home, "server_priv", "server.lock")) as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


# ---- fairshare ---------------------------------------------------------------------------------------------------

CYCLE_TOOK = re.compile(r"cycle \d+: 0 of (\d+) jobs started, (\d+) us")


def fairshare(build):
    """What ordering jobs by the shares of 10,000 accounts adds to a cycle: with and without in turn, as each cycle's event says."""
    entities, rounds, cycles = 10_000, 8, 8
    with cluster(build) as c:
        c.scheduling(False)
        c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 0")
        priv = os.path.join(c.home, "sched_priv")
        with open(os.path.join(priv, "resource_group"), "w") as f:
            f.writelines(f"group{g} {g + 10} root {1 + g % 7}\n" for g in range(100))
            f.writelines(f"account{i} {i + 1000} group{i % 100} {1 + i % 5}\n" for i in range(1, entities + 1))
        with open(os.path.join(priv, "sched_config")) as f:
            config = [line for line in f if not line.lstrip("#").startswith("fair")]
        with open(os.path.join(priv, "sched.lock")) as f:
            scheduler = int(f.read().split()[0])

        def share(on):
            with open(os.path.join(priv, "sched_config"), "w") as f:
                f.writelines(config + ["fairshare_entity: Account_Name\n", "fairshare_usage_res: walltime\n", f"fair_share: {on} ALL\n"])
            os.kill(scheduler, signal.SIGHUP)

        def took():
            return [int(us) / 1000 for jobs, us in CYCLE_TOOK.findall(c.run("pbs_audit", "log")) if int(jobs) == entities]

        def log():
            """Of the scheduler: how long, and how it ends. Of a cycle it is written last."""
            logs = os.path.join(c.home, "sched_logs")
            with open(os.path.join(logs, sorted(os.listdir(logs))[-1]), "rb") as f:
                size = f.seek(0, os.SEEK_END)
                f.seek(max(0, size - 100))
                return size, f.read()

        def cycle():
            before = log()[0]
            c.scheduling(False)
            c.scheduling(True)
            c.wait(lambda: log()[0] > before and log()[1].endswith(b"Leaving Scheduling Cycle\n"), "a cycle")

        share("true")
        c.bench("load", "fill", str(entities), "accounts")
        c.bench("load", "usages", str(entities))
        times = {"false": [], "true": []}
        for on, into in list(times.items()) * rounds:
            share(on)
            before = len(took())
            for _ in range(1 + cycles):
                cycle()
            into += took()[before + 1:]     # in the first one it took the view in anew
        off, on = (statistics.median(t) for t in times.values())
        c.say(f"a cycle over 10,000 distinct jobs, by the shares of {entities} accounts, medians of {rounds * cycles}",
              f"{off:.2f} -> {on:.2f} ms: {on / off * 100 - 100:+.0f} %")


# ---- paced -------------------------------------------------------------------------------------------------------

def paced(build):
    with cluster(build) as c:
        c.scheduling(False)
        c.bench("load", "fill", "10000")

        def measure():
            return float(re.search(r"p99 (\S+)", c.bench("load", "paced", "100", "5")).group(1))

        def asking(stop):
            began, asked, running = time.monotonic(), 0, []
            while not stop:
                running = [p for p in running if p.poll() is None]
                running.append(subprocess.Popen(["qstat"], env=c.env, stdout=subprocess.DEVNULL))
                asked += 1
                time.sleep(max(0, began + asked / 20 - time.monotonic()))
            for p in running:
                p.wait()
            return asked / (time.monotonic() - began)

        # Turn and turn about, so that what else happens on the machine meets both alike.
        alone, both = [], []
        for _ in range(10):
            alone.append(measure())
            stop = []
            with concurrent.futures.ThreadPoolExecutor(1) as other:
                rate = other.submit(asking, stop)
                both.append(measure())
                stop.append(True)
            print(f"  alone {alone[-1]:.2f} ms, beside {rate.result():.1f} qstat a second {both[-1]:.2f} ms", flush=True)
        medians = statistics.median(alone), statistics.median(both)
        c.say("p99 of 100 submissions a second, alone | beside 20 qstat of 10,000 jobs a second (medians of 10 runs of 5 s)",
              f"{medians[0]:.2f} | {medians[1]:.2f} ms: {medians[1] / medians[0] * 100 - 100:+.0f} %")


# ---- a crowd -----------------------------------------------------------------------------------------------------

def crowd(build):
    user = ["nobody"] if os.geteuid() == 0 else []
    for hard in (resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1024):
        # In a process of its own: a hard limit that was lowered stays, and the daemons inherit it.
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
            with cluster(build) as c:
                for _ in range(3):
                    c.say(f"5,000 clients at once, 1024 open files, hard limit {hard}", "\n" + c.bench("crowd", "5000", *user))
        except RuntimeError as e:
            print(e, flush=True)
        finally:
            os._exit(0)


# ---- replay ------------------------------------------------------------------------------------------------------

def replay(build):
    with cluster(build) as c:
        c.run("qsub", "-W", "block=true", "--", "/bin/true")
        kill_server(c)
        print(c.bench("load", "grow", os.path.join(c.home, "server_priv", "log"), "1000000"))
        for _ in range(3):
            c.say("1,000,000 events replayed: pbs_server's start to its first answer", f"{restart(c):.0f} ms")


def start(build, events):
    """From exec of pbs_server to the first answer, after kill -9: from a checkpoint and without one."""
    for finished, queued, of_all in [(0, 10_000, 0), (0, 100_000, 0), (events // 100, 10_000, events)]:
        with cluster(build) as c:
            make_long_log(c, finished, queued, of_all)
            took = wall_ms(lambda: run_server(c, "--checkpoint"))
            directory = os.path.join(c.home, "server_priv", "checkpoint")
            sizes = {name: os.path.getsize(os.path.join(directory, name)) for name in ("state", "history", "past")}
            c.say("  its checkpoint is made", f"{took / 1000:.1f} s; MB: " + ", ".join(f"{n} {b / 1e6:.1f}" for n, b in sizes.items()))
            say_starts(c, "  from the checkpoint", 9)
            if of_all <= 5_000_000:
                os.remove(os.path.join(directory, "state"))
                say_starts(c, "  without a checkpoint", 3 if of_all == 0 else 1)


def say_starts(c, how, times):
    ms, cpu_s = [], []
    for _ in range(times):
        ms.append(restart(c))
        cpu_s.append(c.server_cpu_s())
    c.say(how, f"{statistics.median(ms):.0f} ms ({min(ms):.0f} to {max(ms):.0f}) to the first answer, "
               f"{statistics.median(cpu_s):.2f} s of processor time, {memory_mb(c)}")


def make_long_log(c, finished, queued, events):
    c.run("qmgr", "-c", "set server job_history_enable = True")
    c.run("qmgr", "-c", "set node n1 resources_available.ncpus = 100")
    c.run("qsub", "-W", "block=true", "--", "/bin/sleep", "1")      # the pattern of all others
    c.scheduling(False)
    kill_server(c)
    c.say(f"{finished:,} finished jobs and {queued:,} queued ones",
          c.bench("long_log", os.path.join(c.home, "server_priv"), str(finished), str(queued), str(events)))


def interactive(build):
    """From the order to run an interactive job to its first output on the user's terminal; and what a key takes to its echo and back."""
    rounds, keys = 15, 200
    with cluster(build) as c:
        prompts, echoes = [], []
        for _ in range(rounds):
            pid, screen = pty.fork()
            if pid == 0:
                os.execvpe("qsub", ["qsub", "-I", "--", "/bin/sh", "-c", "echo prompt; stty raw -echo; echo raw; exec cat"], c.env)
            text = b""
            while b"prompt" not in text:
                text += os.read(screen, 4096)
            at = time.time_ns()
            job = re.search(rb"job (\S+) ready", text)[1].decode()
            while b"raw" not in text:
                text += os.read(screen, 4096)
            for _ in range(keys):
                before = time.perf_counter_ns()
                os.write(screen, b"x")
                os.read(screen, 4096)
                echoes.append((time.perf_counter_ns() - before) / 1e6)
            c.run("qdel", job)
            try:
                while os.read(screen, 4096):
                    pass
            except OSError:
                pass
            os.waitpid(pid, 0)
            os.close(screen)
            events = [json.loads(line) for line in c.run("pbs_audit", "job", "--json", job).splitlines()]
            prompts.append((at - next(e["wallNs"] for e in events if e["kind"] == "JobAssigned")) / 1e6)
        c.say("from JobAssigned to the first output of qsub -I", f"median {statistics.median(prompts):.1f} ms, most {max(prompts):.1f} ms")
        c.say("a key and its echo", f"median {statistics.median(echoes):.2f} ms, p99 {sorted(echoes)[len(echoes) * 99 // 100]:.2f} ms")


def measure(description, make_site, every):
    """The words of the command line, or all, each at a site of its own."""
    top = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="where it was built")
    top.add_argument("what", nargs="*", default=[], metavar="|".join(every))
    options = top.parse_args()
    for name in options.what or every:
        site = make_site(os.path.abspath(options.build))
        try:
            every[name](site)
        finally:
            site.down()


def main():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="where it was built")
    top.add_argument("--events", type=int, default=5_000_000, help="of the longest log of `start`; one in a hundred begins a job")
    top.add_argument("what", nargs="*", default=[], metavar="alone|submit|hooks|hookruns|drain|arrays|subjobs|status|fairshare|paced|crowd|replay|start|interactive|history")
    options = top.parse_args()
    every = {"alone": alone, "submit": submit, "hooks": hooks, "hookruns": hookruns, "drain": drain, "arrays": arrays, "subjobs": subjobs, "status": status, "fairshare": fairshare, "paced": paced, "crowd": crowd, "replay": replay,
             "start": lambda build: start(build, options.events), "interactive": interactive, "history": history}
    for name in options.what or every:
        print(f"-- {name}", flush=True)
        every[name](os.path.abspath(options.build))


if __name__ == "__main__":
    sys.exit(main())
