#!/usr/bin/env python3
"""What commands on a login host cost beside the same commands on the server's host. Usage: login.py [--build DIR] [submit|clients|status]...

A plain mini-cluster whose host l1 has a pbs_comm: commands take the whole way, pbs_comm and TLS, on one machine. Each figure is a ratio of
runs in turn. docs/performance.md keeps what was measured.
"""
import contextlib
import os
import statistics
import sys

from cluster import Cluster, measure, qsub_loop, wall_ms

ROUNDS = 7


class Site(Cluster):
    def __init__(self, build):
        super().__init__(build, "n1,l1")
        sys.path.insert(0, os.path.join(self.prefix, "lib", "python"))
        from minicluster import cluster as mini  # found by the path above
        self.hosts = mini.Cluster(self.dir)
        self.hosts.machines["l1"].habitat("comm")
        self.hosts.enrol(os.path.join(self.hosts.layout.home("l1"), "server_priv", "comm", f"{self.hosts.server}.pem"), "--login", "l1")
        self.hosts.machines["l1"].start_daemon("pbs_comm")
        self.here = self.env["PBS_CONF_FILE"]
        self.there = self.hosts.layout.conf("l1")
        self.scheduling(False)

    @contextlib.contextmanager
    def typed_on(self, conf):
        self.env["PBS_CONF_FILE"] = conf
        try:
            yield
        finally:
            self.env["PBS_CONF_FILE"] = self.here

    def compare(self, what, work, rounds=ROUNDS):
        """Median times of work on the server's host and on the login host, in turn."""
        times = {self.here: [], self.there: []}
        for round_ in range(rounds + 1):
            for conf in times if round_ % 2 else reversed(times):
                with self.typed_on(conf):
                    ms = wall_ms(work)
                if round_:              # the first warms up
                    times[conf].append(ms)
        here, there = (statistics.median(times[c]) for c in (self.here, self.there))
        self.say(what, f"{here:.1f} ms on the server's host, {there:.1f} ms on a login host: {there / here:.2f} times")


def submit(site):
    site.compare("100 times qsub -- /bin/true, one after the other", lambda: qsub_loop(site, 100))


def clients(site):
    loop = "for c in $(seq 200); do (for i in 1 2 3 4 5; do qsub -- /bin/true >/dev/null || exit 1; done) & done; wait"
    site.compare("200 clients at once, five qsub each", lambda: site.run("/bin/sh", "-c", loop), rounds=5)


def status(site):
    site.bench("load", "fill", "10000")
    site.compare("qstat of 10,000 jobs", lambda: site.run("qstat"))


if __name__ == "__main__":
    sys.exit(measure(__doc__, Site, {"submit": submit, "clients": clients, "status": status}))
