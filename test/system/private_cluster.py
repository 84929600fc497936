"""A private plain mini-cluster for a system test: real daemons, real processes, in a directory of its own.

Tests wait for conditions, each with a deadline, and never for time. Whatever happens the cluster is removed at the end.
Before that its daemons must rest (test/support/rest.py), and when a test failed it tells what it saw last and the ends of the
logs (test/support/failures.py).
"""
import ctypes
import glob
import itertools
import json
import os
import re
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import failures  # noqa: E402  found by the path above
import rest  # noqa: E402
from pauses import pause_after  # noqa: E402

STAGE = os.environ.get("ANNALS_STAGE") or os.path.abspath(
    os.path.join(HERE, "..", "..", "build", "stage"))
sys.path.insert(0, os.path.join(STAGE, "lib", "python"))
from minicluster import cluster as mini, procs  # noqa: E402  found by the path above
from minicluster.layout import Trouble  # noqa: E402

OWN_ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("PBS")},
                   "PATH": f"{STAGE}/bin:{STAGE}/sbin:{os.environ['PATH']}"}
DEADLINE_S = 180         # for anything that a healthy cluster does in milliseconds, on a machine that is busy
COMMAND_DEADLINE_S = 120


class Done:
    """What a command said."""

    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr

    def __repr__(self):
        return f"exit {self.status}, stdout {self.out!r}, stderr {self.err!r}"


