#!/usr/bin/env python3
"""What accumulated usage costs. Usage: usage.py [--build DIR] [--hosts N] [--resources R] [--every S] [--seconds T]

Brings up N real pbs_mom on one machine, as scale.py does, and a job of all of them. On every host a hook of exechost_periodic sets R
resources in the job's resources_used every S seconds. Measures the processor time that the server and the MoM of the job's first host
spend meanwhile, without their hooks' workers, and before, while the same job runs and no hook is there.
docs/performance.md keeps what was measured.
"""
import argparse
import os
import re
import signal
import statistics
import sys
import time

from cluster import HERE
from scale import ManyMoms, enough_watches

# Each value is another one each time, and is news.
SETS = """import pbs, time
used = int(time.time())
for job in pbs.event().job_list.values():
    for i in range({resources}):
        job.resources_used["used%d" % i] = used + i
"""
SAMPLED_HOSTS = 10


class UsingMoms(ManyMoms):
    def cpu_s(self, pid):
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def pids(self):
        """Of the server, and of the MoM of the first host."""
        found = []
        for home, lock in (self.home, "server_priv/server.lock"), (self.home_of("n1"), "mom_priv/mom.lock"):
            with open(os.path.join(home, lock)) as f:
                found.append(int(f.read().split()[0]))
        return found

    def spent(self, seconds):
        """Parts of a cpu that both take, in a while."""
        begin, before = time.monotonic(), [self.cpu_s(pid) for pid in self.pids()]
        time.sleep(seconds)
        passed = time.monotonic() - begin
        return [(self.cpu_s(pid) - was) / passed for pid, was in zip(self.pids(), before)]

    def start_job(self):
        job = self.run("qsub", "-l", f"select={len(self.names)}:ncpus=1", "-l", "place=scatter", "--", "/bin/sleep", "100000").strip()
        self.wait(lambda: re.search(r"(?m)^\s+substate = 42$", self.run("qstat", "-f", job)), f"{job} runs", pause_s=0.1)
        return job

    def hook(self, resources, every):
        for i in range(resources):
            self.run("qmgr", "-c", f"create resource used{i} type=long,flag=h")
        script = os.path.join(self.top, "uses.py")
        self.write(script, SETS.format(resources=resources))
        self.run("qmgr", "-c", f"create hook uses event=exechost_periodic,freq={every}")
        self.run("qmgr", "-c", f"import hook uses application/x-python default {script}")

    def until_all_have_told(self, job):
        """The server knows a value of every host."""
        def told():
            shown = re.search(r"(?m)^\s+resources_used[.]used0 = (\d+)$", self.run("qstat", "-f", job))
            return shown and int(shown.group(1)) > 1_700_000_000 * len(self.names)
        self.wait(told, "all hosts have told what they use", pause_s=1)

    def times_set(self):
        """How often hooks have set something so far, on the average of some hosts."""
        counts = []
        for name in self.names[1:1 + SAMPLED_HOSTS]:
            events = self.audit("--log", os.path.join(self.home_of(name), "mom_priv", "log"), "log", "--json")
            counts.append(sum(event["kind"] == "PartHookUsed" for event in events))
        return statistics.mean(counts)


def measure(c, options):
    job = c.start_job()
    quiet = c.spent(options.seconds)
    c.hook(options.resources, options.every)
    c.until_all_have_told(job)
    before = c.times_set()
    busy = c.spent(options.seconds)
    rate = (c.times_set() - before) / options.seconds * options.every
    c.say(f"{len(c.names)} hosts of a job, {options.resources} resources each, set every {options.every} s",
          f"set {rate:.2f} times in {options.every} s of the measured {options.seconds}")
    for what, with_hooks, without in zip(("the server", "the MoM of the first host"), busy, quiet):
        c.say(f"  {what}: of one cpu", f"{with_hooks * 100:.1f} %; before there was a hook {without * 100:.1f} %")


def main():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="where it was built")
    top.add_argument("--hosts", type=int, default=500)
    top.add_argument("--resources", type=int, default=20)
    top.add_argument("--every", type=int, default=10, help="seconds")
    top.add_argument("--seconds", type=int, default=60, help="of each measurement")
    options = top.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with enough_watches(options.hosts):
        c = UsingMoms(os.path.abspath(options.build), options.hosts)
        try:
            c.make_homes()
            c.start_moms()
            c.until_all_are_free()
            measure(c, options)
        finally:
            c.down()


if __name__ == "__main__":
    sys.exit(main())
