#!/usr/bin/env python3
"""How soon jobs of many hosts start, with hosts that fail and without, and give their hosts back.
Usage: startup.py [--build DIR] [--hosts N] [--rounds R] [--alarm S] [--part tolerances|prune|release]

Brings up N real pbs_mom and a twentieth more on one machine, as scale.py does, and measures:
- what it costs that a job of N hosts tolerates failures when nothing fails: the same job in turn with each tolerate_node_failures,
- how soon a job of all hosts starts after $sister_join_job_alarm when a twentieth of them stand still and a launch hook prunes it to N, with
  the question to each host whether it is there, before that and before the program,
- how soon pbs_release_nodes -a of a job of N hosts has answered, and all but its first are free.
docs/performance.md keeps what was measured.
"""
import argparse
import datetime
import os
import re
import signal
import statistics
import subprocess
import sys
import time

from cluster import HERE
from scale import ManyMoms, enough_watches

TOLERANCES = ["none", "job_start", "all"]
PRUNE = """import pbs
e = pbs.event()
if "PBS_NODEFILE" in e.env and e.job.release_nodes(keep_select="{select}") is None:
    e.reject("too few hosts are left")
"""
UPDATED = re.compile(r"(?m)^(\S+ \S+?);.*;updated nodes info$")


class StartingMoms(ManyMoms):
    def __init__(self, build, hosts):
        self.wanted, self.spare = hosts, max(1, hosts // 20)
        super().__init__(build, self.wanted + self.spare)
        self.conf += "PBS_LOG_HIGHRES_TIMESTAMP=1\n"
        self.marks = 0

    def submit(self, hosts, tolerance, *program):
        return self.run("qsub", "-W", f"tolerate_node_failures={tolerance}", "-l", f"select={hosts}:ncpus=1", "-l", "place=scatter",
                        "--", *program).strip()

    def start(self, hosts, tolerance, dead=()):
        """A job that has come and gone; the MoMs that are to be dead stand still until its program has started."""
        self.marks += 1
        mark = os.path.join(self.top, f"started{self.marks}")
        self.scheduling(False)
        job = self.submit(hosts, tolerance, "/usr/bin/touch", mark)
        try:
            for mom in dead:
                mom.send_signal(signal.SIGSTOP)
            self.scheduling(True)
            self.wait(lambda: os.path.exists(mark), f"the program of {job} runs", pause_s=0.05)
        finally:
            for mom in dead:
                mom.send_signal(signal.SIGCONT)
        self.until_all_are_free()
        return job

    def start_ms(self, tolerance):
        """From the order to the program, as the server's log has it, of a job that meets no failure."""
        at = {}
        for event in self.audit("job", "--json", self.start(self.wanted, tolerance)):
            at[event["kind"]] = event["wallNs"]
        if "RunSisterFailed" in at:
            raise RuntimeError("a host failed: the machine is too busy for this")
        return (at["JobStarted"] - at["JobAssigned"]) / 1e6

    def prune_with_hook(self):
        script = os.path.join(self.top, "prune.py")
        self.write(script, PRUNE.format(select=f"{self.wanted}:ncpus=1"))
        self.run("qmgr", "-c", "create hook prune event=execjob_launch")
        self.run("qmgr", "-c", f"import hook prune application/x-python default {script}")
        copies = [os.path.join(self.home_of(name), "mom_priv", "hooks", "prune.PY") for name in self.names]
        self.wait(lambda: all(map(os.path.exists, copies)), "every MoM has the hook", pause_s=0.1)

    def set_alarm(self, seconds):
        """On the first host, which is the primary of every job here."""
        own = os.path.join(self.home_of("n1"), "mom_priv")
        with open(os.path.join(own, "config"), "a") as f:
            f.write(f"$sister_join_job_alarm {seconds}\n")
        with open(os.path.join(own, "mom.lock")) as f:
            os.kill(int(f.read().split()[0]), signal.SIGHUP)

    def last_update_ns(self, job):
        """When the last host that stays had taken in that the job is smaller, by the hosts' logs."""
        found = []
        for name in self.names[1:]:
            logs = os.path.join(self.home_of(name), "mom_logs")
            for day in os.listdir(logs):
                with open(os.path.join(logs, day), errors="replace") as f:
                    found += UPDATED.findall("".join(line for line in f if f";{job};" in line))
        if len(found) != self.wanted - 1:
            raise RuntimeError(f"{len(found)} hosts were told of {self.wanted - 1}")
        return datetime.datetime.strptime(max(found), "%m/%d/%Y %H:%M:%S.%f").timestamp() * 1e9

    def pruned_start(self):
        """What each part of the start of a job with dead hosts took after the alarm, in ms, by the primary's log."""
        job = self.start(len(self.names), "job_start", self.moms[-self.spare:])
        at = {}
        for event in self.audit("--log", os.path.join(self.home_of("n1"), "mom_priv", "log"), "log", "--json", "--job", job):
            at[event["kind"]] = event["wallNs"]
        alarm, reduced, updated, started = at["RunJoinWaitEnded"], at["RunAllocationReduced"], self.last_update_ns(job), at["RunProgramStarted"]
        return {"alarm -> program started": (started - alarm) / 1e6, "alarm -> pruned by the hook": (reduced - alarm) / 1e6,
                "pruned -> program started": (started - reduced) / 1e6, "pruned -> last host updated": (updated - reduced) / 1e6}


    def released(self):
        """How long a job's hosts take to be free again, in ms: the command, and from the decision to the last host by the server's log."""
        self.marks += 1
        mark = os.path.join(self.top, f"started{self.marks}")
        job = self.submit(self.wanted, "none", "/bin/sh", "-c", f"touch {mark}; exec sleep 1000")
        self.wait(lambda: os.path.exists(mark), f"the program of {job} runs", pause_s=0.05)
        # Until its usage is known it is still starting, and nothing can be released.
        self.wait(lambda: re.search(r"(?m)^\s+substate = 42$", self.run("qstat", "-f", job)), f"{job} is in substate 42", pause_s=0.1)
        begin = time.monotonic()
        self.run("pbs_release_nodes", "-j", job, "-a")
        answered = time.monotonic()
        free = len(self.names) - 1
        self.wait(lambda: len(re.findall(r"(?m)^\s+state = free$", self.run("pbsnodes", "-av"))) >= free, f"{free} vnodes are free", pause_s=0.1)
        events = self.audit("job", "--json", job)
        decided = min(e["wallNs"] for e in events if e["kind"] == "JobReduced")
        last = max(e["wallNs"] for e in events if e["kind"] == "JobVnodesReleased")
        self.run("qdel", job)
        self.until_all_are_free()
        return {"the command": (answered - begin) * 1000, "decided -> last vnode free": (last - decided) / 1e6}


def spread(ms):
    return f"{statistics.median(ms):.0f} ({min(ms):.0f} to {max(ms):.0f}) ms"


def compare_tolerances(c, rounds):
    c.start_ms("none")      # the first one dials all hosts
    took = {tolerance: [] for tolerance in TOLERANCES}
    for number in range(rounds):
        for place in range(len(TOLERANCES)):
            tolerance = TOLERANCES[(number + place) % len(TOLERANCES)]
            took[tolerance].append(c.start_ms(tolerance))
    c.say(f"a job of {c.wanted} hosts, nothing fails, {rounds} rounds: order sent -> program started, median (least to most)",
          "; ".join(f"{tolerance} {spread(ms)}" for tolerance, ms in took.items()))
    for tolerance in TOLERANCES[1:]:
        ratio = statistics.median(took[tolerance]) / statistics.median(took["none"])
        pairs = statistics.median(mine / other for mine, other in zip(took[tolerance], took["none"]))
        c.say(f"  {tolerance} against none", f"{ratio * 100 - 100:+.1f} % of the medians, {pairs * 100 - 100:+.1f} % as the median of the rounds")


def prune(c, rounds, alarm):
    c.prune_with_hook()
    c.set_alarm(alarm)
    took = [c.pruned_start() for _ in range(rounds)]
    c.say(f"a job of {len(c.names)} hosts, {c.spare} of them dead, pruned to {c.wanted}, {rounds} rounds: median (least to most)",
          "; ".join(f"{part} {spread([each[part] for each in took])}" for part in took[0]))


def release(c, rounds):
    took = [c.released() for _ in range(rounds)]
    c.say(f"pbs_release_nodes -a of a job of {c.wanted} hosts, {rounds} rounds: median (least to most)",
          "; ".join(f"{part} {spread([each[part] for each in took])}" for part in took[0]))


def main():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="where it was built")
    top.add_argument("--hosts", type=int, default=500)
    top.add_argument("--rounds", type=int, default=9)
    top.add_argument("--alarm", type=int, default=5, help="$sister_join_job_alarm, in which all hosts that live must join")
    top.add_argument("--part", choices=["tolerances", "prune", "release"], help="only this; otherwise all")
    options = top.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with enough_watches(options.hosts * 21 // 20):
        c = StartingMoms(os.path.abspath(options.build), options.hosts)
        try:
            c.make_homes()
            c.start_moms()
            c.until_all_are_free()
            if options.part in (None, "tolerances"):
                compare_tolerances(c, options.rounds)
            if options.part in (None, "release"):
                release(c, options.rounds)
            if options.part in (None, "prune"):
                prune(c, options.rounds, options.alarm)
        finally:
            c.down()


if __name__ == "__main__":
    sys.exit(main())