class ClusterTest(unittest.TestCase):
    hosts = ["a"]
    vnodes = {}       # host -> its vnode definitions: "a[0]: resources_available.ncpus = 2\n..."
    plain = True
    start_schedulers = True      # the server does; False: the mini-cluster does once, and one that is killed stays dead

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.looks = failures.Looks()
        self.at_rest = {}      # directory of a cluster -> how its daemons were when it was new

    def setUp(self):
        # A short path: the server's socket lies deep below it.
        self.top = tempfile.mkdtemp(prefix="annals.", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.top, True)
        os.chmod(self.top, 0o755)
        self.work = os.path.join(self.top, "work")     # where commands are typed and jobs' output goes
        os.mkdir(self.work, 0o777)
        self.dir = os.path.join(self.top, "c")
        self.before_up()
        mini.describe(self.dir, "server", self.hosts, STAGE, plain=self.plain, start_schedulers=self.start_schedulers)
        self.cluster = mini.Cluster(self.dir)
        self.addCleanup(self.cluster.down)
        self.addCleanup(self.tell_if_failed)
        for host, lines in self.vnodes.items():
            self.define_vnodes(host, lines)
        self.before_start()
        self.cluster.up()
        # Room for many small jobs, whatever this machine has.
        self.manage("set server job_history_enable = True",
                    *(f"set node {host} resources_available.ncpus = 64" for host in self.hosts if host not in self.vnodes))
        self.expect_rest(self.dir)

    def before_up(self):
        """For tests that prepare the directory."""

    def before_start(self):
        """For those that prepare its hosts."""

    def define_vnodes(self, host, lines):
        """For the MoM's next start, as an administrator of the host does it with `pbs_mom -s insert`."""
        directory = os.path.join(self.home(host), "mom_priv", "config.d")
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "vnodes"), "w") as f:
            f.write("$configversion 2\n" + lines)

    def copy_with(self, scp, text):
        """The script `scp` copies files for the MoMs from now on."""
        with open(scp, "w") as f:
            f.write(text)
        os.chmod(scp, 0o755)
        for host in self.hosts:
            with open(self.cluster.layout.conf(host), "a") as f:
                f.write(f"PBS_SCP={scp}\n")
            self.kill_daemon("pbs_mom", host)
            self.start_daemon("pbs_mom", host)
        for host in self.hosts:
            self.until_free(host)

    # ---- commands ------------------------------------------------------------------------------------------------

    def environment(self):
        return {**OWN_ENVIRONMENT, "PBS_CONF_FILE": self.cluster.layout.client_conf}

    def run_command(self, *command, input=None, timeout=COMMAND_DEADLINE_S, **how):
        done = Done(subprocess.run(command, env=self.environment(), cwd=self.work, capture_output=True, text=True,
                                   input=input, stdin=subprocess.DEVNULL if input is None else None, timeout=timeout, **how))
        self.looks.add(command, done.status, done.out, done.err)
        return done

    def sure(self, *command, **how):
        """Its stdout; not exit status 0 fails the test."""
        done = self.run_command(*command, **how)
        self.assertEqual(done.status, 0, f"{' '.join(command)[:200]}: {done}")
        return done.out

    def manage(self, *lines):
        """One qmgr does all of it."""
        return self.sure("qmgr", "-a", input="".join(line + "\n" for line in lines))

    def submit(self, *arguments, **how):
        """A script without a shell of its own runs in sh: a login shell of whoever runs the tests does what his profile says, for minutes."""
        own_shell = "input" in how and "-S" not in arguments
        return self.sure("qsub", *(["-S", "/bin/sh"] if own_shell else []), *arguments, **how).strip()

    def job(self, id):
        """The attributes of a job, a finished one too; nothing when the server does not know it."""
        done = self.run_command("qstat", "-xf", id)
        return attributes(done.out) if done.status == 0 else None

    def jobs(self):
        """All jobs that the server knows: id -> attributes."""
        text = self.sure("qstat", "-xf")
        found = {}
        for block in re.split(r"(?m)^Job Id: ", text)[1:]:
            found[block.split("\n", 1)[0]] = attributes(block)
        return found

    def until(self, true, what, deadline_s=DEADLINE_S):
        """Waits until true() is; its value."""
        began = time.monotonic()
        while True:
            value = true()
            if value:
                return value
            waited = time.monotonic() - began
            if waited > deadline_s:
                self.fail(f"not after {deadline_s} s: {what() if callable(what) else what}")
            time.sleep(pause_after(waited))

    def hosts_of(self, id):
        """Of a job that runs, or that is tried again and again; its primary first."""
        hosts = self.until(lambda: self.job(id).get("exec_host"), lambda: f"job {id} has hosts: {self.job(id)}")
        return [chunk.split("/")[0] for chunk in hosts.split("+")]

    def until_state(self, id, state, deadline_s=DEADLINE_S):
        return self.until(lambda: self.in_state(id, state), lambda: f"job {id} is {state}: {self.job(id)}", deadline_s)

    def in_state(self, id, state):
        job = self.job(id)
        return job if job and job["job_state"] == state else None

    def until_running(self, id):
        """Until its program runs, by the MoM's word."""
        self.until(lambda: (self.job(id) or {}).get("substate") == "42", lambda: f"job {id} runs: {self.job(id)}")

    def until_answers(self):
        self.until(lambda: self.run_command("qstat", "-B").status == 0, "the server answers")

    def until_free(self, host):
        def free():
            done = self.run_command("pbsnodes", "-a", "-F", "json")
            return done.status == 0 and mini.usable(json.loads(done.out)["nodes"].get(host, {}).get("state", "down"))
        self.until(free, f"{host} is free")

    # ---- daemons -------------------------------------------------------------------------------------------------

    def daemon_pids(self, daemon, host="server"):
        return procs.own(self.processes_named(daemon, host))

    def processes_named(self, daemon, host):
        """The daemon, and who starts it or was just forked by it."""
        return procs.daemons(daemon, self.cluster.layout.conf(host))

    def kill_daemon(self, daemon, host="server"):
        """SIGKILL to the daemon and to nothing else: its jobs go on."""
        pids = self.processes_named(daemon, host)
        self.assertTrue(pids, f"{daemon} runs")
        procs.kill_daemon(lambda: mini.alive_of(pids) if daemon == "pbs_sched" else self.processes_named(daemon, host))

    def start_daemon(self, daemon, host="server"):
        """A scheduler is started by the server: it is waited for."""
        if daemon == "pbs_sched":
            self.cluster.await_scheduler()
        else:
            self.cluster.machines[host].start_daemon(daemon)

    def read_settings_again(self, host):
        """HUP to its MoM; until it goes by what it has read: only then it tells the server what the host has."""
        told = lambda: self.server_log().count(f";Node;{host};Hello from MoM")
        before = told()
        procs.send(self.daemon_pids("pbs_mom", host), signal.SIGHUP)
        self.until(lambda: told() > before, f"the MoM of {host} has its new settings")

    def home(self, host="server"):
        return self.cluster.layout.home(host)

    def accounting(self):
        """All records: (letter, id, the rest)."""
        records = []
        for path in sorted(glob.glob(os.path.join(self.home(), "server_priv", "accounting", "*"))):
            with open(path) as f:
                for line in f:
                    if line.endswith("\n"):      # a last one without is still being written
                        _, letter, id, rest = line.rstrip("\n").split(";", 3)
                        records.append((letter, id, rest))
        return records

    def until_recorded(self, id, letters, among=string.ascii_letters):
        """Accounting follows what clients are told: waits for just these records of the job, of those `among`."""
        recorded = lambda: "".join(letter for letter, of, _ in self.accounting() if of == id and letter in among)
        self.until(lambda: recorded() == letters, lambda: f"the records of {id} are {letters}, they are {recorded()}")

    def until_logged(self, text):
        """The server's log follows too."""
        self.until(lambda: text in self.server_log(), lambda: f"the server logs {text}: {self.server_log()[-2000:]}")

    def until_mom_logged(self, host, text):
        """And so does a MoM's."""
        self.until(lambda: text in self.mom_log(host), lambda: f"the MoM of {host} logs {text}: {self.mom_log(host)[-2000:]}")

    def log(self, kind, host="server"):
        """All that is in the files of PBS_HOME/KIND."""
        text = ""
        for path in sorted(glob.glob(os.path.join(self.home(host), kind, "2*"))):
            with open(path, errors="replace") as f:
                text += f.read()
        return text

    def server_log(self):
        return self.log("server_logs")

    def mom_log(self, host):
        return self.log("mom_logs", host)

    def audit(self, *arguments):
        """What pbs_audit prints of the server's log: nothing, with exit status 1, while the log knows no such thing."""
        return self.run_command("pbs_audit", "--log", os.path.join(self.home(), "server_priv", "log"), *arguments).out

    # ---- at the end ----------------------------------------------------------------------------------------------

    def expect_rest(self, directory):
        """Of the daemons of the cluster there, which is new, when the test is over."""
        self.at_rest[directory] = rest.looks_at(directory)
        self.addCleanup(self.check_rest, directory)

    def check_rest(self, directory):
        if not failures.has_failed(self):
            troubles = rest.until_rest(directory, self.at_rest[directory])
            if troubles:
                self.fail(f"the test is over, and not at rest after {rest.DEADLINE_S} s:\n{troubles}")

    def tell_if_failed(self):
        def logs():
            return failures.log_ends(sorted(glob.glob(os.path.join(self.top, "*", "hosts", "*", "home"))),
                                     [os.path.join(self.top, "*", "hosts", "*", "*.out")])
        failures.tell_if_failed(self, self.looks.text, logs)


