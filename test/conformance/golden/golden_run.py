#!/usr/bin/python3
"""usage: golden_run.py FILE [--show] [--only N,...]     (FILE without .txt: errors, job_life, ...)

Runs a transcript of data/ against the built PBS (ANNALS_STAGE) and compares. Needs root: the transcripts have a host
name and users of their own, which are made in namespaces (golden/world.py). Exit status: 0 as expected, 1 not,
77 skipped. --show prints the differences of listed blocks too.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from golden import blocks_run, placement, report, scene, world  # noqa: E402  found by the path above
from moved_clock import COMPILER  # noqa: E402  world knows where it is


def read(*path):
    with open(os.path.join(HERE, *path)) as f:
        return f.read()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--show", action="store_true", help="print the differences of listed blocks too")
    options.add_argument("--only", default="", help="numbers of blocks to report; all are run")
    options = options.parse_args()
    stage = os.environ.get("ANNALS_STAGE") or os.path.join(HERE, "..", "..", "..", "build", "stage")
    transcript, listed = read("data", options.file + ".txt"), report.read_expected(read("expected_failures.txt"), options.file)
    the_scene = scene.read(read("scenes", options.file + ".scene"), lambda name: read("scenes", name + ".scene"))

    if the_scene.moves_clock() and not COMPILER:
        print("skipped: no C compiler, to build what moves the clock of daemons")
        return 77

    def compare():
        kind = placement if options.file == "placement" else blocks_run
        try:
            outcomes = kind.run(transcript, the_scene)
        except world.Trouble:
            print(world.story(), file=sys.stderr)
            raise
        if options.show:
            only = set(filter(None, options.only.split(",")))
            for outcome in outcomes:
                if outcome.differences and (not only or outcome.number in only):
                    print(f"{options.file} {outcome.number}: {outcome.command}", *outcome.differences, sep="\n")
        text, ok = report.summary(options.file, outcomes, listed)
        print(text)
        if not ok:
            print(world.story(), file=sys.stderr)
        return 0 if ok else 1

    status = world.enter(the_scene.hosts, os.path.realpath(stage), compare)
    if status is None:
        print("skipped: a transcript's host name and users need root and namespaces")
        return 77
    return status


sys.exit(main())
