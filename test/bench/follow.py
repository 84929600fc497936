#!/usr/bin/env python3
"""What a follower costs the server, and how far it is behind. Usage: follow.py [--build DIR] [cost|lag|behind]...

A plain mini-cluster, and a pbs_follow in the home of its host n1. Events are submissions of held jobs, 1,000 a second. Each line is a figure.
docs/performance.md keeps what was measured.
"""
import os
import re
import statistics
import subprocess
import sys
import time

from cluster import Cluster, kill_server, measure, restart, wall_ms

EVENTS_A_SECOND, SECONDS, ROUNDS = 1000, 20, 3


class Site(Cluster):
    def __init__(self, build):
        super().__init__(build)
        sys.path.insert(0, os.path.join(self.prefix, "lib", "python"))
        from minicluster import cluster as mini, procs  # found by the path above
        self.procs = procs
        hosts = mini.Cluster(self.dir)
        self.portal = hosts.machines["n1"]
        self.portal.habitat("follow")
        self.priv = os.path.join(hosts.layout.home("n1"), "follow_priv")
        hosts.enrol(os.path.join(self.priv, "daemon.pem"), "--follower", "n1")
        self.conf = hosts.layout.conf("n1")
        self.socket = os.path.join(hosts.layout.home("n1"), "run", "follower.sock")
        self.scheduling(False)

    def follower_pids(self):
        return self.procs.own(self.procs.daemons("pbs_follow", self.conf))

    def start_follower(self):
        self.portal.start_daemon("pbs_follow")

    def end_follower(self):
        self.procs.kill_daemon(lambda: self.procs.daemons("pbs_follow", self.conf))

    def standing(self):
        """What the follower says of itself; "" while it has nothing."""
        env = {**self.portal.environment(), "PBS_READ_FROM": "follower"}
        done = subprocess.run(self.portal.inside(["qstat", "-Bf"]), env=env, capture_output=True, text=True)
        found = re.search(r"\n    follower = (.*)", done.stdout.replace("\n\t", ""))
        return found[1] if found else ""

    def until_level(self):
        self.wait(lambda: ", 0 events and 0 s behind" in self.standing(), "the follower is level", 0.02)

    def down(self):
        if self.follower_pids():
            self.end_follower()
        super().down()


def cost(site):
    """The server's processor time under the same load, without and with a follower, in turn."""
    def share():
        """Of a core, in percent, at the rate that was wanted; and the one that was reached."""
        before, began = site.server_cpu_s(), time.monotonic()
        site.bench("load", "paced", str(EVENTS_A_SECOND), str(SECONDS))
        took = time.monotonic() - began
        events = EVENTS_A_SECOND * SECONDS
        return (site.server_cpu_s() - before) / events * EVENTS_A_SECOND * 100, events / took

    site.bench("load", "paced", str(EVENTS_A_SECOND), "3")
    without, with_it = [], []
    for round_ in range(ROUNDS):
        for followed in (False, True) if round_ % 2 == 0 else (True, False):
            if followed:
                site.start_follower()
                site.until_level()
            used, rate = share()
            (with_it if followed else without).append(used)
            site.say(f"the server {'with' if followed else 'without'} a follower, {rate:.0f} events a second", f"{used:.1f} % of a core")
            if followed:
                site.end_follower()
    added = [b - a for a, b in zip(without, with_it)]
    site.say(f"a follower adds, median of {ROUNDS} pairs", f"{statistics.median(added):+.1f} % of a core ({min(added):+.1f} to {max(added):+.1f})")


def lag(site):
    """From the server's answer to a submission to the follower's answer that has the job."""
    site.start_follower()
    site.until_level()
    for rate in (EVENTS_A_SECOND, EVENTS_A_SECOND, EVENTS_A_SECOND, 0):
        paced = [os.path.join(site.build, "test", "bench", "bench_load"), "paced", str(rate), str(SECONDS)]
        beside = subprocess.Popen(paced, env=site.env, stdout=subprocess.DEVNULL) if rate else None
        line = site.bench("load", "lag", site.socket, str(SECONDS - 2 if rate else 3))
        if beside and beside.wait() != 0:
            raise RuntimeError("the submissions beside it failed")
        site.say(f"the follower is behind, beside {rate} events a second", line.split(": ", 1)[1])


def behind(site):
    """A follower that begins a million records behind."""
    records = 1_000_000
    site.scheduling(True)
    site.run("qsub", "-W", "block=true", "--", "/bin/true")
    site.scheduling(False)
    kill_server(site)
    site.bench("load", "grow", os.path.join(site.home, "server_priv", "log"), str(records))
    restart(site)
    before, cpu, answers = site.server_rss_kb(), site.server_cpu_s(), []

    def catch_up():
        site.start_follower()
        while ", 0 events and 0 s behind" not in site.standing():
            answers.append(wall_ms(lambda: site.run("qstat", "-B")))
            time.sleep(0.02)
    took = wall_ms(catch_up) / 1000
    cpu = site.server_cpu_s() - cpu
    site.say(f"a follower that begins {records:,} records behind", f"level after {took:.1f} s, {records / took:,.0f} records a second; "
             f"the server used {cpu / records * 1e6:.1f} us of processor time for each and {(site.server_rss_kb() - before) / 1024:+.0f} MB; "
             f"qstat -B at the server meanwhile: median {statistics.median(answers):.1f} ms, most {max(answers):.0f} ms")
    site.end_follower()
    site.say("then its start with them, to its first answer", f"{wall_ms(lambda: (site.start_follower(), site.until_level())):.0f} ms")


if __name__ == "__main__":
    sys.exit(measure(__doc__, Site, {"cost": cost, "lag": lag, "behind": behind}))