def attributes(text):
    """name -> value of one object of qstat -f."""
    return dict(re.findall(r"(?m)^    (\S+) = (.*)$", text.replace("\n\t", "")))


def with_mounts_of_our_own():
    """Whether this process may mount: from now on its mounts, and those of its children, are seen by nobody else."""
    clone_newns, libc = 0x00020000, ctypes.CDLL(None, use_errno=True)   # <sched.h>
    if os.geteuid() != 0 or libc.unshare(clone_newns) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True).returncode == 0


def stands_still(pid):
    """Stopped by a signal, or frozen with its cgroup, of whichever version."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            if f.read().rsplit(")", 1)[1].split()[0] == "T":
                return True
        with open(f"/proc/{pid}/cgroup") as f:
            paths = [line.rstrip("\n").split(":", 2)[2] for line in f]
    except FileNotFoundError:
        return False
    frozen = [("cgroup.events", "frozen 1"), ("freezer.state", "FROZEN")]
    for path, root, (name, word) in itertools.product(paths, ("", "/unified", "/freezer"), frozen):
        try:
            with open(f"/sys/fs/cgroup{root}{path}/{name}") as f:
                if word in f.read():
                    return True
        except OSError:
            pass
    return False


def wait_gone(pids, deadline_s=DEADLINE_S):
    deadline = time.monotonic() + deadline_s
    while any(procs.start_time(pid) is not None for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


__all__ = ["ClusterTest", "DEADLINE_S", "Done", "STAGE", "Trouble", "attributes", "failures", "mini", "procs", "rest", "signal", "stands_still",
           "wait_gone", "with_mounts_of_our_own"]
