#!/usr/bin/python3
"""usage: compatibility.py [--write]     keeps the table of docs/compatibility.md equal to expected_failures.txt

Without --write only says whether it is (exit status 1: not). The table stands between the two marker lines.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from golden import blocks_run, placement, scene, transcript  # noqa: E402  found by the path above

PAGE = os.path.join(HERE, "..", "..", "..", "docs", "compatibility.md")
BEGIN, END = "<!-- blocks: begin (test/conformance/golden/compatibility.py --write) -->", "<!-- blocks: end -->"
FILES = ("errors", "job_life", "manager_ops", "qstat_f_jobs", "qstat_lists", "qstat_json", "qstat_Q_B", "pbsnodes", "defaults",
         "placement", "hooks", "multisched", "limits", "threshold", "reservations", "scheduler", "policy", "queue_commands", "deps",
         "arrays", "arrays2", "holds", "selectors", "qalter", "job_states", "qsub_options", "parsing", "wrong_uses",
         "interactive", "mail", "parsing2", "accounting_types", "in_use", "unset", "unset2")


def read(*path):
    with open(os.path.join(HERE, *path)) as f:
        return f.read()


def commands(file):
    """Number of a block -> its command."""
    text = read("data", file + ".txt")
    if file == "placement":
        steps, count = {}, 0
        for step in placement.parse(text):
            count += not step.name
            steps[step.name or f"c{count}"] = step.command
        return steps
    return {str(i): block.command for i, block in enumerate(transcript.read(text), 1)}


def table():
    listed = [line.split(" ", 2) for line in read("expected_failures.txt").split("\n") if line and not line.startswith("#")]
    lines = [BEGIN, "", "| transcript | block | command | why it differs |", "|---|---|---|---|"]
    for file in FILES:
        names = commands(file)
        for _, number, reason in (entry for entry in listed if entry[0] == file):
            lines.append(f"| {file} | {number} | {cell(names[number])} | {reason} |")
    lines += ["", "Not run, because the state they show can't be made yet:", "", "| transcript | block | why |", "|---|---|---|"]
    for file in FILES:
        there = scene.read(read("scenes", file + ".scene"), lambda name: read("scenes", name + ".scene"))
        lines += [f"| {file} | {number} | {reason} |" for number, reason in sorted(there.without.items())]
    later = ", ".join(f"`{name}`" for name in sorted(blocks_run.LATER))
    return "\n".join([*lines, "", f"Nor are blocks that use commands which do not exist yet: {later}.", "", END])


def cell(command):
    return "`" + command.replace("|", "\\|")[:80] + "`"


def main():
    with open(PAGE) as f:
        page = f.read()
    fresh = re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: table(), page, flags=re.S)
    if fresh == page:
        return 0 if BEGIN in page else 1
    if "--write" not in sys.argv:
        print("docs/compatibility.md is not up to date: run test/conformance/golden/compatibility.py --write")
        return 1
    with open(PAGE, "w") as f:
        f.write(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
