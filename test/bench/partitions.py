#!/usr/bin/env python3
"""What several schedulers of one server start in a second, against as many clusters of their own.
Usage: partitions.py [--build DIR] [--schedulers N] [--jobs J] [--seconds S] [--rounds R]

J jobs are queued in all, /bin/true, the same number for each of N hosts: once in one cluster with a partition, a scheduler and a host
for each, once in N clusters of one host that run at the same time on this machine. Both are given S seconds; what counts is how many
jobs have started by then (S records). In turn, R times. docs/performance.md keeps what was measured.
"""
import argparse
import concurrent.futures
import os
import re
import statistics
import time

from cluster import HERE, Cluster

CPUS = 500      # of each host: it is never the cpus that a job waits for


def queues(schedulers):
    return ["workq"] + [f"q{i}" for i in range(2, schedulers + 1)]


def started(c):
    accounting, total = os.path.join(c.home, "server_priv", "accounting"), 0
    for name in os.listdir(accounting):
        with open(os.path.join(accounting, name)) as f:
            total += sum(1 for line in f if ";S;" in line)
    return total


def one_with_partitions(build, schedulers, jobs):
    c = Cluster(build, ",".join(f"n{i}" for i in range(1, schedulers + 1)))
    c.scheduling(False)
    for i in range(1, schedulers + 1):
        partition = f"partition = P{i}"
        c.run("qmgr", "-c", f"set node n{i} resources_available.ncpus = {CPUS}")
        if i == 1:      # the first is the default scheduler's
            continue
        c.run("qmgr", "-c", f"set node n{i} {partition}")
        c.run("qmgr", "-c", f"create queue q{i} queue_type=execution,enabled=true,started=true,{partition}")
        c.run("qmgr", "-c", f"create sched s{i} {partition}")
    for queue in queues(schedulers):
        c.bench("load", "fill", str(jobs // schedulers), f"queue={queue}")
    return c


def switch(c, schedulers, on):
    c.scheduling(on)
    for i in range(2, schedulers + 1):
        c.run("qmgr", "-c", f"set sched s{i} scheduling = {on}")


def start_schedulers(c, schedulers):
    """They are there before anything is measured: with nothing to place, as no queue is started."""
    for queue in queues(schedulers):
        c.run("qmgr", "-c", f"set queue {queue} started = False")
    switch(c, schedulers, True)
    c.wait(lambda: len(re.findall("state = (?:idle|scheduling)", c.run("qmgr", "-c", "list sched"))) == schedulers, "all schedulers are there", 0.1)


def start_queues(c, names):
    c.run("qmgr", "-c", f"set queue {','.join(names)} started = True")


def in_time(clusters, begin, seconds):
    """How many jobs have started in them together, `seconds` after `begin` of each."""
    before = sum(map(started, clusters))
    with concurrent.futures.ThreadPoolExecutor(len(clusters)) as all_at_once:
        list(all_at_once.map(begin, clusters))
    time.sleep(seconds)
    return (sum(map(started, clusters)) - before) / seconds


def of_one_server(build, schedulers, jobs, seconds):
    c = one_with_partitions(build, schedulers, jobs)
    try:
        start_schedulers(c, schedulers)
        return in_time([c], lambda c: start_queues(c, queues(schedulers)), seconds)
    finally:
        c.down()


def of_single_clusters(build, schedulers, jobs, seconds):
    clusters = []
    try:
        for _ in range(schedulers):
            clusters.append(one_with_partitions(build, 1, jobs // schedulers))
            start_schedulers(clusters[-1], 1)
        return in_time(clusters, lambda c: start_queues(c, queues(1)), seconds)
    finally:
        for c in clusters:
            c.down()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--schedulers", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=50_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    o = parser.parse_args()
    build, rates = os.path.abspath(o.build), {of_one_server: [], of_single_clusters: []}
    for _ in range(o.rounds):
        for measure, into in rates.items():
            into.append(measure(build, o.schedulers, o.jobs, o.seconds))
            print(f"  {measure.__name__.replace('_', ' ')}: {into[-1]:.0f} jobs a second", flush=True)
    one, many = (statistics.median(r) for r in rates.values())
    print(f"{o.schedulers} schedulers, {o.jobs} jobs queued: {one:.0f} jobs start in a second; in {o.schedulers} clusters {many:.0f}: "
          f"{one / many * 100:.0f} %   [load {os.getloadavg()[0]:.1f}]")


if __name__ == "__main__":
    main()
