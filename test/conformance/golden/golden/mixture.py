"""Standard output and error that were recorded together. Which line of one comes before which of the other depends on when a program
writes out what it has, so only the order within each counts.
"""


def as_recorded(recorded, out, err):
    """What was recorded, if these two can be mixed so that they are it; else one after the other. Blank lines at an end do not count."""
    lines = [text.rstrip("\n").splitlines() for text in (recorded, out, err)]
    return recorded if is_mixture(*lines) else out + err


def is_mixture(lines, one, other):
    if len(lines) != len(one) + len(other):
        return False
    reached = {0}   # how many lines of `one` may have been taken
    for taken, line in enumerate(lines):
        reached = ({n + 1 for n in reached if n < len(one) and one[n] == line}
                   | {n for n in reached if taken - n < len(other) and other[taken - n] == line})
    return bool(reached)
