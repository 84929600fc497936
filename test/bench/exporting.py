#!/usr/bin/env python3
"""What a running pbs_export costs the server, and how far its rows are behind. Usage: exporting.py [--build DIR] [cost|lag]...

A plain mini-cluster, and a `pbs_export -f` into a database of SQLite beside its server. Events are submissions of held jobs, 1,000 a second.
Each line is a figure. docs/performance.md keeps what was measured.
"""
import os
import sqlite3
import statistics
import subprocess
import sys
import time

from cluster import Cluster, measure

EVENTS_A_SECOND, SECONDS, ROUNDS, LOOKS = 1000, 20, 3, 40


class Site(Cluster):
    def __init__(self, build):
        super().__init__(build)
        self.database = os.path.join(self.top, "jobs.db")
        self.exporter = None
        self.scheduling(False)

    def start_exporter(self):
        log = os.path.join(self.home, "server_priv", "log")
        self.exporter = subprocess.Popen(["pbs_export", "-q", "-f", "--log", log, self.database], env=self.env)
        self.until_row(self.run("qsub", "-h", "--", "/bin/true").strip())

    def end_exporter(self):
        self.exporter.terminate()
        self.exporter.wait()
        self.exporter = None

    def exporter_cpu_s(self):
        with open(f"/proc/{self.exporter.pid}/stat") as f:
            user, system = f.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def has_row(self, job):
        if not os.path.exists(self.database):
            return False
        base = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            return base.execute("select 1 from jobs where job_id = ?", (job,)).fetchone() is not None
        except sqlite3.OperationalError:      # the exporter has not made the tables yet
            return False
        finally:
            base.close()

    def until_row(self, job):
        self.wait(lambda: self.has_row(job), f"job {job} has its row", 0.002)

    def down(self):
        if self.exporter:
            self.end_exporter()
        super().down()


def cost(site):
    """The server's processor time under the same load, without and with an exporter, in turn."""
    def share():
        """Of a core, in percent, at the rate that was wanted; and the one that was reached."""
        before, began = site.server_cpu_s(), time.monotonic()
        site.bench("load", "paced", str(EVENTS_A_SECOND), str(SECONDS))
        took = time.monotonic() - began
        return (site.server_cpu_s() - before) / SECONDS * 100, EVENTS_A_SECOND * SECONDS / took

    site.bench("load", "paced", str(EVENTS_A_SECOND), "3")
    without, with_it = [], []
    for round_ in range(ROUNDS):
        for exported in (False, True) if round_ % 2 == 0 else (True, False):
            if exported:
                site.start_exporter()
            used, rate = share()
            (with_it if exported else without).append(used)
            own = ""
            if exported:
                own = f"; the exporter {site.exporter_cpu_s() / SECONDS * 100:.0f} %, with what it began behind"
                site.end_exporter()
            site.say(f"the server {'with' if exported else 'without'} an exporter, {rate:.0f} events a second", f"{used:.1f} % of a core{own}")
    added = [b - a for a, b in zip(without, with_it)]
    site.say(f"an exporter adds, median of {ROUNDS} pairs", f"{statistics.median(added):+.1f} % of a core ({min(added):+.1f} to {max(added):+.1f})")


def lag(site):
    """From the server's answer to a submission to the row of that job."""
    site.start_exporter()
    for rate in (EVENTS_A_SECOND, 0):
        paced = [os.path.join(site.build, "test", "bench", "bench_load"), "paced", str(rate), str(SECONDS)]
        beside = subprocess.Popen(paced, env=site.env, stdout=subprocess.DEVNULL) if rate else None
        took = []
        while len(took) < LOOKS:
            job = site.run("qsub", "-h", "--", "/bin/true").strip()
            answered = time.monotonic()
            site.until_row(job)
            took.append((time.monotonic() - answered) * 1000)
            time.sleep(0.2)
        if beside and beside.wait() != 0:
            raise RuntimeError("the submissions beside it failed")
        site.say(f"the rows are behind, beside {rate} events a second", f"median {statistics.median(took):.0f} ms, most {max(took):.0f} ms of {LOOKS}")


if __name__ == "__main__":
    sys.exit(measure(__doc__, Site, {"cost": cost, "lag": lag}))
