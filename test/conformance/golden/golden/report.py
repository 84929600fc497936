"""Which blocks pass, which may fail, and what differs.

expected_failures.txt has one line per block that does not pass:  FILE NUMBER REASON. A listed block that passes fails
the run, so that the list stays true; so does one that names no block.
"""
import difflib
import re
from dataclasses import dataclass

LINE = re.compile(r"(\w+) (\S+) (.+)\Z")


@dataclass
class Outcome:
    number: str       # of the block in its file: "12", or the name of a placement case: "P12"
    command: str
    differences: list  # lines of a diff; none: passed


def read_expected(text, file):
    """The failures listed for one file: number -> reason."""
    listed = {}
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        found = LINE.match(line)
        if not found:
            raise ValueError(f"expected_failures.txt: not FILE NUMBER REASON: {line}")
        if found[1] == file:
            if found[2] in listed:
                raise ValueError(f"expected_failures.txt: {file} {found[2]} is listed twice")
            listed[found[2]] = found[3]
    return listed


def differences(what, expected, actual):
    if expected == actual:
        return []
    if isinstance(expected, int):
        return [f"  {what}: expected {expected}, got {actual}"]
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), f"{what} of the transcript", f"{what} here",
                                 lineterm="", n=1)
    # Texts that differ only in their last newline have no differing line.
    return ["  " + line for line in lines] or [f"  {what}: the last line ends differently"]


def summary(file, outcomes, listed):
    """(text, ok). Says what failed without being listed, what passed though listed, and counts the rest."""
    lines, ok = [], True
    known = {outcome.number for outcome in outcomes}
    for number in sorted(set(listed) - known):
        lines.append(f"{file} {number}: listed in expected_failures.txt, but there is no such block")
        ok = False
    for outcome in outcomes:
        if outcome.differences and outcome.number not in listed:
            lines += [f"{file} {outcome.number}: FAILED: {outcome.command}", *outcome.differences]
            ok = False
        elif not outcome.differences and outcome.number in listed:
            lines.append(f"{file} {outcome.number}: passes, but is listed in expected_failures.txt: {outcome.command}")
            ok = False
    passed = sum(not outcome.differences for outcome in outcomes)
    lines.append(f"{file}: {passed} of {len(outcomes)} blocks pass, {len(listed)} are listed as different")
    return "\n".join(lines), ok
