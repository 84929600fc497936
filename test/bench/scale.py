#!/usr/bin/env python3
"""Many MoMs on one machine. Usage: scale.py [--build DIR] [--hosts N]

Brings up a server, a scheduler and N real pbs_mom, each with a home, a certificate and a loopback address of its own, in a
temporary directory, and measures: how soon a started server has them all, what they cost it while nothing happens, its
memory for each, and how long a job of all hosts takes to join. docs/performance.md keeps what was measured.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

from cluster import HERE, Cluster, kill_server, wall_ms

IDLE_S = 30
JOBS = 5


class ManyMoms(Cluster):
    def __init__(self, build, hosts):
        super().__init__(build)
        self.moms = []
        with open(os.path.join(self.dir, "hosts", "n1", "pbs.conf")) as f:
            self.conf = f.read()
        with open(os.path.join(self.dir, "hosts", "n1", "home", "annals.conf")) as f:
            self.annals_conf = f.read()
        self.names = ["n1"] + [f"h{number}" for number in range(1, hosts)]

    def down(self):
        for mom in self.moms:
            mom.kill()
        for mom in self.moms:
            mom.wait()
        super().down()

    def address(self, number):
        first, second, third = re.search(r"mom_address = (\d+)\.(\d+)\.(\d+)\.", self.annals_conf).groups()
        return f"{first}.{second}.{(int(third) + 1 + number // 250) % 256}.{number % 250 + 1}"

    def home_of(self, name):
        return os.path.join(self.dir, "hosts", name, "home")

    def server_env(self):
        return {**self.env, "PBS_CONF_FILE": os.path.join(self.dir, "hosts", "server", "pbs.conf")}

    def audit(self, *arguments):
        """Objects that pbs_audit prints, a line each; of the server's log unless --log names another."""
        lines = subprocess.run(["pbs_audit", *arguments], env=self.server_env(), check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in lines.splitlines()]

    def make_homes(self):
        """Homes and certificates of all but the first, which the mini-cluster made."""
        with open(os.path.join(self.dir, "etc", "hosts"), "a") as f:
            f.writelines(f"{self.address(number)} {name}\n" for number, name in enumerate(self.names[1:]))
        for number, name in enumerate(self.names[1:]):
            home = self.home_of(name)
            os.makedirs(os.path.join(home, "mom_priv"))
            conf = self.conf.replace(self.home_of("n1"), home).replace("=n1\n", f"={name}\n")
            self.write(os.path.join(home, "..", "pbs.conf"), conf)
            self.write(os.path.join(home, "annals.conf"), re.sub(r"mom_address = \S+", f"mom_address = {self.address(number)}", self.annals_conf))
            self.write(os.path.join(home, "mom_priv", "config"), "$restrict_user_maxsysid 999\n$usecp *:/ /\n")

        def enrol(name):
            made = subprocess.run(["pbs_enroll", name], env=self.server_env(), check=True, capture_output=True, text=True).stdout
            self.write(os.path.join(self.home_of(name), "mom_priv", "daemon.pem"), made, 0o600)
        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            list(workers.map(enrol, self.names[1:]))
        lines = "".join(f"create node {name}\nset node {name} resources_available.ncpus = 1\n" for name in self.names[1:])
        subprocess.run(["qmgr"], env=self.env, input=lines, check=True, capture_output=True, text=True)

    @staticmethod
    def write(path, text, mode=0o644):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as f:
            f.write(text)

    def start_moms(self):
        for name in self.names[1:]:
            conf = os.path.join(self.dir, "hosts", name, "pbs.conf")
            with open(os.path.join(self.home_of(name), "out"), "w") as out:
                self.moms.append(subprocess.Popen(["pbs_mom", "-N"], env={**self.env, "PBS_CONF_FILE": conf}, cwd="/",
                                                  stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    def start_server(self):
        subprocess.run(["pbs_server"], env=self.server_env(), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def until_all_are_free(self):
        def all_free():
            return len(re.findall(r"(?m)^\s+state = free$", self.run("pbsnodes", "-av"))) == len(self.names)
        self.wait(all_free, f"{len(self.names)} vnodes are free", pause_s=0.1)

    def hellos(self):
        """How often a MoM has said hello, by the server's log: a vnode is free again before that, from the event log."""
        logs = os.path.join(self.home, "server_logs")
        total = 0
        for name in os.listdir(logs):
            with open(os.path.join(logs, name), errors="replace") as f:
                total += f.read().count("Hello from MoM")
        return total

    def pss_mb(self, pids):
        """Memory with what is shared counted once."""
        total = 0
        for pid in pids:
            with open(f"/proc/{pid}/smaps_rollup") as f:
                total += int(re.search(r"(?m)^Pss:\s+(\d+)", f.read()).group(1))
        return total / 1024


# Each MoM watches its directory of runs with an inotify instance; the kernel gives a user 128 of them.
INOTIFY = "/proc/sys/fs/inotify/max_user_instances"


@contextlib.contextmanager
def enough_watches(hosts):
    """Raises the kernel's limit for as long as the measurement takes, which only root may."""
    with open(INOTIFY) as f:
        before = f.read()
    if int(before) < hosts + 100:
        with open(INOTIFY, "w") as f:
            f.write(str(hosts + 100))
    try:
        yield
    finally:
        if int(before) < hosts + 100:
            with open(INOTIFY, "w") as f:
                f.write(before)


def wide_job(c):
    """A job of all hosts, from its events: what each part of its life took, in ms."""
    count = len(c.names)
    job = c.run("qsub", "-W", "block=true", "-l", f"select={count}:ncpus=1", "-l", "place=scatter", "--", "/bin/true").strip()
    written, happened = {}, {}      # in the server's log; on the primary
    for event in c.audit("job", "--json", job):
        written[event["kind"]] = event["wallNs"]
        happened[event["kind"]] = event["event"].get("atNs")
    return {"order sent -> all joined -> program started": (written["JobStarted"] - written["JobAssigned"]) / 1e6,
            "first sister asked -> last one joined": (happened["RunSisterJoined"] - happened["RunSistersAsked"]) / 1e6,
            "qsub -> end": (written["JobEnded"] - written["JobQueued"]) / 1e6}


def idle(c):
    before, began = c.server_cpu_s(), time.monotonic()
    time.sleep(IDLE_S)
    return (c.server_cpu_s() - before) / (time.monotonic() - began) * 100


def measure(c):
    count = len(c.names)
    c.run("qstat", "-B")
    alone_kb = c.server_rss_kb()
    c.make_homes()

    def all_started():
        c.start_moms()
        c.until_all_are_free()
    c.say(f"{count} MoMs, from the first one's start until all are free", f"{wall_ms(all_started) / 1000:.1f} s")
    c.say("  memory of a MoM", f"{c.pss_mb(m.pid for m in c.moms) / len(c.moms):.1f} MB")
    kill_server(c)

    def back_again():
        before = c.hellos()
        c.start_server()
        c.wait(lambda: c.hellos() - before >= count, "every MoM has said hello", pause_s=0.05)
    c.say("  a server killed and started: until it has heard of all", f"{wall_ms(back_again) / 1000:.1f} s")
    c.say("  server memory for each MoM", f"{(c.server_rss_kb() - alone_kb) / count:.1f} KB ({c.server_rss_kb() / 1024:.0f} MB in all)")
    c.say(f"  processor time of the server while idle, {IDLE_S} s", f"{idle(c):.1f} % of a core")
    for _ in range(JOBS):
        c.say(f"  a job of {count} hosts", ", ".join(f"{what}: {ms:.0f} ms" for what, ms in wide_job(c).items()))
    c.say("  server memory for each MoM after it", f"{(c.server_rss_kb() - alone_kb) / count:.1f} KB")


def main():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="where it was built")
    top.add_argument("--hosts", type=int, default=500)
    options = top.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with enough_watches(options.hosts):
        c = ManyMoms(os.path.abspath(options.build), options.hosts)
        try:
            measure(c)
        finally:
            c.down()


if __name__ == "__main__":
    sys.exit(main())
